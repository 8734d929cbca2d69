#include "core/palette/setting_values.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <variant>

#include "core/overloaded.h"
#include "core/session/setting_value.h"
#include "core/session/settings.h"
#include "core/text/number_text.h"

namespace headscope {
namespace {

constexpr int digits = 6;

/// A value with the action that gives it to the setting.
SettingValue value_that(const Setting& setting, std::string text, const SettingInput& input,
                        const Session& session) {
  const SettingChange change{setting.key, input};
  const auto changed = with_changes(session, std::span(&change, 1));
  if (!changed) return {std::move(text), std::nullopt, changed.error().message};
  if (same_setting(setting, session, *changed)) return {std::move(text), std::nullopt};
  return {std::move(text), ChangeSettings{{change}}};
}

}  // namespace

std::string title_of(const Setting& setting) {
  constexpr std::string_view article = "the ";
  std::string_view name = setting.name;
  if (name.starts_with(article)) name.remove_prefix(article.size());
  std::string title(name);
  const auto* const first = std::ranges::find(all_settings, setting.name, &Setting::name);
  if (first == all_settings.end() || first->key == setting.key || setting.option.empty()) return title;
  std::string option(setting.option.substr(std::min<std::size_t>(2, setting.option.size())));
  std::ranges::replace(option, '-', ' ');
  return title + " (" + option + ")";
}

std::string shown_value(const Setting& setting, const Session& session) {
  const nlohmann::json value = value_of(setting, session);
  return value.is_number_float() ? number_text(value.get<double>(), digits) : value_text(setting, session);
}

std::vector<SettingValue> values_of(const Setting& setting, const Session& session) {
  std::vector<SettingValue> values;
  const auto add = [&](std::string_view text, const SettingInput& input) {
    values.push_back(value_that(setting, std::string(text), input, session));
  };
  const Overloaded kinds{
      [&](const field::Flag&) {
        add("on", true);
        add("off", false);
      },
      [&](const field::NamedFlag& flag) {
        add(flag.on, true);
        add(flag.off, false);
      },
      [&](const field::Choice& choice) {
        for (const std::string_view name : choice.names) add(name, std::string(name));
      },
      [](const auto&) {},
  };
  std::visit(kinds, setting.field);
  // How texts are read depends on the model: a value that only another one can have changes nothing, and is
  // not offered. That does not depend on the texts, and reading a long one takes time.
  if (setting.group != input_group) return values;
  Session without_texts = session;
  without_texts.sentence.clear();
  without_texts.target.clear();
  without_texts.batch.clear();
  without_texts.compared.clear();
  without_texts = reduce(without_texts, OpenSession{without_texts});
  std::erase_if(values, [&](const SettingValue& value) {
    return value.action && reduce(without_texts, *value.action) == without_texts;
  });
  return values;
}

bool accepts_number(const Setting& setting) {
  const Overloaded kinds{
      [](const field::Integer&) { return true; }, [](const field::OptionalInteger&) { return true; },
      [](const field::Seed&) { return true; },    [](const field::Real&) { return true; },
      [](const field::Bound&) { return true; },   [](const auto&) { return false; },
  };
  return std::visit(kinds, setting.field);
}

std::optional<SettingValue> value_of(const Setting& setting, double number, const Session& session) {
  Session given = session;
  const nlohmann::json value =
      is_whole(number) ? nlohmann::json(static_cast<std::int64_t>(number)) : nlohmann::json(number);
  if (!accepts_number(setting) || assign_value(setting, value, given)) return std::nullopt;
  return value_that(setting, value.is_number_integer() ? value.dump() : number_text(number, digits), number,
                    session);
}

}  // namespace headscope
