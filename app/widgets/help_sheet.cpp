#include "app/widgets/help_sheet.h"

#include <algorithm>
#include <string>
#include <vector>

#include "app/ui/keys.h"
#include "app/widgets/controls.h"
#include "app/widgets/paint.h"
#include "app/widgets/panel.h"
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

/// Room for everything; where the window is too low the sheet scrolls.
float wanted_height(const Ui& ui, std::span<const HelpRow> rows) {
  constexpr float frame = 108.0F;
  constexpr float group_height = 36.0F;
  constexpr float row_height = 26.0F;
  return ui.px(frame + group_height * static_cast<float>(groups_of(rows).size()) +
               row_height * static_cast<float>(rows.size()));
}

}  // namespace

void help_sheet(Ui& ui, bool& open, std::span<const HelpRow> rows) {
  if (!open) return;
  const ImVec2 display = ImGui::GetIO().DisplaySize;
  const ImVec2 size(std::min(ui.px(480), display.x - ui.px(32)),
                    std::min(wanted_height(ui, rows), display.y - ui.px(32)));
  const ImVec2 min((display.x - size.x) / 2.0F, (display.y - size.y) / 2.0F);
  const ImVec2 max(min.x + size.x, min.y + size.y);
  ImGui::SetNextWindowPos(ImVec2(0.0F, 0.0F));
  ImGui::SetNextWindowSize(display);
  ImGui::PushStyleColor(ImGuiCol_WindowBg, ImVec4(0.0F, 0.0F, 0.0F, 0.4F));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, 0.0F);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, 0.0F);
  ImGui::Begin("##help", nullptr,
               ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings);
  ImGui::PopStyleVar(2);
  ImGui::PopStyleColor();
  const bool beside = ImGui::IsMouseClicked(ImGuiMouseButton_Left) && !ImGui::IsWindowAppearing() &&
                      !ImGui::IsMouseHoveringRect(min, max, false);
  if (beside || chord_pressed({Key::escape})) open = false;
  ImGui::SetCursorScreenPos(min);
  {
    const Panel panel(ui, "sheet", size, PanelScroll::vertical);
    text(ui, "Keyboard and mouse", Font::sans_bold, text_size::title, ui.theme().text);
    help_rows(ui, rows);
    ImGui::Dummy(ImVec2(0.0F, ui.px(4)));
    if (button(ui, "Close", "", "Esc")) open = false;
  }
  ImGui::End();
}

}  // namespace headscope
