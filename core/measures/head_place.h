#pragma once

#include <compare>
#include <optional>
#include <string>
#include <string_view>

namespace headscope {

/// A head by its layer, in one attention of one stack.
struct HeadPlace {
  int layer = 0;
  int head = 0;
  auto operator<=>(const HeadPlace&) const = default;  // NOLINT(modernize-use-nullptr): clang-tidy 14 errs
};

/// "1.2": layer 1, head 2. The inverse: nothing where a text is no such place.
std::string head_name(const HeadPlace& place);
std::optional<HeadPlace> head_named(std::string_view name);

}  // namespace headscope
