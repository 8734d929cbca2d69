#include "core/paint/metadata.h"

#include <algorithm>

#include "core/text/visible.h"

namespace headscope {

bool is_scene(const Metadata& entry) {
  if (!entry.key.starts_with(scene_key)) return false;
  const std::string number = entry.key.substr(std::string_view(scene_key).size());
  return number.find_first_not_of(" 0123456789") == std::string::npos;
}

std::string as_lines(const std::vector<Metadata>& metadata) {
  std::string text;
  for (const Metadata& entry : metadata) {
    if (is_scene(entry)) continue;
    text += (text.empty() ? "" : "\n") + entry.key + ": " + visible_controls(entry.text);
  }
  return text;
}

const Metadata* entry_of(const std::vector<Metadata>& metadata, std::string_view key) {
  const auto entry = std::ranges::find(metadata, key, &Metadata::key);
  return entry == metadata.end() ? nullptr : &*entry;
}

}  // namespace headscope
