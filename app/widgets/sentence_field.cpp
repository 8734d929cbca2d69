#include "app/widgets/sentence_field.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "app/imgui/keys.h"
#include "app/widgets/paint.h"
#include "app/widgets/text.h"
#include "app/widgets/text_input.h"
#include "core/figure/text_fit.h"
#include "core/text/utf8.h"

namespace headscope {
namespace {

/// Draws a line under a part of the text in the item that was drawn last.
void underline(Ui& ui, const std::string& text, const TextSpan& part, float width) {
  if (part.begin >= part.end || part.end > text.size()) return;
  const auto width_before = [&](std::size_t at) {
    return ImGui::CalcTextSize(ui.characters().held(std::string_view(text).substr(0, at)).c_str()).x;
  };
  const bool may_scroll = ImGui::IsItemActive() && width_before(text.size()) > width;
  if (may_scroll) return;
  const ImVec2 corner = ImGui::GetItemRectMin();
  const float from = width_before(part.begin);
  const float to = width_before(part.end);
  const float y = ImGui::GetItemRectMax().y - ui.px(3.0F);
  const float thickness = ui.px(2.0F);
  if (from >= width) return;
  ImGui::GetWindowDrawList()->AddRectFilled(
      {corner.x + from, y}, {corner.x + std::min(to, width), y + thickness}, paint::ink(ui.theme().accent));
}

/// While the item that was drawn last is being edited, shows all of a text that is longer than its one line.
/// The text is on a card over the content below, so nothing moves.
void whole_text(Ui& ui, const std::string& text) {
  if (!ImGui::IsItemActive()) return;
  constexpr std::size_t most_lines = 8;
  constexpr std::size_t most_bytes = 4000;
  constexpr float margin = 10.0F;
  constexpr float size = text_size::body;
  const float width = ImGui::GetItemRectSize().x;
  const std::size_t shown = valid_utf8(text.substr(0, most_bytes)).size();
  const std::string_view part = std::string_view(text).substr(0, shown);
  const MeasureText measure = ui.measure();
  if (ImGui::CalcTextSize(part.data(), part.data() + part.size()).x <= width) return;
  std::vector<std::string> lines =
      wrapped_lines(part, width / ui.scale() - 2.0F * margin, Font::sans, size, measure);
  if (lines.size() > most_lines || part.size() < text.size()) {
    lines.resize(std::min(lines.size(), most_lines));
    lines.back() += " …";
  }
  const float line = ui.px(1.4F * size);
  const ImVec2 min(ImGui::GetItemRectMin().x - ui.px(margin), ImGui::GetItemRectMax().y + ui.px(6.0F));
  const ImVec2 max(min.x + width, min.y + line * static_cast<float>(lines.size()) + ui.px(2.0F * margin));
  ImDrawList& list = *ImGui::GetForegroundDrawList();
  paint::card(ui, list, min, max, ui.theme().panel, ui.theme().line, 6.0F);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    paint::text(ui, list, min.x + ui.px(margin),
                min.y + ui.px(margin) + line * (static_cast<float>(i) + 0.5F), lines[i], Font::sans, size,
                ui.theme().text);
  }
}

}  // namespace

bool sentence_field(Ui& ui, const char* id, std::string& text, const SentenceFieldLook& look) {
  const ImVec4 clear(0.0F, 0.0F, 0.0F, 0.0F);
  ImGui::PushStyleColor(ImGuiCol_FrameBg, clear);
  ImGui::PushStyleColor(ImGuiCol_Border, clear);
  ImGui::PushStyleColor(keyboard_focus_color, clear);  // the caret is enough
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, ImVec2(0.0F, ui.px(4)));
  ImGui::SetNextItemWidth(look.width > 0.0F ? look.width : ImGui::GetContentRegionAvail().x);
  if (look.take_focus) ui.give_keyboard_to_next_item();
  bool edited = false;
  {
    const FontScope font(ui, Font::sans, look.size);
    edited = text_input(ui, id, text,
                        {.hint = look.hint, .selects_all = look.selects_all, .read_only = look.read_only});
    underline(ui, text, look.underlined, ImGui::GetItemRectSize().x);
    whole_text(ui, text);
  }
  ImGui::PopStyleVar();
  ImGui::PopStyleColor(3);
  return edited;
}

FieldExit field_exit() {
  if (tab_goes_to_every_item) return FieldExit::none;
  if (!ImGui::IsItemActive() || !ImGui::IsKeyPressed(native_key(Key::tab), false)) return FieldExit::none;
  return ImGui::GetIO().KeyShift ? FieldExit::backwards : FieldExit::forwards;
}

SearchEntry search_entry(Ui& ui, const char* id, std::string& text, const char* hint) {
  SearchEntry entry;
  if (!ImGui::IsAnyItemActive()) ui.give_keyboard_to_next_item();
  ImGui::SetNextItemWidth(ImGui::GetContentRegionAvail().x);
  const FontScope font(ui, Font::sans, text_size::title);
  entry.edited = text_input(ui, id, text, {.hint = hint, .moved = &entry.moved});
  entry.confirmed = ImGui::IsItemDeactivated() && key_held(Key::enter);
  return entry;
}

bool text_entry(Ui& ui, const char* id, std::string& text, const char* hint, const char* tooltip) {
  ImGui::SetNextItemWidth(ImGui::GetContentRegionAvail().x);
  text_input(ui, id, text, {.hint = hint});
  const bool confirmed = ImGui::IsItemDeactivated() && key_held(Key::enter);
  tooltip_for_item(ui, tooltip);
  return confirmed;
}

}  // namespace headscope
