#include "core/session/setting_change.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

#include "core/model/trained_model.h"
#include "core/overloaded.h"
#include "core/session/settings.h"
#include "core/text/number_text.h"
#include "core/to_float.h"

namespace headscope {
namespace {

constexpr double greatest_exact = 9007199254740992.0;  // 2^53.

tl::unexpected<Error> not_within(const Setting& setting, double low, double high) {
  constexpr int digits = 6;
  return usage_error(std::string(setting.name) + " must be from " + number_text(low, digits) + " to " +
                     number_text(high, digits));
}

tl::unexpected<Error> no_value(const Setting& setting) {
  return usage_error("this is not a valid value for " + std::string(setting.name));
}

/// Sets a field to its value if the value is valid and within the limits.
class Writer {
 public:
  Writer(const Setting& setting, const SettingInput& value, Session& session)
      : setting_(setting), value_(value), session_(session) {}

  Result<void> operator()(const field::Whole& f) const {
    const auto number = whole(f.low, f.last == nullptr ? f.high : f.last(session_));
    if (!number) return tl::unexpected(number.error());
    f.value.write(session_) = static_cast<int>(*number);
    return {};
  }
  Result<void> operator()(const field::OptionalWhole& f) const {
    if (std::holds_alternative<std::monostate>(value_)) {
      f.value.write(session_).reset();
      return {};
    }
    const auto number = whole(f.low, f.last == nullptr ? f.high : f.last(session_));
    if (!number) return tl::unexpected(number.error());
    f.value.write(session_) = static_cast<int>(*number);
    return {};
  }
  Result<void> operator()(const field::Seed& f) const {
    const auto number = whole(0.0, greatest_exact);
    if (!number) return tl::unexpected(number.error());
    f.value.write(session_) = static_cast<std::uint64_t>(*number);
    return {};
  }
  Result<void> operator()(const field::Decimal& f) const {
    const auto number = within(static_cast<double>(f.low), static_cast<double>(f.high));
    if (!number) return tl::unexpected(number.error());
    f.value.write(session_) = to_float(*number);
    return {};
  }
  Result<void> operator()(const field::Bound& f) const {
    const auto number = within(f.lowest(session_), f.high);
    if (!number) return tl::unexpected(number.error());
    f.value.write(session_) = *number;
    return {};
  }
  Result<void> operator()(const field::HiddenValue& f) const {
    const auto* number = std::get_if<double>(&value_);
    if (number == nullptr || std::isnan(*number)) return no_value(setting_);
    f.value.write(session_) = to_float(*number);
    return {};
  }
  Result<void> operator()(const field::Flag& f) const { return flag(f.value); }
  Result<void> operator()(const field::NamedFlag& f) const { return flag(f.value); }
  Result<void> operator()(const field::Choice& f) const {
    const auto* name = std::get_if<std::string>(&value_);
    const auto found = name == nullptr ? f.names.end() : std::ranges::find(f.names, *name);
    if (found == f.names.end()) return no_value(setting_);
    f.write(session_, static_cast<std::size_t>(found - f.names.begin()));
    return {};
  }
  Result<void> operator()(const field::Text& f) const {
    const auto* text = std::get_if<std::string>(&value_);
    if (text == nullptr) return no_value(setting_);
    f.value.write(session_) = *text;
    return {};
  }
  Result<void> operator()(const field::Notation& f) const {
    const auto* text = std::get_if<std::string>(&value_);
    return text == nullptr ? no_value(setting_) : f.write(session_, *text);
  }
  Result<void> operator()(const field::Tokens& f) const { return emptied(f.value); }
  Result<void> operator()(const field::Cells& f) const { return emptied(f.value); }
  /// Batches, files, heads and weights have their own actions.
  template <class Other>
  Result<void> operator()(const Other&) const {
    return no_value(setting_);
  }

 private:
  Result<void> flag(const Place<bool>& place) const {
    const auto* on = std::get_if<bool>(&value_);
    if (on == nullptr) return no_value(setting_);
    place.write(session_) = *on;
    return {};
  }
  template <class List>
  Result<void> emptied(const Place<List>& place) const {
    if (!std::holds_alternative<std::monostate>(value_)) return no_value(setting_);
    place.write(session_).clear();
    return {};
  }
  Result<double> within(double low, double high) const {
    const auto* number = std::get_if<double>(&value_);
    if (number == nullptr) return no_value(setting_);
    // Limits have the type that stores the number, so 0.1 must count as within a limit of 0.1F.
    constexpr double rounding = 1e-6;
    if (*number < low - std::abs(low) * rounding || *number > high + std::abs(high) * rounding ||
        std::isnan(*number))
      return not_within(setting_, low, high);
    return std::clamp(*number, low, high);
  }
  Result<double> whole(double low, double high) const {
    auto number = within(low, high);
    if (number && !is_whole(*number)) return no_value(setting_);
    return number;
  }

  const Setting& setting_;
  const SettingInput& value_;
  Session& session_;
};

/// The value of a field as a change gives it. Nothing for what no single value says.
std::optional<SettingInput> present_value(const Field& field, const Session& session) {
  const auto optional = [](const auto& value) {
    return value ? SettingInput(static_cast<double>(*value)) : SettingInput();
  };
  using Value = std::optional<SettingInput>;
  const Overloaded kinds{
      [&](const field::Whole& f) -> Value { return static_cast<double>(f.value.read(session)); },
      [&](const field::OptionalWhole& f) -> Value { return optional(f.value.read(session)); },
      [&](const field::Seed& f) -> Value { return static_cast<double>(f.value.read(session)); },
      [&](const field::Decimal& f) -> Value { return static_cast<double>(f.value.read(session)); },
      [&](const field::Bound& f) -> Value { return f.value.read(session); },
      [&](const field::HiddenValue& f) -> Value { return static_cast<double>(f.value.read(session)); },
      [&](const field::Flag& f) -> Value { return f.value.read(session); },
      [&](const field::NamedFlag& f) -> Value { return f.value.read(session); },
      [&](const field::Choice& f) -> Value { return std::string(f.names[f.read(session)]); },
      [&](const field::Text& f) -> Value { return f.value.read(session); },
      [&](const field::Notation& f) -> Value { return f.read(session); },
      [](const auto&) -> Value { return std::nullopt; },
  };
  return std::visit(kinds, field);
}

std::string fixed_by(const TrainedModel& model) {
  return "the weights of " + model.name + " fix this: choose Untrained to set sizes of your own";
}

/// Adjusts the settings that depend on all changes together.
Result<Session> settled(const Session& before, Session after) {
  settle_stacks(after, before.architecture.stacks);
  const bool is_changed = !(after.architecture == before.architecture);
  if (is_changed && before.model && before.model->is_foreign()) return usage_error(fixed_by(*before.model));
  if (is_changed && validate(before.architecture)) {
    if (auto holds = validate(after.architecture); !holds) return tl::unexpected(holds.error());
  }
  return after;
}

}  // namespace

bool is_whole(double number) {
  return std::floor(number) == number && std::abs(number) <= greatest_exact;
}

const Setting* find_setting(std::string_view key) {
  const auto* const found = std::ranges::find(all_settings, key, &Setting::key);
  return found == all_settings.end() ? nullptr : found;
}

Result<Session> with_changes(const Session& session, std::span<const SettingChange> changes) {
  Session after = session;
  for (const SettingChange& change : changes) {
    const Setting* const setting = find_setting(change.key);
    if (setting == nullptr)
      return usage_error("there is no setting “" + std::string(change.key) + "” to change");
    if (is_fixed_by_capture(session, *setting))
      return usage_error("a capture fixes this: its numbers were computed by another program");
    const auto written = std::visit(Writer(*setting, change.value, after), setting->field);
    if (!written) return tl::unexpected(written.error());
    if (setting->settles != nullptr) setting->settles(after);
  }
  return settled(session, std::move(after));
}

std::vector<SettingChange> changes_between(const Session& before, const Session& after) {
  std::vector<SettingChange> changes;
  for (const Setting& setting : all_settings) {
    if (same_setting(setting, before, after)) continue;
    if (auto value = present_value(setting.field, after)) changes.push_back({setting.key, std::move(*value)});
  }
  return changes;
}

bool is_fixed_by_capture(const Session& session, const Setting& setting) {
  if (!session.model || !session.model->is_capture()) return false;
  const bool is_of_attention = setting.key.starts_with("attention.");
  return setting.key.starts_with("architecture.") ||
         (is_of_attention && session.architecture.reads_weights());
}

std::string fixed_by_weights(const Session& session, const Setting& setting) {
  const bool is_fixed =
      session.model && session.model->is_foreign() && setting.key.starts_with("architecture.");
  return is_fixed ? fixed_by(*session.model) : "";
}

bool can_be(const Session& session, const Setting& setting, int number) {
  const SettingChange change{setting.key, static_cast<double>(number)};
  const auto changed = with_changes(session, std::span(&change, 1));
  return changed && validate(changed->architecture);
}

std::vector<int> nearest_possible(const Session& session, const Setting& setting, int number, int low,
                                  int high) {
  std::vector<int> nearest;
  // Multiples of the number of heads are no further apart.
  constexpr int furthest = ArchitectureLimits::max_heads;
  for (const int step : {-1, 1}) {
    for (int by = 1; by <= furthest; ++by) {
      const int candidate = number + step * by;
      if (candidate < low || candidate > high) continue;
      if (!can_be(session, setting, candidate)) continue;
      nearest.push_back(candidate);
      break;
    }
  }
  return nearest;
}

void settle_stacks(Session& session, Stacks before) {
  const Stacks now = session.architecture.stacks;
  if (now == before) return;
  if (now == Stacks::decoder) session.attention.mask.causal = true;
  if (before == Stacks::decoder) session.attention.mask.causal = false;
}

const Setting& of_selected_mask(const Session& session, const Setting& setting) {
  const auto is_in = [&](const auto& table) {
    return std::ranges::find(table, setting.key, &Setting::key) != table.end();
  };
  if (!is_in(self_mask_settings) && !is_in(self_document_settings)) return setting;
  constexpr std::string_view group = "attention.";
  const MaskSpec& mask = selected_mask(session, session.attention);
  const bool is_cross = &mask == &session.attention.cross_mask;
  if (!is_cross && &mask != &session.attention.target_mask) return setting;
  const std::string key = std::string(group) + (is_cross ? "cross_mask." : "target_mask.") +
                          std::string(setting.key.substr(group.size()));
  const Setting* const found = find_setting(key);
  return found == nullptr ? setting : *found;
}

}  // namespace headscope
