#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

#include "core/result.h"

namespace headscope {

inline constexpr std::size_t max_read_bytes = std::size_t{1} << 30U;

/// The whole content of a file. Errors: files that cannot be opened, that are not regular (a pipe could
/// block, a device may have no end), or that are larger than `most_bytes`; of these nothing is read.
Result<std::string> read_file(const std::filesystem::path& path, std::size_t most_bytes = max_read_bytes);

/// The same for a possible pipe ("/dev/stdin") or device, which is read to its end.
Result<std::string> read_to_end(const std::filesystem::path& path, std::size_t most_bytes);

}  // namespace headscope
