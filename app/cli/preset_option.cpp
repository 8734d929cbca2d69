#include "app/cli/preset_option.h"

#include <vector>

#include "app/cli/near_matches.h"
#include "app/cli/option_values.h"
#include "core/session/action.h"
#include "core/session/presets.h"

namespace headscope {
namespace {

std::string lower(std::string text) {
  for (char& c : text) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return text;
}

std::string list_of(const std::vector<Preset>& presets) {
  std::string text;
  for (const Preset& preset : presets) {
    text += "\n  " + preset.name + (preset.short_name.empty() ? "" : ", or " + preset.short_name) +
            (preset.document.empty() ? "" : " (“" + preset.document + "”)");
  }
  return text;
}

}  // namespace

Result<Session> preset_session(const std::string& name) {
  const auto all = presets();
  std::vector<Preset> begun;
  for (const Preset& preset : all) {
    if (preset.name == name || (!name.empty() && preset.short_name == name)) return preset.session;
    const bool begins =
        lower(preset.name).starts_with(lower(name)) || lower(preset.document).starts_with(lower(name));
    if (!name.empty() && begins) begun.push_back(preset);
  }
  if (begun.size() == 1) return begun.front().session;
  if (begun.empty()) {
    std::vector<std::string> names;
    for (const Preset& preset : all) {
      names.push_back(preset.name);
      if (!preset.short_name.empty()) names.push_back(preset.short_name);
    }
    return wrong_value("--preset", name, choose_among(name, names) + "one of:" + list_of(all));
  }
  return wrong_value("--preset", name, "several begin like this; choose one of" + list_of(begun));
}

}  // namespace headscope
