#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/tensor/view.h"

namespace headscope {

/// Numbers that somebody gave for a parameter or a stage, in place of those that would be drawn, read or
/// computed. Immutable, so that copies share them.
struct GivenMatrix {
  std::string path;                            ///< of the parameter or stage
  std::shared_ptr<const OwnedMatrix> numbers;  ///< never null, all of them finite

  friend bool operator==(const GivenMatrix& a, const GivenMatrix& b) {
    return a.path == b.path && (a.numbers == b.numbers || *a.numbers == *b.numbers);
  }
};

/// All that is given, in the order of the paths, each of which is in it once. A plain value.
struct GivenNumbers {
  std::vector<GivenMatrix> all;

  bool empty() const { return all.empty(); }
  /// Null where nothing is given under this path.
  std::shared_ptr<const OwnedMatrix> at(std::string_view path) const;
  bool operator==(const GivenNumbers&) const = default;
};

/// The same with these numbers, instead of those that were given under their path.
GivenNumbers with_given(GivenNumbers given, GivenMatrix matrix);
/// The same with nothing given under a path.
GivenNumbers without_given(GivenNumbers given, std::string_view path);

}  // namespace headscope
