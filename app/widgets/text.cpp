#include "app/widgets/text.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "app/widgets/paint.h"
#include "core/figure/text_fit.h"

namespace headscope {
namespace {

/// The part of a text that can be drawn, in lines of at most `width`. They break between words only: ImGui
/// itself would also break "5,101" after its comma.
std::vector<std::string> as_lines(const Ui& ui, std::string_view whole, Font font, float size, float width) {
  const std::string_view shown = paint::drawable(whole);
  const std::string text = std::string(shown) + (shown.size() < whole.size() ? "…" : "");
  return wrapped_lines(text, width / ui.scale(), font, size, ui.measure());
}

void wrapped(Ui& ui, std::string_view whole, Font font, float size, Color color, float width) {
  const std::vector<std::string> lines = as_lines(ui, whole, font, size, width);
  const ImVec2 corner = ImGui::GetCursorScreenPos();
  ImGui::Dummy(paint::lines_size(ui, lines, font, size));
  paint::lines(ui, *ImGui::GetWindowDrawList(), corner, lines, font, size, color);
}

constexpr float widest_tooltip = 420.0F;
constexpr float tooltip_padding_x = 10.0F;
constexpr float tooltip_padding_y = 8.0F;

/// The size of a tooltip whose lines are at most `widest` wide.
ImVec2 tooltip_size(const Ui& ui, std::string_view text, float widest) {
  const ImVec2 size = paint::lines_size(ui, as_lines(ui, text, Font::sans, text_size::control, widest),
                                        Font::sans, text_size::control);
  return {std::ceil(size.x) + 2.0F * ui.px(tooltip_padding_x),
          std::ceil(size.y) + 2.0F * ui.px(tooltip_padding_y)};
}

void tooltip_window(Ui& ui, std::string_view text, ImVec2 at, float widest) {
  ImGui::SetNextWindowPos({std::round(at.x), std::round(at.y)});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding,
                      ImVec2(ui.px(tooltip_padding_x), ui.px(tooltip_padding_y)));
  ImGui::BeginTooltip();
  wrapped(ui, text, Font::sans, text_size::control, ui.theme().text, widest);
  ImGui::EndTooltip();
  ImGui::PopStyleVar();
}

/// Places the tooltip beside the part from `min` to `max` that it explains, and above or below it. It stands
/// between `left` and `right` if it fits.
void place_tooltip(Ui& ui, std::string_view text, ImVec2 min, ImVec2 max, float left, float right) {
  const ImVec2 display = ImGui::GetIO().DisplaySize;
  const float gap = ui.px(8);
  const float padding = 2.0F * ui.px(tooltip_padding_x);
  float widest = ui.px(widest_tooltip);
  ImVec2 size = tooltip_size(ui, text, widest);
  const float room_right = right - max.x - gap;
  const float room_left = min.x - gap - left;
  // Two lines on the right are better than one that covers what is to the left of the picture.
  const bool is_right = room_right >= std::min(size.x, ui.px(200)) || room_right >= room_left;
  if (const float room = is_right ? room_right : room_left; size.x > room) {
    widest = std::clamp(room - padding, std::min(ui.px(180), widest), widest);
    size = tooltip_size(ui, text, widest);
  }
  const bool is_below = max.y + gap + size.y <= display.y || min.y < display.y - max.y;
  const ImVec2 at(is_right ? max.x + gap : min.x - gap - size.x,
                  is_below ? max.y + gap : min.y - gap - size.y);
  tooltip_window(ui, text,
                 {std::clamp(at.x, 0.0F, std::max(display.x - size.x, 0.0F)),
                  std::clamp(at.y, 0.0F, std::max(display.y - size.y, 0.0F))},
                 widest);
}

/// Places the tooltip beside the panel of the last item, or below the item.
void place_item_tooltip(Ui& ui, std::string_view text) {
  const ImVec2 display = ImGui::GetIO().DisplaySize;
  const float gap = ui.px(8);
  const float widest = ui.px(widest_tooltip);
  const ImVec2 size = tooltip_size(ui, text, widest);
  const ImVec2 min = ImGui::GetItemRectMin();
  const ImVec2 max = ImGui::GetItemRectMax();
  const float left = ImGui::GetWindowPos().x;
  const float right = left + ImGui::GetWindowSize().x;
  ImVec2 at(min.x, max.y + gap);
  const bool fits_beside = size.x <= display.x - right - gap || size.x <= left - gap;
  if (fits_beside && right - left < 0.5F * display.x && ImGui::GetWindowSize().y > 3.0F * (max.y - min.y))
    at = {size.x <= display.x - right - gap ? right + gap : left - gap - size.x, min.y};
  else if (at.y + size.y > display.y)
    at.y = min.y - gap - size.y;
  tooltip_window(ui, text,
                 {std::clamp(at.x, 0.0F, std::max(display.x - size.x, 0.0F)),
                  std::clamp(at.y, 0.0F, std::max(display.y - size.y, 0.0F))},
                 widest);
}

/// Draws a ring around the last item.
void ring(const Ui& ui, float strength) {
  const float apart = ui.px(4);
  const ImVec2 min = ImGui::GetItemRectMin();
  const ImVec2 max = ImGui::GetItemRectMax();
  ImGui::GetWindowDrawList()->AddRect({min.x - apart, min.y - apart}, {max.x + apart, max.y + apart},
                                      packed(ui.theme().accent, strength), ui.px(6), ImDrawFlags_None,
                                      ui.px(2));
}

}  // namespace

void section(Ui& ui, const char* title) {
  const bool first = ImGui::GetCursorPosY() <= ImGui::GetStyle().WindowPadding.y;
  if (!first) ImGui::Dummy(ImVec2(0.0F, ui.px(4)));
  text(ui, paint::visible(title), Font::sans_bold, text_size::control, ui.theme().quiet);
}

void text(Ui& ui, std::string_view text, Font font, float size, Color color) {
  const SizedFont sized = ui.fonts.at(font, size);
  const ImVec2 corner = ImGui::GetCursorScreenPos();
  ImGui::Dummy(ImVec2(paint::text_width(ui, text, font, size), sized.line_height));
  paint::text(ui, *ImGui::GetWindowDrawList(), corner.x, corner.y + sized.line_height / 2.0F, text, font,
              size, color);
}

void text_line(Ui& ui, std::initializer_list<StyledText> parts, float gap) {
  float ascent = 0.0F;
  float descent = 0.0F;
  for (const StyledText& part : parts) {
    const SizedFont sized = ui.fonts.at(part.font, part.size);
    ascent = std::max(ascent, sized.ascent);
    descent = std::max(descent, sized.line_height - sized.ascent);
  }
  const ImVec2 corner = ImGui::GetCursorScreenPos();
  const float room = ImGui::GetContentRegionAvail().x;
  float x = 0.0F;
  for (const StyledText& part : parts) {
    const SizedFont sized = ui.fonts.at(part.font, part.size);
    const std::string fitting = paint::fitted(ui, part.text, part.font, part.size, std::max(0.0F, room - x));
    const float middle = corner.y + ascent - sized.ascent + sized.line_height / 2.0F;
    x += paint::text(ui, *ImGui::GetWindowDrawList(), corner.x + x, middle, fitting, part.font, part.size,
                     part.color) +
         ui.px(gap);
  }
  ImGui::Dummy(ImVec2(std::min(x, room), ascent + descent));
}

void caption(Ui& ui, const StyledText& part, float height, float gap) {
  const ImVec2 corner = ImGui::GetCursorScreenPos();
  const float width = paint::text(ui, *ImGui::GetWindowDrawList(), corner.x, corner.y + ui.px(height) / 2.0F,
                                  part.text, part.font, part.size, part.color);
  ImGui::SetCursorScreenPos({corner.x + width + ui.px(gap), corner.y});
}

void paragraph(Ui& ui, std::string_view text, Color color, float size) {
  wrapped(ui, text, Font::sans, size, color, ImGui::GetContentRegionAvail().x);
}

float paragraph_height(const Ui& ui, std::string_view text, float size) {
  const float width = ImGui::GetContentRegionAvail().x;
  return paint::lines_size(ui, as_lines(ui, text, Font::sans, size, width), Font::sans, size).y;
}

void row(Ui& ui, std::string_view label, std::string_view value, bool strong) {
  const Theme& theme = ui.theme();
  const ImVec2 corner = ImGui::GetCursorScreenPos();
  const float width = ImGui::GetContentRegionAvail().x;
  const float height = ui.px(16);
  ImGui::Dummy(ImVec2(width, height));
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float y = corner.y + height / 2.0F;
  const bool has_digit = std::ranges::any_of(value, [](char c) { return c >= '0' && c <= '9'; });
  const float value_width =
      paint::text(ui, list, corner.x + width, y, value, has_digit ? Font::mono : Font::sans,
                  has_digit ? text_size::mono : text_size::control, theme.text, paint::Align::right);
  const Font font = strong ? Font::sans_bold : Font::sans;
  const float room = width - value_width - ui.px(8);
  paint::text(ui, list, corner.x, y, paint::fitted(ui, label, font, text_size::control, room), font,
              text_size::control, strong ? theme.text : theme.quiet);
}

void bar_row(Ui& ui, std::string_view label, float fraction, std::string_view value, Color bar) {
  row(ui, label, value);
  const ImVec2 corner = ImGui::GetCursorScreenPos();
  const float width = ImGui::GetContentRegionAvail().x;
  const float height = ui.px(4);
  ImGui::Dummy(ImVec2(width, height));
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float rounding = height / 2.0F;
  list.AddRectFilled(corner, ImVec2(corner.x + width, corner.y + height), paint::ink(ui.theme().control),
                     rounding);
  const float share = fraction > 0.0F ? std::min(fraction, 1.0F) : 0.0F;  // NaN shows an empty bar
  if (share <= 0.0F) return;
  const float end = corner.x + std::max(width * share, height);
  list.AddRectFilled(corner, ImVec2(end, corner.y + height), paint::ink(bar), rounding);
}

void divider(Ui& ui) {
  const ImVec2 corner = ImGui::GetCursorScreenPos();
  const float width = ImGui::GetContentRegionAvail().x;
  ImGui::Dummy(ImVec2(width, ui.px(9)));
  const float y = corner.y + ui.px(4);
  ImGui::GetWindowDrawList()->AddRectFilled(ImVec2(corner.x, y), ImVec2(corner.x + width, y + ui.px(1)),
                                            paint::ink(ui.theme().line));
}

void notice(Ui& ui, std::string_view text, NoticeKind kind) {
  const Theme& theme = ui.theme();
  const Color edge = kind == NoticeKind::warning ? theme.warning : theme.accent;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const ImVec2 corner = ImGui::GetCursorScreenPos();
  const float width = ImGui::GetContentRegionAvail().x;
  const float padding = ui.px(10);
  list.ChannelsSplit(2);
  list.ChannelsSetCurrent(1);
  ImGui::BeginGroup();
  ImGui::SetCursorScreenPos(ImVec2(corner.x + padding, corner.y + ui.px(7)));
  wrapped(ui, text, Font::sans, text_size::control, kind == NoticeKind::warning ? theme.warning : theme.text,
          width - 2.0F * padding);
  ImGui::EndGroup();
  const float bottom = ImGui::GetItemRectMax().y + ui.px(7);
  list.ChannelsSetCurrent(0);
  list.AddRectFilled(corner, ImVec2(corner.x + width, bottom), paint::ink(mixed(theme.panel, edge, 0.08F)),
                     ui.px(6));
  list.AddRectFilled(corner, ImVec2(corner.x + ui.px(3), bottom), paint::ink(edge), ui.px(6),
                     ImDrawFlags_RoundCornersLeft);
  list.ChannelsMerge();
  ImGui::SetCursorScreenPos(corner);
  ImGui::Dummy(ImVec2(width, bottom - corner.y));
}

void tooltip_for_item(Ui& ui, const char* text) {
  if (text == nullptr || *text == '\0') return;
  if (const auto strength = ui.reveal_strength(text)) ring(ui, *strength);
  if (!ui.should_explain_item() || ui.hides_transients()) return;
  const bool is_hovered = ImGui::IsItemHovered(ImGuiHoveredFlags_AllowWhenDisabled);
  if (is_hovered && ui.suppresses_tooltips()) return;
  place_item_tooltip(ui, text);
}

void tooltip_at(Ui& ui, std::string_view text, ImVec2 at) {
  if (!ui.hides_transients()) tooltip_window(ui, text, at, ui.px(widest_tooltip));
}

void tooltip(Ui& ui, std::string_view text) {
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const float around = ui.px(6);
  tooltip_beside(ui, text, {mouse.x - around, mouse.y - around}, {mouse.x + around, mouse.y + 2.0F * around},
                 ImGui::GetWindowPos().x + ImGui::GetWindowSize().x);
}

void tooltip_beside(Ui& ui, std::string_view text, ImVec2 min, ImVec2 max, float right) {
  if (ui.hides_transients() || ui.suppresses_tooltips() || text.empty()) return;
  place_tooltip(ui, text, min, max, ImGui::GetWindowPos().x, right);
}

void key_chip(Ui& ui, std::string_view name) {
  const Theme& theme = ui.theme();
  const ImVec2 corner = ImGui::GetCursorScreenPos();
  const ImVec2 size(paint::text_width(ui, name, Font::mono, 10.0F) + ui.px(12), ui.px(18));
  ImGui::Dummy(size);
  ImDrawList& list = *ImGui::GetWindowDrawList();
  paint::card(ui, list, corner, ImVec2(corner.x + size.x, corner.y + size.y), theme.control, theme.line,
              ui.px(4));
  paint::text(ui, list, corner.x + size.x / 2.0F, corner.y + size.y / 2.0F, name, Font::mono, 10.0F,
              theme.quiet, paint::Align::center);
}

}  // namespace headscope
