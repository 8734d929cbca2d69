#include "app/widgets/help_sheet.h"

#include <algorithm>
#include <string>
#include <vector>

#include "app/widgets/controls.h"
#include "app/widgets/paint.h"
#include "app/widgets/sheet.h"
#include "app/widgets/text.h"

namespace headscope {
namespace {

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

void help_sheet(Ui& ui, bool& open, std::span<const HelpRow> rows) {
  if (!open) return;
  constexpr float width = 900.0F;
  const Sheet sheet(ui, "##help", open, width);
  text(ui, "Keyboard and mouse", Font::sans_bold, text_size::title, ui.theme().text);
  help_rows(ui, rows, ui.px(720.0F));
  ImGui::Dummy(ImVec2(0.0F, ui.px(4)));
  if (button(ui, "Close", "", "Esc")) open = false;
}

}  // namespace headscope
