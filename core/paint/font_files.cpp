#include "core/paint/font_files.h"

#include <algorithm>
#include <array>
#include <utility>

#include "core/text/letters.h"

namespace headscope {
namespace {

using Range = std::pair<char32_t, char32_t>;

/// Korean, Japanese and Chinese letters, including their marks and wide forms.
constexpr std::array cjk{Range{0x1100, 0x11FF}, Range{0x2E80, 0xA4CF},   Range{0xA960, 0xA97F},
                         Range{0xAC00, 0xD7FF}, Range{0xF900, 0xFAFF},   Range{0xFE30, 0xFE4F},
                         Range{0xFF00, 0xFFEF}, Range{0x1F200, 0x1F2FF}, Range{0x20000, 0x3FFFF}};
constexpr std::array symbols{Range{0x2100, 0x2BFF}, Range{0x1D400, 0x1D7FF}, Range{0x1F000, 0x1FBFF}};

template <std::size_t N>
bool is_in(const std::array<Range, N>& ranges, char32_t letter) {
  return std::any_of(ranges.begin(), ranges.end(), [letter](const Range& range) {
    return letter >= range.first && letter <= range.second;
  });
}

}  // namespace

const FontFile& FontFiles::file(Font font) const {
  switch (font) {
    case Font::sans_bold:
      return sans_bold;
    case Font::mono:
      return mono;
    case Font::sans:
      break;
  }
  return sans;
}

std::string_view package_with(char32_t letter) {
  if (!is_visible(letter)) return {};
  if (is_in(cjk, letter)) return "fonts-noto-cjk";
  if (is_in(symbols, letter)) return "fonts-symbola";
  return "fonts-noto-core";
}

std::string font_hint(const std::set<char32_t>& missing, std::set<std::string_view>& told) {
  std::string packages;
  for (const char32_t letter : missing) {
    const std::string_view package = package_with(letter);
    if (!package.empty() && told.insert(package).second) packages += " " + std::string(package);
  }
  if (packages.empty()) return {};
  return "No installed font has some of these characters. To see them: apt install" + packages;
}

}  // namespace headscope
