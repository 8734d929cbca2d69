#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

#include "core/result.h"

namespace headscope {

inline constexpr std::size_t max_read_bytes = std::size_t{1} << 30U;

/// Reads an entire file. Fails if it cannot be opened, is not a regular file (a pipe could block, a device
/// may be endless), exceeds `max_bytes`, or changes while it is read.
Result<std::string> read_file(const std::filesystem::path& path, std::size_t max_bytes = max_read_bytes);

/// Reads to the end of a file that may be a pipe ("/dev/stdin") or a device. Fails after `max_bytes`.
Result<std::string> read_to_end(const std::filesystem::path& path, std::size_t max_bytes);

}  // namespace headscope
