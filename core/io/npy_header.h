#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "core/io/npy.h"

namespace headscope {

/// The contents of a .npy file's header, which is a Python literal such as
/// {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }.
struct NpyHeader {
  NpyType type = NpyType::float32;
  bool fortran_order = false;
  std::vector<int> shape;
};

/// Parses such a literal. The error says what is wrong but does not name the file.
Result<NpyHeader> parse_npy_header(std::string_view literal);

}  // namespace headscope
