#include "app/widgets/paint.h"

#include <algorithm>
#include <cfloat>
#include <cmath>

#include "core/figure/colormap.h"
#include "core/figure/text_fit.h"

namespace headscope::paint {

ImU32 ink(Color color) {
  return packed(color, ImGui::GetStyle().Alpha);
}

Color faint(const Theme& theme) {
  return mixed(theme.panel, theme.quiet, 0.6F);
}

std::string_view visible(const char* label) {
  const std::string_view whole(label);
  return whole.substr(0, whole.find("##"));
}

std::string_view drawable(std::string_view text) {
  constexpr std::size_t most_bytes = 4096;
  if (text.size() <= most_bytes) return text;
  std::size_t end = most_bytes;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
  return text.substr(0, end);
}

float text_width(const Ui& ui, std::string_view whole, Font font, float size) {
  const std::string_view text = drawable(whole);
  if (text.empty()) return 0.0F;
  const SizedFont sized = ui.fonts.at(font, size);
  return sized.font->CalcTextSizeA(sized.line_height, FLT_MAX, 0.0F, text.data(), text.data() + text.size())
      .x;
}

float text(const Ui& ui, ImDrawList& list, float x, float y, std::string_view whole, Font font, float size,
           Color color, Align align) {
  const std::string_view text = drawable(whole);
  if (text.empty()) return 0.0F;
  ui.fonts.need(text);
  const SizedFont sized = ui.fonts.at(font, size);
  const float width = text_width(ui, text, font, size);
  if (align == Align::center) x -= width / 2.0F;
  if (align == Align::right) x -= width;
  const float top = std::round(y - sized.line_height / 2.0F);
  list.AddText(sized.font, sized.line_height, ImVec2(std::round(x), top), ink(color), text.data(),
               text.data() + text.size());
  return width;
}

std::string fitted(const Ui& ui, std::string_view text, Font font, float size, float width) {
  const MeasureText measure = [&ui](std::string_view part, Font part_font, float part_size) {
    return TextSize{text_width(ui, part, part_font, part_size), 0.0F};
  };
  const std::string fitting = fitted_text(text, width, font, size, measure);
  return fitting.empty() && !text.empty() ? "…" : fitting;
}

void card(const Ui& ui, ImDrawList& list, ImVec2 min, ImVec2 max, Color ground, Color border,
          float rounding) {
  list.AddRectFilled(min, max, ink(ground), rounding);
  list.AddRect(min, max, ink(border), rounding, 0, std::max(1.0F, ui.px(1)));
}

void cross(ImDrawList& list, ImVec2 middle, float arm, ImU32 ink, float thickness) {
  list.AddLine({middle.x - arm, middle.y - arm}, {middle.x + arm, middle.y + arm}, ink, thickness);
  list.AddLine({middle.x - arm, middle.y + arm}, {middle.x + arm, middle.y - arm}, ink, thickness);
}

void focus_ring(const Ui& ui, ImDrawList& list, float rounding) {
  if (!ImGui::IsItemFocused() || !ImGui::GetIO().NavVisible) return;
  const float gap = ui.px(2);
  const ImVec2 min = ImGui::GetItemRectMin();
  const ImVec2 max = ImGui::GetItemRectMax();
  list.AddRect(ImVec2(min.x - gap, min.y - gap), ImVec2(max.x + gap, max.y + gap), ink(ui.theme().accent),
               rounding + gap, 0, ui.px(1.5F));
}

}  // namespace headscope::paint
