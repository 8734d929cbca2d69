#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/figure/figure.h"
#include "core/result.h"

namespace headscope {

/// A typeface in a font file.
struct FontFile {
  std::filesystem::path path;
  int index = 0;  ///< The index within a font collection, as FreeType counts.
  bool operator==(const FontFile&) const = default;
  bool operator<(const FontFile& other) const {
    return path != other.path ? path < other.path : index < other.index;
  }
};

/// The installed font files that figures use.
struct FontFiles {
  FontFile sans;               ///< Inter Regular, or else DejaVu Sans, or else the best match.
  FontFile sans_bold;          ///< Inter SemiBold, or else DejaVu Sans Bold, or else `sans`.
  FontFile serif, serif_bold;  ///< Latin Modern, CMU, STIX or another serif family, or else sans.
  FontFile mono;               ///< JetBrains Mono Regular, or else DejaVu Sans Mono, or else `sans`.
  /// Finds a file for a letter that the three fonts lack, if `in_color` one with coloured glyphs if possible.
  /// Prefers DejaVu Sans (except for right-to-left letters), then Noto Sans CJK, other Noto Sans fonts and
  /// all others, with upright and regular faces first. Deterministic. Empty if no font has the letter.
  std::function<std::optional<FontFile>(char32_t letter, bool in_color)> fallback;

  const FontFile& file(Font font) const {
    return font == Font::sans_bold ? sans_bold : font == Font::mono ? mono : sans;
  }
};

/// The typeface for a letter. In monospaced text, zeros and minus signs are those of the sans font: dotted or
/// slashed zeros read as 8 at small sizes, and the minus signs are as short as hyphens.
constexpr Font typeface_of(Font font, char32_t letter) {
  return font == Font::mono && (letter == U'0' || letter == U'−') ? Font::sans : font;
}

/// Asks fontconfig for the fonts of the system and of the user. If there is no font at all, the error names
/// the packages to install.
Result<FontFiles> find_font_files();

/// The same for the given folders only, including their subfolders.
Result<FontFiles> find_font_files(const std::vector<std::filesystem::path>& folders);

/// The Debian package with a font that has this letter. Empty for code points that no font covers: control
/// characters, noncharacters and private-use code points.
std::string_view package_with(char32_t letter);

/// A message about letters that no installed font has, with the packages that provide them, which are added
/// to `reported`. Empty if `reported` has all of them already.
std::string font_hint(const std::set<char32_t>& missing, std::set<std::string_view>& reported);

}  // namespace headscope
