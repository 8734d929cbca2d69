#include "app/parts/architecture_controls.h"

#include <array>

#include "app/widgets/controls.h"
#include "app/widgets/text.h"

namespace headscope {
namespace {

void new_seed(Frame& frame) {
  if (link(frame.ui, "new seed", "Draw new random weights")) frame.emit(CommandId::new_seed);
}

/// The biases of attention's four projections, side by side.
void biases(Frame& frame) {
  constexpr std::array all{&setting("architecture.bias.query"), &setting("architecture.bias.key"),
                           &setting("architecture.bias.value"), &setting("architecture.bias.output")};
  constexpr float button_width = 28.0F;
  constexpr float gap = 4.0F;
  const Ui& ui = frame.ui;
  const float width = ui.px(button_width) * all.size() + ui.px(gap) * (all.size() - 1);
  const ImVec2 corner = ImGui::GetCursorScreenPos();
  const float room = ImGui::GetContentRegionAvail().x;
  ImGui::SetCursorScreenPos({corner.x, corner.y + ui.px(6.0F)});
  text(frame.ui, "biases", Font::sans, text_size::body, ui.theme().text);
  ImGui::SetCursorScreenPos({corner.x + room - width, corner.y});
  for (const Setting* const bias : all) {
    const bool on = std::get<field::Flag>(bias->field).value.read(frame.session);
    const ButtonLook look = on ? ButtonLook::primary : ButtonLook::plain;
    if (button(frame.ui, bias->control.label.data(), bias->sentence, "", look, ui.px(button_width)))
      change_setting(frame, *bias, !on);
    if (bias != all.back()) ImGui::SameLine(0.0F, ui.px(gap));
  }
}

constexpr std::array architecture_panel{
    item("architecture.init"),
    item("architecture.seed"),
    PanelItem{nullptr, new_seed, "new seed"},
    item("architecture.bias.query", biases, "biases Q K V O"),
    item("architecture.output_projection"),
};

}  // namespace

std::span<const PanelItem> weight_items() {
  return architecture_panel;
}

std::string weight_words(const Session& session) {
  WordList words;
  words.add(session.model ? "trained" : "seed " + std::to_string(session.architecture.seed));
  if (!session.given.empty()) words.add("numbers by hand");
  return words.text("");
}

}  // namespace headscope
