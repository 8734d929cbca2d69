#include "app/widgets/slider.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string_view>
#include <utility>

#include "app/imgui/keys.h"
#include "app/widgets/controls.h"
#include "app/widgets/paint.h"
#include "app/widgets/text.h"
#include "app/widgets/text_input.h"
#include "core/exact_text.h"

namespace headscope {
namespace {

/// The field itself. Returns false when the edit is over.
bool edit(Ui& ui, const char* id, std::string& text, const ValueBox& box, bool take_focus) {
  constexpr std::size_t max_bytes = 63;  // more than any number needs
  const float width =
      std::max(ui.px(72), paint::text_width(ui, text, Font::mono, text_size::mono) + ui.px(16));
  ImGui::SetCursorScreenPos(ImVec2(box.right_top.x - width, box.right_top.y));
  ImGui::SetNextItemWidth(width);
  const PushedFont font = push_font(ui, Font::mono, text_size::mono);
  const float padding = std::max(0.0F, (box.height - ImGui::GetFontSize()) / 2.0F);
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, ImVec2(ui.px(6), padding));
  if (take_focus) ui.focus_next_item();
  text_input(ui, id, text, {.selects_all = true, .max_bytes = max_bytes});
  ImGui::PopStyleVar();
  return !ImGui::IsItemDeactivated();
}

/// The number at rest. Returns true if it is to be edited.
bool rest(Ui& ui, const char* id, const std::string& shown, const ValueBox& box, const char* tooltip) {
  const float margin = ui.px(box.is_field ? 6.0F : 4.0F);
  const float needed = paint::text_width(ui, shown, Font::mono, text_size::mono) + 2.0F * margin;
  const float width = box.is_field ? std::max(needed, ui.px(48)) : needed;
  const float beyond = box.is_field ? 0.0F : margin;  // numbers that stand alone end where their box ends
  const ImVec2 corner(box.right_top.x - width + beyond, box.right_top.y);
  ImGui::SetCursorScreenPos(corner);
  const bool clicked = invisible_button(id, ImVec2(width, box.height));
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const bool is_hovered = ImGui::IsItemHovered();
  const ImVec2 end(corner.x + width, corner.y + box.height);
  if (is_hovered) ImGui::SetMouseCursor(ImGuiMouseCursor_TextInput);
  if (is_hovered || box.is_field) list.AddRectFilled(corner, end, paint::ink(ui.theme().control), ui.px(4));
  if (box.is_field) list.AddRect(corner, end, paint::ink(ui.theme().line), ui.px(4));
  paint::focus_ring(ui, list, ui.px(4));
  paint::text(ui, list, end.x - margin, corner.y + box.height / 2.0F, shown, Font::mono, text_size::mono,
              ui.theme().text, paint::Align::right);
  tooltip_for_item(ui, tooltip);
  return clicked;
}

std::string replaced(std::string text, std::string_view from, std::string_view to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
  return text;
}

struct Track {
  float min, max;
  bool logarithmic;
  float step;
  const char* format;
};

float fraction_of(const Track& track, float value) {
  if (track.max <= track.min) return 0.0F;
  value = std::clamp(value, track.min, track.max);
  if (track.logarithmic) return std::log(value / track.min) / std::log(track.max / track.min);
  return (value - track.min) / (track.max - track.min);
}

void paint_track(const Ui& ui, ImVec2 min, ImVec2 max, float fraction, bool lit) {
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const Theme& theme = ui.theme();
  const float radius = ui.px(6);
  const float thickness = ui.px(3);
  const float y = std::round((min.y + max.y) / 2.0F);
  const float inset = radius + ui.px(2);
  const float x = std::lerp(min.x + inset, max.x - inset, fraction);
  const ImVec2 top(min.x, y - thickness / 2.0F);
  const Color rail = mixed(theme.control, theme.line, 0.5F);
  // A slider has the accent colour only while it is used, so that a panel full of them does not stand out.
  const Color ring = lit ? theme.accent : mixed(theme.panel, theme.quiet, 0.7F);
  list.AddRectFilled(top, ImVec2(max.x, top.y + thickness), paint::ink(rail), thickness / 2.0F);
  list.AddRectFilled(top, ImVec2(x, top.y + thickness), paint::ink(ring), thickness / 2.0F);
  list.AddCircleFilled(ImVec2(x, y), radius + (lit ? ui.px(1) : 0.0F), paint::ink(ring), 32);
  list.AddCircleFilled(ImVec2(x, y), radius - ui.px(2), paint::ink(theme.panel), 32);
}

/// Uses ImGui's slider for the behaviour, including the keyboard, and hides its appearance. Returns the value
/// that was set by dragging or with an arrow key.
float track_input(Ui& ui, const Track& track, float value, const char* tooltip) {
  float raw = value;
  const ImVec4 clear(0.0F, 0.0F, 0.0F, 0.0F);
  const ImGuiCol hidden[] = {ImGuiCol_FrameBg,    ImGuiCol_FrameBgHovered,   ImGuiCol_FrameBgActive,
                             ImGuiCol_SliderGrab, ImGuiCol_SliderGrabActive, ImGuiCol_Text};
  for (const ImGuiCol color : hidden) ImGui::PushStyleColor(color, clear);
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, ImVec2(0.0F, 0.0F));
  ImGui::PushStyleVar(ImGuiStyleVar_FrameBorderSize, 0.0F);
  ImGui::PushStyleVar(ImGuiStyleVar_GrabMinSize, ui.px(14));
  ImGui::SetNextItemWidth(ImGui::GetContentRegionAvail().x);
  const ImGuiSliderFlags flags =
      ImGuiSliderFlags_NoInput | (track.logarithmic ? ImGuiSliderFlags_Logarithmic : ImGuiSliderFlags_None);
  const bool moved =
      ImGui::SliderScalar("##track", ImGuiDataType_Float, &raw, &track.min, &track.max, track.format, flags);
  ImGui::PopStyleVar(3);
  ImGui::PopStyleColor(static_cast<int>(std::size(hidden)));
  tooltip_for_item(ui, tooltip);
  if (!moved || ImGui::GetIO().KeyCtrl) return value;
  if (!ImGui::IsMouseDown(ImGuiMouseButton_Left)) {  // an arrow key: one step
    const float sign = raw > value ? 1.0F : -1.0F;
    raw = value + sign * track.step;
  }
  return std::clamp(std::round(raw / track.step) * track.step, track.min, track.max);
}

constexpr float label_height = 17.0F;

/// The line with the label and the number. Returns what was typed.
std::optional<std::string> label_line(Ui& ui, const char* label, const std::string& shown, bool opens) {
  const ImVec2 corner = ImGui::GetCursorScreenPos();
  const float width = ImGui::GetContentRegionAvail().x;
  const float height = ui.px(label_height);
  const float taken = paint::text_width(ui, shown, Font::mono, text_size::mono) + ui.px(8);
  const std::string name =
      paint::fitted(ui, paint::visible(label), Font::sans, text_size::body, std::max(0.0F, width - taken));
  paint::text(ui, *ImGui::GetWindowDrawList(), corner.x, corner.y + height / 2.0F, name, Font::sans,
              text_size::body, ui.theme().text);
  auto typed = value_edit(ui, "##value", shown, {{corner.x + width, corner.y}, height}, opens,
                          "Click to type a value");
  ImGui::SetCursorScreenPos(ImVec2(corner.x, corner.y + height));
  return typed;
}

/// Changes `value`; `snapped` maps one that was set by dragging or, if its second argument is true, with a
/// key to the one to take. Returns what was typed.
template <class Snapped>
std::optional<std::string> slider(Ui& ui, const char* label, const Track& track, float& value,
                                  const std::string& shown, const char* tooltip, const Snapped& snapped) {
  const ImVec2 corner = ImGui::GetCursorScreenPos();
  const float width = ImGui::GetContentRegionAvail().x;
  const ImVec2 track_min(corner.x, corner.y + ui.px(label_height));
  const ImVec2 track_max(corner.x + width, track_min.y + ImGui::GetFontSize());
  const bool ctrl_click = ImGui::GetIO().KeyCtrl && ImGui::IsMouseClicked(ImGuiMouseButton_Left) &&
                          ImGui::IsWindowHovered() && ImGui::IsMouseHoveringRect(track_min, track_max);
  auto typed = label_line(ui, label, shown, ctrl_click);
  const float moved = track_input(ui, track, value, tooltip);
  if (moved != value) value = snapped(moved, !ImGui::IsMouseDown(ImGuiMouseButton_Left));
  paint_track(ui, track_min, track_max, fraction_of(track, value),
              ImGui::IsItemHovered() || ImGui::IsItemActive());
  return typed;
}

/// Replaces the track by the message and the allowed values, or by several lines if they do not fit into one.
/// Returns true if one of them was chosen.
bool complaint_line(Ui& ui, const Complaint& complaint, int& value) {
  const ImVec2 corner = ImGui::GetCursorScreenPos();
  const float width = ImGui::GetContentRegionAvail().x;
  const float height = ImGui::GetFontSize();
  const float gap = ui.px(8);
  float links = 0.0F;
  for (const int each : complaint.suggestions)
    links += gap + paint::text_width(ui, std::to_string(each), Font::sans, text_size::small);
  const bool fits = paint::text_width(ui, complaint.message, Font::sans, text_size::small) + links <= width;
  if (fits) {
    const float end = paint::text(ui, *ImGui::GetWindowDrawList(), corner.x, corner.y + height / 2.0F,
                                  complaint.message, Font::sans, text_size::small, ui.theme().warning);
    ImGui::Dummy({end, height});
  } else {
    paragraph(ui, complaint.message, ui.theme().warning);
  }
  bool taken = false;
  for (std::size_t i = 0; i < complaint.suggestions.size(); ++i) {
    if (fits || i > 0) ImGui::SameLine(0.0F, gap);
    ImGui::PushID(static_cast<int>(i));
    if (link(ui, std::to_string(complaint.suggestions[i]).c_str(), "Use this value", text_size::small)) {
      value = complaint.suggestions[i];
      taken = true;
    }
    ImGui::PopID();
  }
  if (!fits) return taken;
  ImGui::SetCursorScreenPos(corner);
  ImGui::Dummy({width, height});
  return taken;
}

/// The allowed number nearest to where a drag points, or the next one in the direction of a key.
int nearest_of(const SliderRules& rules, const IntRange& range, int from, int wanted, bool by_key) {
  if (!rules.is_allowed || rules.is_allowed(wanted)) return wanted;
  const int towards = wanted > from ? 1 : -1;
  for (int by = 1; by <= range.max - range.min; ++by) {
    for (const int candidate : {wanted + towards * by, wanted - towards * by}) {
      const bool is_back = (candidate - wanted) * towards < 0;
      if (candidate < range.min || candidate > range.max || (by_key && is_back)) continue;
      if (rules.is_allowed(candidate)) return candidate;
    }
  }
  return from;
}

template <class Number>
std::optional<Number> parsed(const std::string& text) {
  const std::size_t first = text.find_first_not_of(' ');
  if (first == std::string::npos) return std::nullopt;
  return parse_exact<Number>(text.substr(first, text.find_last_not_of(' ') + 1 - first));
}

/// The number, or its name as far as there is room.
std::string shown_text(const Ui& ui, const SliderRules& rules, int value) {
  if (!rules.name) return std::to_string(value);
  constexpr float share = 0.7F;
  return paint::fitted(ui, rules.name(value), Font::mono, text_size::mono,
                       share * ImGui::GetContentRegionAvail().x);
}

/// The first number with this name.
std::optional<long long> named(const SliderRules& rules, const IntRange& range, const std::string& name) {
  for (int number = range.min; number <= range.max; ++number) {
    if (rules.name(number) == name) return number;
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> value_edit(Ui& ui, const char* id, const std::string& number, const ValueBox& box,
                                      bool open, const char* tooltip) {
  const std::string shown = replaced(number, "-", "−");
  const ImGuiID key = ImGui::GetID(id);
  const auto editing = ui.field_texts.find(key);
  if (editing == ui.field_texts.end()) {
    if (rest(ui, id, shown, box, tooltip) || open) {
      ui.field_texts[key] = shown;
      ImGui::GetStateStorage()->SetBool(key, true);
      ui.wake_in(0.0);
    }
    return std::nullopt;
  }
  const bool first_frame = ImGui::GetStateStorage()->GetBool(key);
  ImGui::GetStateStorage()->SetBool(key, false);
  if (edit(ui, id, editing->second, box, first_frame)) return std::nullopt;
  std::string typed = std::exchange(ui.field_texts[key], {});
  ui.field_texts.erase(key);
  if (ImGui::IsKeyPressed(native_key(Key::escape), false)) return std::nullopt;
  return replaced(std::move(typed), "−", "-");
}

bool slider_int(Ui& ui, const char* label, int& value, const IntRange& range, const char* tooltip,
                const Complaint* complaint, const SliderRules& rules) {
  const int before = value;
  const Track track{static_cast<float>(range.min), static_cast<float>(range.max), range.logarithmic,
                    static_cast<float>(range.step), "%.0f"};
  ImGui::PushID(label);
  // The number that was last typed and refused, plus 1. 0 if there is none.
  ImGuiStorage& storage = *ImGui::GetStateStorage();
  const ImGuiID refused_id = ImGui::GetID("##refused");
  int refused = storage.GetInt(refused_id);
  std::optional<Complaint> of_typed;
  if (refused > 0 && rules.complaint) of_typed = rules.complaint(refused - 1);
  if (of_typed) complaint = &*of_typed;
  std::optional<std::string> typed;
  if (complaint == nullptr) {
    const auto snapped = [&](float wanted, bool by_key) {
      return static_cast<float>(
          nearest_of(rules, range, before, static_cast<int>(std::lround(wanted)), by_key));
    };
    auto moved = static_cast<float>(value);
    typed = slider(ui, label, track, moved, shown_text(ui, rules, value), tooltip, snapped);
    if (moved != static_cast<float>(value)) value = static_cast<int>(std::lround(moved));
  } else {
    typed = label_line(ui, label, std::to_string(value), false);
    const ImVec2 corner = ImGui::GetCursorScreenPos();
    const float right = corner.x + ImGui::GetContentRegionAvail().x;
    const bool is_taken = complaint_line(ui, *complaint, value);
    const bool is_elsewhere = ImGui::IsMouseClicked(ImGuiMouseButton_Left) &&
                              !ImGui::IsMouseHoveringRect(corner, {right, ImGui::GetCursorScreenPos().y});
    if (is_taken || is_elsewhere) refused = 0;
  }
  if (typed) {
    refused = 0;
    if (const auto number = rules.name ? named(rules, range, *typed) : parsed<long long>(*typed)) {
      const int wanted = static_cast<int>(std::clamp<long long>(*number, range.min_typed, range.max_typed));
      const bool is_allowed = wanted == before || !rules.is_allowed || rules.is_allowed(wanted);
      (is_allowed ? value : refused) = is_allowed ? wanted : wanted + 1;
      if (!is_allowed) ui.wake_in(0.0);
    }
  }
  storage.SetInt(refused_id, refused);
  ImGui::PopID();
  return value != before;
}

bool slider_float(Ui& ui, const char* label, float& value, const FloatRange& range, const char* tooltip) {
  const float before = value;
  const Track track{range.min, range.max, range.logarithmic,
                    std::pow(10.0F, -static_cast<float>(range.decimals)), "%.3f"};
  char shown[32];
  std::snprintf(shown, sizeof(shown), "%.*f", range.decimals, static_cast<double>(value));
  ImGui::PushID(label);
  const auto same = [](float wanted, bool) { return wanted; };
  if (const auto typed = slider(ui, label, track, value, shown, tooltip, same)) {
    if (const auto number = parsed<float>(*typed); number && std::isfinite(*number))
      value = std::clamp(*number, range.min, range.max);
  }
  ImGui::PopID();
  return value != before;
}

}  // namespace headscope
