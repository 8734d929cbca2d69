#include "core/session/setting_change.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

#include "core/model/trained_model.h"
#include "core/overloaded.h"
#include "core/session/setting_value.h"
#include "core/session/settings.h"

namespace headscope {
namespace {

constexpr double max_exact = 9007199254740992.0;  // 2^53.

/// Converts the value of a change to JSON.
nlohmann::json json_of(const SettingInput& input) {
  const Overloaded kinds{
      [](std::monostate) { return nlohmann::json(); },
      [](double number) {
        if (is_whole(number)) return nlohmann::json(static_cast<std::int64_t>(number));
        return number < 0.0 && std::isinf(number) ? nlohmann::json("inf") : nlohmann::json(number);
      },
      [](const auto& value) { return nlohmann::json(value); },
  };
  return std::visit(kinds, input);
}

/// The value of a setting for a change. Nothing for lists, matrices and weights, and for settings that only
/// select.
std::optional<SettingInput> present_value(const Setting& setting, const Session& session) {
  const Field& field = setting.field;
  if (std::holds_alternative<field::Stage>(field) || std::holds_alternative<field::Weights>(field)) return {};
  const nlohmann::json value = value_of(setting, session);
  if (value.is_boolean()) return value.get<bool>();
  if (value.is_number()) return value.get<double>();
  if (value.is_string()) return value.get<std::string>();
  return std::holds_alternative<field::OptionalInteger>(field) ? std::optional(SettingInput()) : std::nullopt;
}

std::string fixed_by(const TrainedModel& model) {
  return "the weights of " + model.title() + " fix this: choose Untrained to set sizes of your own";
}

/// Reconciles the settings that depend on all changes together.
Result<Session> settled(const Session& before, Session after) {
  reconcile_stacks(after, before.architecture.stacks);
  const bool is_changed = !(after.architecture == before.architecture);
  if (is_changed && before.model && before.model->is_foreign()) return usage_error(fixed_by(*before.model));
  if (is_changed && validate(before.architecture)) {
    if (auto holds = validate(after.architecture); !holds) return tl::unexpected(holds.error());
  }
  return after;
}

}  // namespace

bool is_whole(double number) {
  return std::floor(number) == number && std::abs(number) <= max_exact;
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
    if (const auto refused = assign_value(*setting, json_of(change.value), after))
      return usage_error(std::string(setting->name) + " must be " + refused->expected);
    if (setting->reconcile != nullptr) setting->reconcile(after);
  }
  return settled(session, std::move(after));
}

std::vector<SettingChange> changes_between(const Session& before, const Session& after) {
  std::vector<SettingChange> changes;
  for (const Setting& setting : all_settings) {
    if (same_setting(setting, before, after)) continue;
    if (auto value = present_value(setting, after)) changes.push_back({setting.key, std::move(*value)});
  }
  return changes;
}

bool is_fixed_by_capture(const Session& session, const Setting& setting) {
  if (!session.model || !session.model->is_capture()) return false;
  const bool is_of_attention = setting.key.starts_with("attention.");
  return setting.key.starts_with("architecture.") ||
         (is_of_attention && session.architecture.has_captured_weights());
}

std::string why_fixed_by_weights(const Session& session, const Setting& setting) {
  const bool is_fixed =
      session.model && session.model->is_foreign() && setting.key.starts_with("architecture.");
  return is_fixed ? fixed_by(*session.model) : "";
}

bool is_possible_value(const Session& session, const Setting& setting, int number) {
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
      if (!is_possible_value(session, setting, candidate)) continue;
      nearest.push_back(candidate);
      break;
    }
  }
  return nearest;
}

void reconcile_stacks(Session& session, Stacks before) {
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
