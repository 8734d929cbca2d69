#include "core/palette/setting_values.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <variant>

#include "core/overloaded.h"
#include "core/session/settings.h"
#include "core/text/number_text.h"

namespace headscope {
namespace {

constexpr int digits = 6;

std::string on_or_off(bool on) {
  return on ? "on" : "off";
}

/// A value with the action that gives it to the setting.
SettingValue value_that(const Setting& setting, std::string text, const SettingInput& input,
                        const Session& session) {
  const SettingChange change{setting.key, input};
  const auto changed = with_changes(session, std::span(&change, 1));
  if (!changed) return {std::move(text), std::nullopt, changed.error().message};
  if (same_setting(setting, session, *changed)) return {std::move(text), std::nullopt};
  return {std::move(text), ChangeSettings{{change}}};
}

bool is_within(double number, double low, double high) {
  return number >= low && number <= high;
}

/// The upper limit of a whole number, which may be optional.
template <class Whole>
double highest(const Whole& field, const Session& session) {
  return field.last == nullptr ? field.high : field.last(session);
}

/// Whether a number is a valid value of a field.
bool takes(const Field& field, double number, const Session& session) {
  const auto is_index = [&](const auto& whole) {
    return is_whole(number) && is_within(number, whole.low, highest(whole, session));
  };
  const Overloaded kinds{
      [&](const field::Whole& whole) { return is_index(whole); },
      [&](const field::OptionalWhole& whole) { return is_index(whole); },
      [&](const field::Seed&) { return is_whole(number) && number >= 0.0; },
      [&](const field::Decimal& decimal) {
        return is_within(number, static_cast<double>(decimal.low), static_cast<double>(decimal.high));
      },
      [&](const field::Bound& bound) { return bound.takes(number, session); },
      [](const auto&) { return false; },
  };
  return std::visit(kinds, field);
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

std::string value_text(const Setting& setting, const Session& session) {
  const Overloaded kinds{
      [&](const field::Whole& whole) { return std::to_string(whole.value.read(session)); },
      [&](const field::OptionalWhole& whole) {
        const auto value = whole.value.read(session);
        if (value) return std::to_string(*value);
        return whole.none.empty() ? std::string("none") : std::string(whole.none);
      },
      [&](const field::Seed& seed) { return std::to_string(seed.value.read(session)); },
      [&](const field::Decimal& decimal) {
        return number_text(static_cast<double>(decimal.value.read(session)), digits);
      },
      [&](const field::Bound& bound) { return number_text(bound.value.read(session), digits); },
      [&](const field::Flag& flag) { return on_or_off(flag.value.read(session)); },
      [&](const field::NamedFlag& flag) {
        return std::string(flag.value.read(session) ? flag.on : flag.off);
      },
      [&](const field::Choice& choice) { return std::string(choice.names[choice.read(session)]); },
      [](const auto&) { return std::string(); },
  };
  return std::visit(kinds, setting.field);
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
  without_texts.held.clear();
  without_texts = reduce(without_texts, OpenSession{without_texts});
  std::erase_if(values, [&](const SettingValue& value) {
    return value.action && reduce(without_texts, *value.action) == without_texts;
  });
  return values;
}

bool takes_number(const Setting& setting) {
  const Overloaded kinds{
      [](const field::Whole&) { return true; }, [](const field::OptionalWhole&) { return true; },
      [](const field::Seed&) { return true; },  [](const field::Decimal&) { return true; },
      [](const field::Bound&) { return true; }, [](const auto&) { return false; },
  };
  return std::visit(kinds, setting.field);
}

std::optional<SettingValue> value_of(const Setting& setting, double number, const Session& session) {
  if (!takes(setting.field, number, session)) return std::nullopt;
  const std::string text =
      is_whole(number) ? std::to_string(static_cast<std::int64_t>(number)) : number_text(number, digits);
  return value_that(setting, text, number, session);
}

}  // namespace headscope
