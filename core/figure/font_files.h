#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "core/figure/figure.h"
#include "core/result.h"

namespace headscope {

/// The font files that are installed.
struct FontFiles {
  std::filesystem::path sans;       ///< Inter Regular, else DejaVu Sans
  std::filesystem::path sans_bold;  ///< Inter SemiBold, else DejaVu Sans Bold, else `sans`
  std::filesystem::path mono;       ///< JetBrains Mono Regular, else DejaVu Sans Mono, else `sans`
  /// For letters that those lack, tried in this order: DejaVu Sans, Noto Sans CJK; those that exist.
  std::vector<std::filesystem::path> fallbacks;

  const std::filesystem::path& file(Font font) const;
};

/// Looks in the usual folders of Debian and Ubuntu and in ~/.local/share/fonts. An error that names the
/// packages to install where there is no font at all.
Result<FontFiles> find_font_files();

/// The same in the given folders only (searched with their subfolders).
Result<FontFiles> find_font_files(const std::vector<std::filesystem::path>& folders);

}  // namespace headscope
