#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <vector>

#include "core/figure/figure.h"
#include "core/result.h"

namespace headscope {

/// A typeface in a file.
struct FontFile {
  std::filesystem::path path;
  int index = 0;  ///< which one of a collection, as FreeType counts
  bool operator==(const FontFile&) const = default;
  bool operator<(const FontFile& other) const {
    return path != other.path ? path < other.path : index < other.index;
  }
};

/// What fontconfig knows of the fonts, best first.
class InstalledFonts;

/// The font files that are installed.
struct FontFiles {
  FontFile sans;       ///< Inter Regular, else DejaVu Sans, else the font that fits best
  FontFile sans_bold;  ///< Inter SemiBold, else DejaVu Sans Bold, else `sans`
  FontFile mono;       ///< JetBrains Mono Regular, else DejaVu Sans Mono, else `sans`
  std::shared_ptr<const InstalledFonts> installed;

  const FontFile& file(Font font) const;
  /// The file that has a letter which those lack, the same for every call: DejaVu Sans where that has it,
  /// then Noto Sans CJK, other Noto Sans, other fonts; upright and regular ones first. Nothing where no font
  /// has it.
  std::optional<FontFile> fallback(char32_t letter) const;
};

/// Asks fontconfig for the system's fonts and the person's own. An error that names the packages to install
/// where there is no font at all.
Result<FontFiles> find_font_files();

/// The same in the given folders only (searched with their subfolders).
Result<FontFiles> find_font_files(const std::vector<std::filesystem::path>& folders);

}  // namespace headscope
