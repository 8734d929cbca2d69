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

void help_rows(Ui& ui, std::span<const HelpRow> rows) {
  for (const std::string& group : groups_of(rows)) {
    section(ui, group.c_str());
    for (const HelpRow& row : rows) {
      if (row.group == group) help_row(ui, row);
    }
  }
}

}  // namespace

void help_sheet(Ui& ui, bool& open, std::span<const HelpRow> rows) {
  if (!open) return;
  constexpr float width = 480.0F;
  const Sheet sheet(ui, "##help", open, width);
  text(ui, "Keyboard and mouse", Font::sans_bold, text_size::title, ui.theme().text);
  help_rows(ui, rows);
  ImGui::Dummy(ImVec2(0.0F, ui.px(4)));
  if (button(ui, "Close", "", "Esc")) open = false;
}

}  // namespace headscope
