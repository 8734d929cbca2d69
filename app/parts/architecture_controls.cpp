#include <algorithm>
#include <array>

#include "app/parts/setting_groups.h"
#include "app/widgets/controls.h"
#include "app/widgets/text.h"

namespace headscope {
namespace {

void new_seed(Frame& frame) {
  if (link(frame.ui, "new seed", "Draw new random weights", text_size::control, LinkLook::quiet))
    frame.emit(CommandId::new_seed);
}

/// The switches for the biases of attention's four projections, side by side.
void biases(Frame& frame) {
  constexpr std::array all{&setting("architecture.bias.query"), &setting("architecture.bias.key"),
                           &setting("architecture.bias.value"), &setting("architecture.bias.output")};
  constexpr float widest_button = 28.0F;
  constexpr float word = 48.0F;
  const Ui& ui = frame.ui;
  const float gap = ui.px(4.0F);
  const ImVec2 corner = ImGui::GetCursorScreenPos();
  const float room = ImGui::GetContentRegionAvail().x;
  const auto n = static_cast<float>(all.size());
  const float each = std::clamp((room - ui.px(word) - gap * (n - 1.0F)) / n, 1.0F, ui.px(widest_button));
  const float width = each * n + gap * (n - 1.0F);
  ImGui::SetCursorScreenPos({corner.x, corner.y + ui.px(6.0F)});
  text(frame.ui, "biases", Font::sans, text_size::body, ui.theme().text);
  ImGui::SetCursorScreenPos({corner.x + room - width, corner.y});
  for (const Setting* const bias : all) {
    const bool on = std::get<field::Flag>(bias->field).value.read(frame.session);
    const ButtonLook look = on ? ButtonLook::plain : ButtonLook::quiet;
    if (button(frame.ui, bias->control.label.data(), bias->sentence, "", look, each))
      change_setting(frame, *bias, !on);
    if (bias != all.back()) ImGui::SameLine(0.0F, gap);
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
  const bool is_foreign = session.model && session.model->is_foreign();
  const bool is_random = !session.model || (!is_foreign && session.model->steps == 0);
  if (!is_random) words.add(is_foreign ? "from a file" : "trained");
  if (!session.given.empty()) words.add("numbers by hand");
  if (is_random && session.given.empty()) words.add("seed " + std::to_string(session.architecture.seed));
  return words.text("");
}

}  // namespace headscope
