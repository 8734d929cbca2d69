#include "app/widgets/slider.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>

#include "app/widgets/controls.h"
#include "app/widgets/paint.h"
#include "app/widgets/text.h"
#include "app/widgets/value_edit.h"

namespace headscope {
namespace {

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
  const float radius = ui.px(7);
  const float thickness = ui.px(4);
  const float y = std::round((min.y + max.y) / 2.0F);
  const float inset = radius + ui.px(2);
  const float x = std::lerp(min.x + inset, max.x - inset, fraction);
  const ImVec2 top(min.x, y - thickness / 2.0F);
  const Color rail = mixed(theme.control, theme.line, 0.5F);
  list.AddRectFilled(top, ImVec2(max.x, top.y + thickness), paint::ink(rail), thickness / 2.0F);
  list.AddRectFilled(top, ImVec2(x, top.y + thickness), paint::ink(theme.accent), thickness / 2.0F);
  list.AddCircleFilled(ImVec2(x, y), radius + (lit ? ui.px(1) : 0.0F), paint::ink(theme.accent), 32);
  list.AddCircleFilled(ImVec2(x, y), radius - ui.px(2), paint::ink(theme.panel), 32);
}

/// ImGui's slider gives the behaviour, with keyboard; the look is ours. The value it is set to, by drag or
/// arrow.
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

struct SliderResult {
  float value;
  std::optional<std::string> typed;
};

SliderResult slider(Ui& ui, const char* label, const Track& track, float value, const std::string& shown,
                    const char* tooltip) {
  const ImVec2 corner = ImGui::GetCursorScreenPos();
  const float width = ImGui::GetContentRegionAvail().x;
  const float row = ui.px(20);
  ImDrawList& list = *ImGui::GetWindowDrawList();
  paint::text(ui, list, corner.x, corner.y + row / 2.0F, paint::visible(label), Font::sans, text_size::body,
              ui.theme().text);
  const float track_height = ImGui::GetFontSize();
  const ImVec2 track_min(corner.x, corner.y + row);
  const ImVec2 track_max(corner.x + width, track_min.y + track_height);
  const bool ctrl_click = ImGui::GetIO().KeyCtrl && ImGui::IsMouseClicked(ImGuiMouseButton_Left) &&
                          ImGui::IsWindowHovered() && ImGui::IsMouseHoveringRect(track_min, track_max);
  SliderResult result{value, value_edit(ui, "##value", shown, {{corner.x + width, corner.y}, row}, ctrl_click,
                                        "Click to type a value")};
  ImGui::SetCursorScreenPos(track_min);
  result.value = track_input(ui, track, value, tooltip);
  paint_track(ui, track_min, track_max, fraction_of(track, result.value),
              ImGui::IsItemHovered() || ImGui::IsItemActive());
  return result;
}

/// The message, then the values that hold, in the same line where they fit.
bool complaint_line(Ui& ui, const Complaint& complaint, int& value) {
  bool changed = false;
  const float right = ImGui::GetCursorScreenPos().x + ImGui::GetContentRegionAvail().x;
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(ui.px(6), ui.px(2)));
  paragraph(ui, complaint.message, ui.theme().warning);
  for (std::size_t i = 0; i < complaint.suggestions.size(); ++i) {
    const int suggestion = complaint.suggestions[i];
    const std::string name = std::to_string(suggestion);
    const float width = paint::text_width(ui, name, Font::sans, text_size::small);
    const bool after_wrapped_text = i == 0 && ImGui::GetItemRectSize().y > 1.5F * ImGui::GetFontSize();
    if (!after_wrapped_text && ImGui::GetItemRectMax().x + ui.px(6) + width <= right) ImGui::SameLine();
    ImGui::PushID(static_cast<int>(i));
    if (link(ui, name.c_str(), "Use this value", text_size::small)) {
      value = suggestion;
      changed = true;
    }
    ImGui::PopID();
  }
  ImGui::PopStyleVar();
  ImGui::Dummy(ImVec2(0.0F, ui.px(1)));
  return changed;
}

template <class Number>
std::optional<Number> parsed(const std::string& text) {
  const std::size_t first = text.find_first_not_of(' ');
  if (first == std::string::npos) return std::nullopt;
  Number number{};
  const auto [end, error] = std::from_chars(text.data() + first, text.data() + text.size(), number);
  if (error != std::errc() ||
      text.find_first_not_of(' ', static_cast<std::size_t>(end - text.data())) != std::string::npos) {
    return std::nullopt;
  }
  return number;
}

}  // namespace

bool slider_int(Ui& ui, const char* label, int& value, const IntRange& range, const char* tooltip,
                const Complaint* complaint) {
  const int before = value;
  const Track track{static_cast<float>(range.min), static_cast<float>(range.max), range.logarithmic,
                    static_cast<float>(range.step), "%.0f"};
  ImGui::PushID(label);
  const SliderResult result =
      slider(ui, label, track, static_cast<float>(value), std::to_string(value), tooltip);
  if (result.value != static_cast<float>(value)) value = static_cast<int>(std::lround(result.value));
  if (result.typed) {
    if (const auto typed = parsed<long long>(*result.typed)) {
      value = static_cast<int>(std::clamp<long long>(*typed, range.min, range.max));
    }
  }
  if (complaint != nullptr) complaint_line(ui, *complaint, value);
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
  const SliderResult result = slider(ui, label, track, value, shown, tooltip);
  value = result.value;
  if (result.typed) {
    if (const auto typed = parsed<float>(*result.typed); typed && std::isfinite(*typed)) {
      value = std::clamp(*typed, range.min, range.max);
    }
  }
  ImGui::PopID();
  return value != before;
}

}  // namespace headscope
