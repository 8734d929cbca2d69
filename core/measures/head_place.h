#pragma once

#include <compare>
#include <optional>
#include <string>
#include <string_view>

namespace headscope {

/// Identifies a head within one attention of one stack.
struct HeadPlace {
  int layer = 0;
  int head = 0;
  auto operator<=>(const HeadPlace&) const = default;  // NOLINT(modernize-use-nullptr): clang-tidy 14 errs
};

/// Formats layer 1, head 2 as "1.2". head_named() is the inverse and returns nullopt for any other text.
std::string head_name(const HeadPlace& place);
std::optional<HeadPlace> head_named(std::string_view name);

}  // namespace headscope
