#include "app/widgets/panel.h"

#include <algorithm>

#include "app/widgets/paint.h"

namespace headscope {

void fade_out(const Ui& ui) {
  const float below = ImGui::GetScrollMaxY() - ImGui::GetScrollY();
  if (below < 1.0F) return;
  constexpr float height = 28.0F;
  constexpr float border = 1.0F;
  const ImVec2 corner = ImGui::GetWindowPos();
  const float bottom = corner.y + ImGui::GetWindowHeight() - border;
  const float right = corner.x + ImGui::GetWindowWidth() - ImGui::GetStyle().ScrollbarSize;
  Color clear = ui.theme().panel;
  clear.a = 0;
  const ImU32 from = paint::ink(clear);
  const ImU32 to = paint::ink(ui.theme().panel);
  ImGui::GetWindowDrawList()->AddRectFilledMultiColor(
      {corner.x + border, bottom - std::min(ui.px(height), below)}, {right, bottom}, from, from, to, to);
}

Panel::Panel(Ui& ui, const char* id, ImVec2 size, PanelScroll scroll) : ui_(ui) {
  ImGui::PushStyleColor(ImGuiCol_ChildBg, to_vec4(ui.theme().panel));
  const float padding = ui.px(16);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(padding, ui.px(14)));
  // The scroll bar stands in the padding, so that nothing moves when it appears.
  if (scroll == PanelScroll::vertical) ImGui::SetNextWindowContentSize({size.x - 2.0F * padding, 0.0F});
  const ImGuiWindowFlags still = ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse;
  begin_child(id, size, true, scroll == PanelScroll::none ? still : ImGuiWindowFlags_None);
  ImGui::PopStyleVar();
  ImGui::PopStyleColor();
}

Panel::~Panel() {
  fade_out(ui_);
  end_child();
}

LinePart::LinePart(const char* id, ImVec2 size) {
  constexpr bool padded = false;
  begin_child(id, size, padded, ImGuiWindowFlags_NoScrollbar);
}

LinePart::~LinePart() {
  end_child();
}

Ground::Ground(Ui& ui) {
  ImGui::SetNextWindowPos(ImVec2(0.0F, 0.0F));
  ImGui::SetNextWindowSize(ImGui::GetIO().DisplaySize);
  ImGui::PushStyleColor(ImGuiCol_WindowBg, to_vec4(ui.theme().ground));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(0.0F, 0.0F));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, 0.0F);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, 0.0F);
  ImGui::Begin("##ground", nullptr,
               ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings |
                   ImGuiWindowFlags_NoBringToFrontOnFocus | ImGuiWindowFlags_NoScrollWithMouse);
  ImGui::PopStyleVar(3);
  ImGui::PopStyleColor();
}

Ground::~Ground() {
  end_window();
}

}  // namespace headscope
