#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "core/text/visible.h"

namespace headscope {

/// An entry of a file's metadata, such as {"Software", "headscope"}.
struct Metadata {
  std::string key;   ///< 1 to 79 ASCII characters.
  std::string text;  ///< UTF-8. Files contain it as converted by visible_controls().
};

/// The key for the title of a document, which a PDF file stores as its own.
inline constexpr const char* title_key = "Title";
/// The key for a figure's scene: JSON in ASCII. An SVG file has it in its <metadata>, a PDF file as an
/// attachment. Scenes of further pages add their number: "Scene 2".
inline constexpr const char* scene_key = "Scene";
/// The key for the reason why a figure contains no scene.
inline constexpr const char* scene_omitted_key = "Scene left out";
/// The name of the scene attached to a PDF file.
inline constexpr const char* scene_attachment = "figure.headscope";
/// The maximum size in bytes of a scene that is read from a picture.
inline constexpr std::size_t max_embedded_scene_bytes = std::size_t{16} << 20U;
/// The maximum size in bytes of a text that is read from a picture.
inline constexpr std::size_t max_embedded_text_bytes = max_embedded_scene_bytes + 1024;

/// The key for what a figure shows beyond its scene.
inline constexpr const char* beyond_scene_key = "Beyond the scene";
/// The key for the command that made a figure, in files of versions whose scenes did not hold its size.
inline constexpr const char* command_key = "Command";

/// Whether an entry is the scene of a page.
inline bool is_scene(const Metadata& entry) {
  if (!entry.key.starts_with(scene_key)) return false;
  const std::string number = entry.key.substr(std::string_view(scene_key).size());
  return number.find_first_not_of(" 0123456789") == std::string::npos;
}

/// The first entry with this key. Null if there is none.
inline const Metadata* entry_of(const std::vector<Metadata>& metadata, std::string_view key) {
  const auto entry = std::ranges::find(metadata, key, &Metadata::key);
  return entry == metadata.end() ? nullptr : &*entry;
}

/// The metadata without scenes, one line per entry. Characters that XML or PDF texts do not allow become
/// U+FFFD.
inline std::string as_lines(const std::vector<Metadata>& metadata) {
  std::string text;
  for (const Metadata& entry : metadata) {
    if (is_scene(entry)) continue;
    text += (text.empty() ? "" : "\n") + entry.key + ": " + visible_controls(entry.text);
  }
  return text;
}

}  // namespace headscope
