#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "core/io/npy.h"

namespace headscope {

/// What the header of a .npy file says: a Python literal such as
/// {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }.
struct NpyHeader {
  NpyType type = NpyType::float32;
  bool fortran_order = false;
  std::vector<int> shape;
};

/// The parts of such a literal; an error says what is wrong, without the file's name.
Result<NpyHeader> parse_npy_header(std::string_view literal);

}  // namespace headscope
