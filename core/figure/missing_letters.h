#pragma once

#include <set>
#include <string>
#include <string_view>

namespace headscope {

/// Debian's package with a font that has this letter; empty for what no font is made for: control characters,
/// what is no character, or is for private use.
std::string_view package_with(char32_t letter);

/// What to tell a person of letters that no installed font has: which packages would help. Empty where all of
/// those were `told` before; they are now.
std::string font_hint(const std::set<char32_t>& missing, std::set<std::string_view>& told);

}  // namespace headscope
