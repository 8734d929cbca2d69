#include "app/widgets/sheet.h"

#include <algorithm>
#include <vector>

#include "app/imgui/keys.h"
#include "app/widgets/controls.h"
#include "app/widgets/paint.h"
#include "app/widgets/text.h"

namespace headscope {
namespace {

/// A cross in the margin of the sheet, so that it covers none of its contents.
bool closing_cross(Ui& ui, ImVec2 corner) {
  const float side = ui.px(22);
  ImGui::SetCursorScreenPos(corner);
  const bool clicked = invisible_button("close this sheet", {side, side});
  const bool is_hovered = ImGui::IsItemHovered();
  const ImVec2 middle(corner.x + side / 2.0F, corner.y + side / 2.0F);
  const float arm = ui.px(4);
  const ImU32 ink = packed(is_hovered ? ui.theme().text : ui.theme().quiet);
  ImDrawList& list = *ImGui::GetWindowDrawList();
  paint::cross(list, middle, arm, ink, ui.px(1.4F));
  paint::focus_ring(ui, list, ui.px(4));
  tooltip_for_item(ui, "Close (Esc)");
  return clicked;
}

void help_row(Ui& ui, const HelpRow& row) {
  const ImVec2 corner = ImGui::GetCursorScreenPos();
  const float width = ImGui::GetContentRegionAvail().x;
  const float height = ui.px(22);
  const float chip_width = paint::text_width(ui, row.keys, Font::mono, 10.0F) + ui.px(12);
  ImDrawList& list = *ImGui::GetWindowDrawList();
  paint::text(ui, list, corner.x, corner.y + height / 2.0F,
              paint::fitted(ui, row.what, Font::sans, text_size::body, width - chip_width - ui.px(12)),
              Font::sans, text_size::body, ui.theme().text);
  ImGui::SetCursorScreenPos(ImVec2(corner.x + width - chip_width, corner.y + ui.px(2)));
  key_chip(ui, row.keys);
  ImGui::SetCursorScreenPos(corner);
  ImGui::Dummy(ImVec2(width, height - ImGui::GetStyle().ItemSpacing.y / 2.0F));
}

std::vector<std::string> groups_of(std::span<const HelpRow> rows) {
  std::vector<std::string> groups;
  for (const HelpRow& row : rows) {
    if (std::find(groups.begin(), groups.end(), row.group) == groups.end()) groups.push_back(row.group);
  }
  return groups;
}

void help_group(Ui& ui, const std::string& group, std::span<const HelpRow> rows) {
  section(ui, group.c_str());
  for (const HelpRow& row : rows) {
    if (row.group == group) help_row(ui, row);
  }
}

/// The number of groups in the first column with which the higher of two columns is lowest.
std::size_t n_in_first_column(const std::vector<std::string>& groups, std::span<const HelpRow> rows) {
  constexpr std::size_t rows_of_heading = 2;
  const std::size_t all = rows.size() + rows_of_heading * groups.size();
  std::size_t best = groups.size();
  std::size_t lowest = all;
  std::size_t first = 0;
  for (std::size_t n = 0; n < groups.size(); ++n) {
    const std::size_t higher = std::max(first, all - first);
    if (higher < lowest) {
      best = n;
      lowest = higher;
    }
    first += rows_of_heading + static_cast<std::size_t>(std::ranges::count(rows, groups[n], &HelpRow::group));
  }
  return best;
}

/// The rows, in two columns if the sheet is wide enough.
void help_rows(Ui& ui, std::span<const HelpRow> rows, float width_of_two) {
  const std::vector<std::string> groups = groups_of(rows);
  const bool has_two = ImGui::GetContentRegionAvail().x > width_of_two;
  const std::size_t first = has_two ? n_in_first_column(groups, rows) : groups.size();
  // Keys at the right end of the first column must not touch the words of the second.
  const ImVec2 padding = ImGui::GetStyle().CellPadding;
  ImGui::PushStyleVar(ImGuiStyleVar_CellPadding, ImVec2(ui.px(14), padding.y));
  const bool is_open = !has_two || ImGui::BeginTable("columns", 2);
  ImGui::PopStyleVar();
  if (!is_open) return;
  if (has_two) ImGui::TableNextColumn();
  for (std::size_t i = 0; i < groups.size(); ++i) {
    if (has_two && i == first) ImGui::TableNextColumn();
    help_group(ui, groups[i], rows);
  }
  if (has_two) ImGui::EndTable();
}

}  // namespace

Sheet::Sheet(Ui& ui, const char* id, bool& open, float width, float height)
    : ui_(ui), open_(open), height_id_(0), popup_id_(0) {
  const ImVec2 display = ImGui::GetIO().DisplaySize;
  ImGui::SetNextWindowPos(ImVec2(0.0F, 0.0F));
  ImGui::SetNextWindowSize(display);
  ImGui::PushStyleColor(ImGuiCol_WindowBg, ImVec4(0.0F, 0.0F, 0.0F, 0.4F));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, 0.0F);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, 0.0F);
  ImGui::Begin(id, nullptr,
               ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings);
  ImGui::PopStyleVar(2);
  ImGui::PopStyleColor();
  height_id_ = ImGui::GetID("height");
  popup_id_ = ImGui::GetID("popup");
  constexpr float first_guess = 320.0F;
  const float content_height =
      height > 0.0F ? ui.px(height) : ImGui::GetStateStorage()->GetFloat(height_id_, ui.px(first_guess));
  const float margin = ui.px(32);
  // In a window narrower than this, the sheet's sides lie outside. A text field needs some width to be drawn.
  const ImVec2 least(ui.px(160), ui.px(80));
  const ImVec2 size(std::max(std::min(ui.px(width), display.x - margin), least.x),
                    std::max(std::min(content_height, display.y - margin), least.y));
  const ImVec2 min((display.x - size.x) / 2.0F, (display.y - size.y) / 2.0F);
  const ImVec2 max(min.x + size.x, min.y + size.y);
  const bool beside = ImGui::IsMouseClicked(ImGuiMouseButton_Left) && !ImGui::IsWindowAppearing() &&
                      ImGui::IsWindowHovered(ImGuiHoveredFlags_RootAndChildWindows) &&
                      !ImGui::IsMouseHoveringRect(min, max, false);
  // The same press has closed an open list, such as that of a menu in the sheet.
  const bool closes_list = ImGui::GetStateStorage()->GetBool(popup_id_);
  if (!closes_list && (beside || chord_pressed({Key::escape}))) open = false;
  ImGui::SetCursorScreenPos(min);
  ImGui::PushStyleColor(ImGuiCol_ChildBg, to_vec4(ui.theme().panel));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(ui.px(24), ui.px(20)));
  begin_child("panel", size, ImGuiWindowFlags_None, true);
  ImGui::PopStyleVar();
  ImGui::PopStyleColor();
}

Sheet::~Sheet() {
  const float contents = ImGui::GetCursorPosY() + ui_.px(20) - ImGui::GetStyle().ItemSpacing.y;
  // The cross is drawn last, so that the keyboard focus begins with the contents.
  const ImVec2 corner = ImGui::GetWindowPos();
  if (closing_cross(ui_, {corner.x + ImGui::GetWindowWidth() - ui_.px(42), corner.y})) open_ = false;
  end_child();
  ImGui::GetStateStorage()->SetFloat(height_id_, contents);
  const bool has_list = ImGui::IsPopupOpen("", ImGuiPopupFlags_AnyPopupId | ImGuiPopupFlags_AnyPopupLevel);
  ImGui::GetStateStorage()->SetBool(popup_id_, has_list);
  end_window();
}

bool Sheet::confirmed() const {
  return chord_pressed({Key::enter});
}

void help_sheet(Ui& ui, bool& open, std::span<const HelpRow> rows, const std::string& notices) {
  if (!open) return;
  constexpr float width = 900.0F;
  const Sheet sheet(ui, "##help", open, width);
  text(ui, "Keyboard and mouse", Font::sans_bold, text_size::title, ui.theme().text);
  paragraph(
      ui,
      "What you type begins a new sentence, or goes as a number to the covered cell under the mouse. Alt opens "
      "pages and switches things on and off; Ctrl is for files, editing and the window.",
      ui.theme().quiet, text_size::body);
  help_rows(ui, rows, ui.px(720.0F));
  if (!notices.empty() && ImGui::CollapsingHeader("About: libraries and fonts in this page"))
    ImGui::TextUnformatted(notices.data(), notices.data() + notices.size());
  ImGui::Dummy(ImVec2(0.0F, ui.px(4)));
  if (button(ui, "Close", "", "Esc")) open = false;
}

}  // namespace headscope
