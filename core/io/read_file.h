#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

#include "core/result.h"

namespace headscope {

inline constexpr std::size_t max_read_bytes = std::size_t{1} << 30U;

/// The whole content of a file. Errors: what cannot be opened, what is no regular file (a pipe would be
/// waited for, a device has no end), and more than `most_bytes`, of which nothing is read.
Result<std::string> read_file(const std::filesystem::path& path, std::size_t most_bytes = max_read_bytes);

/// The same of what may be a pipe ("/dev/stdin") or a device; it is read until it ends.
Result<std::string> read_to_end(const std::filesystem::path& path, std::size_t most_bytes);

}  // namespace headscope
