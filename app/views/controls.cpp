#include "app/widgets/controls.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/imgui/keys.h"
#include "app/parts/model_controls.h"
#include "app/parts/page_part.h"
#include "app/parts/setting_control.h"
#include "app/parts/setting_groups.h"
#include "app/ui/ui.h"
#include "app/views/views.h"
#include "app/widgets/panel.h"
#include "app/widgets/text.h"
#include "app/widgets/text_input.h"
#include "core/page/page_record.h"
#include "core/palette/match.h"
#include "core/session/presets.h"
#include "core/session/setting_change.h"
#include "core/session/settings.h"

namespace headscope {
namespace {

/// A field over the full width whose text filters other content. Escape empties it and leaves it. While it
/// contains text, a button at its end does the same. Returns true if the text changed.
bool find_field(Ui& ui, const char* id, std::string& text, const char* hint, const char* tooltip) {
  constexpr std::size_t max_bytes = 200;
  const float height = ui.px(28);
  const bool has_text = !text.empty();
  const float end = has_text ? ui.px(32) : 0.0F;
  ImGui::SetNextItemWidth(ImGui::GetContentRegionAvail().x - end);
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, ImVec2(ui.px(10), (height - ImGui::GetFontSize()) / 2.0F));
  bool changed = text_input(ui, id, text, {.hint = hint, .max_bytes = max_bytes});
  ImGui::PopStyleVar();
  const bool is_left = ImGui::IsItemDeactivated() && ImGui::IsKeyPressed(native_key(Key::escape), false);
  tooltip_for_item(ui, tooltip);
  bool empties = is_left;
  if (has_text) {
    ImGui::SameLine(0.0F, ui.px(4));
    empties = button(ui, "×", "Clear the field (Esc)", "", ButtonStyle::quiet, ui.px(28)) || empties;
  }
  if (empties && !text.empty()) {
    text.clear();
    changed = true;
    ui.wake_in(0.0);
  }
  return changed;
}

using Items = std::span<const PanelItem>;

/// The switch of the causal mask. A link beside its label compares what is shown with and without the mask.
void causal_mask(Frame& frame) {
  const Setting& causal = of_selected_mask(frame.session, setting("attention.causal"));
  const ImVec2 start = ImGui::GetCursorPos();
  const float label =
      frame.ui.measure()(std::string(causal.control.label), Font::sans, text_size::body).width;
  constexpr float gap = 12.0F;
  // Draw this first, so that it gets the mouse before the switch, which is as wide as the panel.
  ImGui::SetCursorPos({start.x + frame.ui.px(label + gap), start.y + frame.ui.px(3.0F)});
  const bool is_on = selected_mask(frame.session, frame.session.attention).causal;
  if (link(frame.ui, "side by side", "Shows the map with and without the causal mask, side by side",
           text_size::small, ButtonStyle::quiet)) {
    Session without = frame.session;
    selected_mask(without, without.attention).causal = false;
    frame.emit(SetCompared{without.subject()});
    if (!is_on) change_setting(frame, causal, true);
    frame.emit(SetView{PageName::compare});
  }
  ImGui::SetCursorPos(start);
  setting_control(frame, "attention.causal");
}

/// The settings that most people change. They are always visible.
constexpr std::array first_settings{
    PanelItem{nullptr, model_controls, "model starting point"},
    item("architecture.d_model"),
    item("architecture.heads"),
    item("architecture.layers"),
    item("attention.temperature"),
    item("attention.causal", causal_mask, "Causal mask side by side compare"),
};

/// Whether a control matches a search by its label, its setting's name or its sentence.
bool matches_search(const PanelItem& item, const std::string& search) {
  if (search.empty()) return true;
  if (item.setting == nullptr && item.name.empty()) return false;
  std::string keywords(item.name);
  std::string_view label = item.name;
  if (item.setting != nullptr) {
    label = item.setting->control.label.empty() ? item.setting->name : item.setting->control.label;
    for (const std::string_view words :
         {item.setting->name, item.setting->key, std::string_view(item.setting->sentence)})
      keywords.append(" ").append(words);
  }
  return match(search, label, keywords).has_value();
}

/// Whether an item is a part of the panel for this session.
bool is_in_panel(const Session& session, const PanelItem& item) {
  return item.setting == nullptr || !is_fixed_by_capture(session, *item.setting);
}

/// Whether all settings of a group are fixed, so that nothing is left to choose in it.
bool is_fixed(const Session& session, Items items) {
  const auto has_setting = [](const PanelItem& each) { return each.setting != nullptr; };
  return std::ranges::any_of(items, has_setting) && std::ranges::none_of(items, [&](const PanelItem& each) {
           return has_setting(each) && is_in_panel(session, each);
         });
}

bool any_matches(const Session& session, Items items, const std::string& search) {
  return std::ranges::any_of(items, [&](const PanelItem& each) {
    return is_in_panel(session, each) && matches_search(each, search);
  });
}

/// Replaces a control that the search found but that has no meaning with the current settings.
void missing_control(Frame& frame, const Setting& setting) {
  paragraph(frame.ui,
            std::string(setting.control.label) + ": has no effect with the other settings as they are",
            frame.ui.theme().quiet, text_size::control);
}

void draw(Frame& frame, Items items) {
  const std::string& search = frame.screen.settings.search;
  for (const PanelItem& each : items) {
    if (!is_in_panel(frame.session, each) || !matches_search(each, search)) continue;
    const LessonStep* const step =
        frame.lesson == nullptr || each.setting == nullptr ? nullptr : &frame.lesson->walk.at();
    if (step != nullptr && step->hides(*each.setting)) continue;
    const Setting* const own =
        each.draw == nullptr ? &of_selected_mask(frame.session, *each.setting) : nullptr;
    const auto applies = own == nullptr ? nullptr : own->control.applies;
    if (applies != nullptr && !applies(frame.session)) {
      if (!search.empty()) missing_control(frame, *own);
      continue;
    }
    ImGui::BeginDisabled(step != nullptr && step->locks(*each.setting));
    own == nullptr ? each.draw(frame) : setting_control(frame, *own);
    ImGui::EndDisabled();
  }
}

/// Unfolds the group of the control that the palette reveals.
void unfold_revealed_group(Frame& frame) {
  SettingsPanel& panel = frame.screen.settings;
  const auto is_revealed = [&](const PanelItem& each) {
    return each.setting != nullptr && frame.ui.is_revealing(each.setting->sentence);
  };
  for (const SettingGroup& group : setting_groups()) {
    if (!std::ranges::any_of(group.items, is_revealed)) continue;
    panel.open.insert(group.name);
    panel.search.clear();
  }
  if (std::ranges::any_of(first_settings, is_revealed)) panel.search.clear();
}

/// Returns the names of the settings that differ from what the model or the starting point began with.
std::vector<std::string_view> changed_settings(const Frame& frame) {
  const std::optional<Subject>& defaults = frame.screen.settings.defaults;
  if (!defaults) return {};
  const Subject at_first = with_defaults(frame.session.subject(), *defaults);
  return differing_settings(with_subject(frame.session, at_first), frame.session);
}

void draw_group(Frame& frame, const SettingGroup& group, std::span<const std::string_view> changed) {
  SettingsPanel& panel = frame.screen.settings;
  const bool searches = !panel.search.empty();
  if (!searches && group.belongs != nullptr && !group.belongs(frame.session)) return;
  if (is_fixed(frame.session, group.items) || !any_matches(frame.session, group.items, panel.search)) return;
  const bool is_open = searches || panel.open.contains(group.name);
  ImGui::PushID(group.name);
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(frame.ui.px(8.0F), 0.0F));
  const bool is_changed = std::ranges::any_of(group.items, [&](const PanelItem& each) {
    return each.setting != nullptr && std::ranges::find(changed, each.setting->name) != changed.end();
  });
  const bool clicked = group_header(frame.ui, group.name, group.words(frame.session), is_open, is_changed);
  ImGui::PopStyleVar();
  if (is_open) {
    ImGui::Dummy({0.0F, 0.0F});
    draw(frame, group.items);
  }
  ImGui::PopID();
  if (!clicked || searches) return;
  if (is_open) {
    panel.open.erase(group.name);
  } else {
    panel.open.insert(group.name);
  }
  frame.ui.wake_in(0.0);
}

void all_settings_of_panel(Frame& frame) {
  const std::string& search = frame.screen.settings.search;
  const bool has_first = any_matches(frame.session, first_settings, search);
  draw(frame, first_settings);
  if (has_first) {
    divider(frame.ui);
    // The headings of the groups already have room above their words.
    ImGui::SetCursorPosY(ImGui::GetCursorPosY() - frame.ui.px(8.0F));
  }
  const std::vector<std::string_view> changed = changed_settings(frame);
  for (const SettingGroup& group : setting_groups()) draw_group(frame, group, changed);
  const bool has_any = has_first || std::ranges::any_of(setting_groups(), [&](const SettingGroup& group) {
                         return any_matches(frame.session, group.items, search);
                       });
  if (!has_any)
    paragraph(frame.ui, "No setting matches: try fewer letters, or another word.", frame.ui.theme().quiet,
              text_size::control);
}

}  // namespace

std::size_t n_changed_settings(Frame& frame) {
  remember_defaults(frame);
  page_inputs(frame);
  // Cached, because comparing sessions copies their texts.
  auto& [version, n] = frame.screen.own.of<std::pair<std::uint64_t, std::size_t>>("changed settings");
  if (version != frame.screen.page_version) n = changed_settings(frame).size();
  version = frame.screen.page_version;
  return n;
}

void controls_view(Frame& frame) {
  const Ui& ui = frame.ui;
  unfold_revealed_group(frame);
  // The field, the button and the gaps above them. Each is rounded to pixels, as it is drawn.
  const float below = ui.px(28.0F) + ui.px(20.0F) + 2.0F * ImGui::GetStyle().ItemSpacing.y;
  constexpr float min_room = 160.0F;
  const ImVec2 room = ImGui::GetContentRegionAvail();
  const float height = room.y - below;
  const auto find = [&] {
    find_field(frame.ui, "##find a setting", frame.screen.settings.search, "Find a setting",
               "Shows the settings whose name or explanation has these words");
  };
  if (height < ui.px(min_room)) {
    find();
    all_settings_of_panel(frame);
    return defaults_button(frame);
  }
  // The settings scroll; the search and the button for the defaults stay below. Rings and backgrounds extend
  // beyond the controls, and the scroll bar lies there as well.
  const float beyond = ui.px(8.0F);
  const float left = ImGui::GetCursorPosX();
  ImGui::SetCursorPosX(left - beyond);
  ImGui::SetNextWindowContentSize({room.x + beyond, 0.0F});
  begin_child("settings", {room.x + 2.0F * beyond, height});
  ImGui::Indent(beyond);
  all_settings_of_panel(frame);
  ImGui::Unindent(beyond);
  fade_out(ui);
  end_child();
  find();
  defaults_button(frame);
}

}  // namespace headscope
