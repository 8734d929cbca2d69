#pragma once

#include <string_view>
#include <vector>

#include "core/result.h"

namespace headscope {

/// An entry of a zip archive that is stored without compression.
struct StoredEntry {
  std::string_view name;
  std::string_view bytes;
};

/// Whether a file begins like a zip archive.
bool is_zip(std::string_view file);

/// Returns the entries of an archive that compresses none of them, which is how PyTorch writes it. They are
/// found through the central directory (PKWARE's APPNOTE 6.3, with the 64-bit records of large files).
/// Nothing is unpacked. Errors, which do not name the file: entries that are compressed or encrypted, lie
/// outside the file or overlap another, and archives of several parts.
Result<std::vector<StoredEntry>> stored_entries(std::string_view file);

}  // namespace headscope
