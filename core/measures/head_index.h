#pragma once

#include <compare>
#include <optional>
#include <string>
#include <string_view>

namespace headscope {

/// A head of a given stack and attention.
struct HeadIndex {
  int layer = 0;
  int head = 0;
  auto operator<=>(const HeadIndex&) const = default;  // NOLINT(modernize-use-nullptr): clang-tidy 14 errs
};

/// Formats layer 1, head 2 as "1.2". parse_head_name() is the inverse.
std::string head_name(const HeadIndex& place);
std::optional<HeadIndex> parse_head_name(std::string_view name);

}  // namespace headscope
