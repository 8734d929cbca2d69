#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/tensor/view.h"

namespace headscope {

/// Numbers that a person gave for a parameter or a stage, in place of those that would be drawn, read or
/// computed. They are immutable, so copies share them.
struct GivenMatrix {
  std::string path;                            ///< The path of the parameter or stage.
  std::shared_ptr<const OwnedMatrix> numbers;  ///< Never null; all numbers are finite.

  friend bool operator==(const GivenMatrix& a, const GivenMatrix& b) {
    return a.path == b.path && (a.numbers == b.numbers || *a.numbers == *b.numbers);
  }
};

/// All given numbers, sorted by path. Each path occurs once. A plain value.
struct GivenNumbers {
  std::vector<GivenMatrix> all;

  bool empty() const { return all.empty(); }
  /// The numbers that are given under this path. Null if there are none.
  std::shared_ptr<const OwnedMatrix> at(std::string_view path) const;
  bool operator==(const GivenNumbers&) const = default;
};

/// Returns `given` with these numbers in place of any that were given under the same path.
GivenNumbers with_given(GivenNumbers given, GivenMatrix matrix);
/// Returns `given` without the numbers of a path.
GivenNumbers without_given(GivenNumbers given, std::string_view path);

}  // namespace headscope
