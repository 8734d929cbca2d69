#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

#include "core/result.h"

namespace headscope {

inline constexpr std::size_t max_read_bytes = std::size_t{1} << 30U;

/// Reads the whole file. Errors: the file cannot be opened, is not a regular file (a pipe could block, a
/// device may have no end), is larger than `most_bytes`, or changes while it is read.
Result<std::string> read_file(const std::filesystem::path& path, std::size_t most_bytes = max_read_bytes);

/// Reads a file that may be a pipe ("/dev/stdin") or a device to its end. Fails if that comes after more than
/// `most_bytes`.
Result<std::string> read_to_end(const std::filesystem::path& path, std::size_t most_bytes);

}  // namespace headscope
