#include "app/widgets/text.h"

#include <algorithm>

#include "app/widgets/paint.h"

namespace headscope {
namespace {

void wrapped(Ui& ui, std::string_view whole, Font font, float size, Color color, float wrap_x) {
  const std::string_view shown = paint::drawable(whole);
  const std::string text = std::string(shown) + (shown.size() < whole.size() ? "…" : "");
  ui.fonts.need(text);
  const FontScope scope(ui, font, size);
  ImGui::PushStyleColor(ImGuiCol_Text, to_vec4(color));
  ImGui::PushTextWrapPos(wrap_x);
  ImGui::TextUnformatted(text.data(), text.data() + text.size());
  ImGui::PopTextWrapPos();
  ImGui::PopStyleColor();
}

void tooltip_window(Ui& ui, std::string_view text) {
  if (ui.is_still()) return;
  constexpr float widest = 420.0F;
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(ui.px(10), ui.px(8)));
  ImGui::BeginTooltip();
  wrapped(ui, text, Font::sans, text_size::control, ui.theme().text, ui.px(widest));
  ImGui::EndTooltip();
  ImGui::PopStyleVar();
}

/// Around the last item.
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

void text_line(Ui& ui, std::initializer_list<TextPart> parts, float gap) {
  float ascent = 0.0F;
  float descent = 0.0F;
  for (const TextPart& part : parts) {
    const SizedFont sized = ui.fonts.at(part.font, part.size);
    ascent = std::max(ascent, sized.ascent);
    descent = std::max(descent, sized.line_height - sized.ascent);
  }
  const ImVec2 corner = ImGui::GetCursorScreenPos();
  const float room = ImGui::GetContentRegionAvail().x;
  float x = 0.0F;
  for (const TextPart& part : parts) {
    const SizedFont sized = ui.fonts.at(part.font, part.size);
    const std::string fitting = paint::fitted(ui, part.text, part.font, part.size, std::max(0.0F, room - x));
    const float middle = corner.y + ascent - sized.ascent + sized.line_height / 2.0F;
    x += paint::text(ui, *ImGui::GetWindowDrawList(), corner.x + x, middle, fitting, part.font, part.size,
                     part.color) +
         ui.px(gap);
  }
  ImGui::Dummy(ImVec2(std::min(x, room), ascent + descent));
}

void paragraph(Ui& ui, std::string_view text, Color color, float size) {
  wrapped(ui, text, Font::sans, size, color, 0.0F);
}

void row(Ui& ui, std::string_view label, std::string_view value, bool strong) {
  const Theme& theme = ui.theme();
  const ImVec2 corner = ImGui::GetCursorScreenPos();
  const float width = ImGui::GetContentRegionAvail().x;
  const float height = ui.px(16);
  ImGui::Dummy(ImVec2(width, height));
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float y = corner.y + height / 2.0F;
  const float value_width = paint::text(ui, list, corner.x + width, y, value, Font::mono, text_size::mono,
                                        theme.text, paint::Align::right);
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
  const float share = fraction > 0.0F ? std::min(fraction, 1.0F) : 0.0F;  // not a number: nothing
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
  const float wrap_x = ImGui::GetCursorPosX() + width - 2.0F * padding;
  wrapped(ui, text, Font::sans, text_size::control, kind == NoticeKind::warning ? theme.warning : theme.text,
          wrap_x);
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
  if (const auto strength = ui.sought(text)) ring(ui, *strength);
  if (!ui.item_explained()) return;
  if (!ImGui::IsItemHovered(ImGuiHoveredFlags_AllowWhenDisabled)) {  // the keyboard's: below the item
    const ImVec2 min = ImGui::GetItemRectMin();
    ImGui::SetNextWindowPos(ImVec2(min.x, ImGui::GetItemRectMax().y + ui.px(6)));
  }
  tooltip_window(ui, text);
}

void tooltip(Ui& ui, std::string_view text) {
  tooltip_window(ui, text);
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
