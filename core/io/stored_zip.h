#pragma once

#include <string_view>
#include <vector>

#include "core/result.h"

namespace headscope {

/// An entry of a zip archive, whose bytes stand in it as they are.
struct StoredEntry {
  std::string_view name;
  std::string_view bytes;
};

/// Whether a file begins as zip archives do.
bool is_zip(std::string_view file);

/// The entries of an archive that compresses none of them, as PyTorch writes it, found by its central
/// directory (PKWARE's APPNOTE 6.3, with the 64-bit records of large files). Nothing is unpacked. Errors,
/// which do not name the file: entries that are compressed or encrypted, that lie outside the file or overlap
/// another, and archives of several parts.
Result<std::vector<StoredEntry>> stored_entries(std::string_view file);

}  // namespace headscope
