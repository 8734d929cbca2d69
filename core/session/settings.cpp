#include "core/session/settings.h"

#include <cmath>

#include "core/overloaded.h"
#include "core/session/repair.h"

namespace headscope {

int last_token(const Session& session) {
  return axis_size(session, session.selection.at(StageKind::weights), Axis::query_tokens) - 1;
}

double above_fixed_low(const Session& session) {
  return std::nextafter(session.picture.fixed_low, std::numeric_limits<double>::infinity());
}

bool same_setting(const Setting& setting, const Session& a, const Session& b) {
  const Overloaded agree{
      [&](const field::Choice& choice) { return choice.read(a) == choice.read(b); },
      [&](const field::Notation& notation) { return notation.read(a) == notation.read(b); },
      [&](const field::MaskFiles& files) {
        const auto equal = [](const auto& left, const auto& right) {
          return left == right || *left == *right;
        };
        return std::ranges::equal(files.value.read(a), files.value.read(b), equal);
      },
      [&](const auto& field) { return field.value.read(a) == field.value.read(b); },
  };
  return std::visit(agree, setting.field);
}

std::vector<std::string_view> differing_settings(const Session& a, const Session& b) {
  std::vector<std::string_view> names;
  for (const Setting& setting : all_settings) {
    if (same_setting(setting, a, b)) continue;
    if (std::ranges::find(names, setting.name) == names.end()) names.push_back(setting.name);
  }
  return names;
}

std::string_view changed_option(const Session& before, const Session& after) {
  for (const Setting& setting : all_settings) {
    if (!same_setting(setting, before, after)) return setting.option.empty() ? setting.key : setting.option;
  }
  return {};
}

const SharedOption* shared_option(const Setting& setting) {
  const auto* const found = std::ranges::find(shared_options, setting.option, &SharedOption::option);
  return found == shared_options.end() ? nullptr : found;
}

}  // namespace headscope
