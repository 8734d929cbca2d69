#pragma once

#include <set>
#include <string>
#include <string_view>

namespace headscope {

/// Debian's package with a font that has this letter; empty for what no font is made for: control characters,
/// what is no character, or is for private use.
std::string_view package_with(char32_t letter);

/// A message about letters that no installed font has, with the packages that would help. Empty if all of
/// those are in `told` already; they are added to it.
std::string font_hint(const std::set<char32_t>& missing, std::set<std::string_view>& told);

}  // namespace headscope
