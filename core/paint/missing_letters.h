#pragma once

#include <set>
#include <string>
#include <string_view>

namespace headscope {

/// The Debian package with a font that has this letter. Empty for code points that no font covers: control
/// characters, noncharacters and private-use code points.
std::string_view package_with(char32_t letter);

/// A message about letters that no installed font has, with the packages that provide them. The packages are
/// added to `told`. Empty if all of them are already in `told`.
std::string font_hint(const std::set<char32_t>& missing, std::set<std::string_view>& told);

}  // namespace headscope
