#include "app/widgets/paint.h"

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <vector>

#include "core/text/utf8.h"

namespace headscope::paint {

ImU32 ink(Color color) {
  return packed(color, ImGui::GetStyle().Alpha);
}

std::string_view visible(const char* label) {
  const std::string_view whole(label);
  return whole.substr(0, whole.find("##"));
}

float text_width(const Ui& ui, std::string_view text, Font font, float size) {
  if (text.empty()) return 0.0F;
  const SizedFont sized = ui.fonts.at(font, size);
  return sized.font->CalcTextSizeA(sized.line_height, FLT_MAX, 0.0F, text.data(), text.data() + text.size())
      .x;
}

float text(const Ui& ui, ImDrawList& list, float x, float y, std::string_view text, Font font, float size,
           Color color, Align align) {
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
  if (text_width(ui, text, font, size) <= width) return std::string(text);
  const std::size_t length = code_points(valid_utf8(text)).size();
  std::size_t fits = 0;
  std::size_t too_long = length;
  while (too_long - fits > 1) {
    const std::size_t middle = (fits + too_long) / 2;
    const bool short_enough = text_width(ui, shortened(text, middle), font, size) <= width;
    (short_enough ? fits : too_long) = middle;
  }
  return fits == 0 ? std::string("…") : shortened(text, fits);
}

void card(const Ui& ui, ImDrawList& list, ImVec2 min, ImVec2 max, Color ground, Color border,
          float rounding) {
  list.AddRectFilled(min, max, ink(ground), rounding);
  list.AddRect(min, max, ink(border), rounding, 0, std::max(1.0F, ui.px(1)));
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
