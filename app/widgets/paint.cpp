#include "app/widgets/paint.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "core/figure/colormap.h"
#include "core/figure/text_fit.h"

namespace headscope::paint {

ImU32 ink(Color color) {
  return packed(color, ImGui::GetStyle().Alpha);
}

std::string_view visible(const char* label) {
  const std::string_view whole(label);
  return whole.substr(0, whole.find("##"));
}

std::string_view drawable(std::string_view text) {
  constexpr std::size_t max_bytes = 4096;
  if (text.size() <= max_bytes) return text;
  return text.substr(0, start_of_character(text, max_bytes));
}

float text_width(const Ui& ui, std::string_view whole, Font font, float size) {
  return ui.fonts.width(drawable(whole), font, size);
}

namespace {

void line(const Ui& ui, ImDrawList& list, ImVec2 corner, std::string_view text, Font font, float size,
          Color color) {
  const SizedFont sized = ui.fonts.at(font, size);
  if (ui.fonts.uses_shaping(text)) {
    const auto em = static_cast<float>(ui.fonts.pixels(size));
    color.a = static_cast<std::uint8_t>(static_cast<float>(color.a) * ImGui::GetStyle().Alpha);
    // Its baseline is that of ImGui's lines, which is a whole number of pixels below their upper edge.
    const float top = std::floor(corner.y) + std::round(sized.ascent) - em * ui.fonts.ascent(font);
    return ui.shaped.draw(list, {std::string(text), {std::floor(corner.x), top}, color, em, font});
  }
  ui.fonts.request_characters(text);
  list.AddText(sized.font, sized.line_height, corner, ink(color), text.data(), text.data() + text.size());
}

}  // namespace

float text(const Ui& ui, ImDrawList& list, float x, float y, std::string_view whole, Font font, float size,
           Color color, Align align) {
  const std::string_view text = drawable(whole);
  if (text.empty()) return 0.0F;
  const float width = text_width(ui, text, font, size);
  if (align == Align::center) x -= width / 2.0F;
  if (align == Align::right) x -= width;
  const float top = std::round(y - ui.fonts.at(font, size).line_height / 2.0F);
  line(ui, list, {std::round(x), top}, text, font, size, color);
  return width;
}

ImVec2 lines_size(const Ui& ui, const std::vector<std::string>& lines, Font font, float size) {
  float width = 0.0F;
  for (const std::string& each : lines) width = std::max(width, text_width(ui, each, font, size));
  return {width, ui.fonts.at(font, size).line_height * static_cast<float>(lines.size())};
}

void lines(const Ui& ui, ImDrawList& list, ImVec2 corner, const std::vector<std::string>& lines, Font font,
           float size, Color color) {
  for (const std::string& each : lines) {
    line(ui, list, corner, each, font, size, color);
    corner.y += ui.fonts.at(font, size).line_height;
  }
}

std::string fitted(const Ui& ui, std::string_view text, Font font, float size, float width) {
  const MeasureText measure = [&ui](std::string_view part, Font part_font, float part_size) {
    return TextSize{text_width(ui, part, part_font, part_size), 0.0F};
  };
  const std::string fitting = elided_text(text, width, font, size, measure);
  return fitting.empty() && !text.empty() ? "…" : fitting;
}

std::vector<std::string> wrapped(const Ui& ui, std::string_view text, Font font, float size, float width,
                                 std::size_t most) {
  std::vector<std::string> lines =
      wrapped_lines(text, width / ui.scale(), font, size, ui.measure(), most + 1);
  if (lines.size() <= most) return lines;
  lines.resize(most);
  lines.back() = fitted(ui, lines.back() + " …", font, size, width);
  return lines;
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
