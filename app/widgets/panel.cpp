#include "app/widgets/panel.h"

namespace headscope {

Panel::Panel(Ui& ui, const char* id, ImVec2 size, PanelScroll scroll) {
  ImGui::PushStyleColor(ImGuiCol_ChildBg, to_vec4(ui.theme().panel));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(ui.px(16), ui.px(14)));
  const ImGuiWindowFlags still = ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse;
  begin_child(id, size, true, scroll == PanelScroll::none ? still : ImGuiWindowFlags_None);
  ImGui::PopStyleVar();
  ImGui::PopStyleColor();
}

Panel::~Panel() {
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
