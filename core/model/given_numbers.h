#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/tensor/view.h"

namespace headscope {

/// Numbers entered by the user that override those of a parameter or stage. Immutable; copies share them.
struct GivenMatrix {
  std::string path;                            ///< The path of the parameter or stage
  std::shared_ptr<const OwnedMatrix> numbers;  ///< Never null; all finite

  friend bool operator==(const GivenMatrix& a, const GivenMatrix& b) {
    return a.path == b.path && (a.numbers == b.numbers || *a.numbers == *b.numbers);
  }
};

/// All overrides, sorted by path, each path once. A plain value.
struct GivenNumbers {
  std::vector<GivenMatrix> all;

  bool empty() const { return all.empty(); }
  /// The numbers given for a path, or null.
  std::shared_ptr<const OwnedMatrix> at(std::string_view path) const;
  bool operator==(const GivenNumbers&) const = default;
};

/// Returns `given` with the numbers of one path added or replaced.
GivenNumbers with_given(GivenNumbers given, GivenMatrix matrix);
/// Returns `given` without the numbers of a path.
GivenNumbers without_given(GivenNumbers given, std::string_view path);

}  // namespace headscope
