#include "app/views/sentence_bar.h"

#include "app/widgets/sentence_field.h"
#include "app/widgets/text.h"

namespace headscope {
namespace {

std::string grouped(int number) {
  std::string digits = std::to_string(number);
  for (int at = static_cast<int>(digits.size()) - 3; at > 0; at -= 3)
    digits.insert(static_cast<std::size_t>(at), ",");
  return digits;
}

/// "11 tokens", and the limit before it is met.
std::string token_count(const Frame& frame) {
  const int n = frame.trace->tokens_in_sentence();
  std::string said = grouped(n) + (n == 1 ? " token" : " tokens");
  constexpr int near_the_limit = 4;
  if (frame.max_tokens > 0 && n > frame.max_tokens / near_the_limit)
    said += " of at most " + grouped(frame.max_tokens);
  return said;
}

}  // namespace

void sentence_bar(Frame& frame) {
  const Ui& ui = frame.ui;
  const float side = ui.px(170.0F);
  const float width = ImGui::GetContentRegionAvail().x;
  const ImVec2 start = ImGui::GetCursorPos();
  std::string sentence = frame.session.sentence;
  SentenceFieldLook look;
  look.width = width - side;
  look.take_focus = frame.screen.focus_sentence;
  frame.screen.focus_sentence = false;
  if (sentence_field(frame.ui, "##sentence", sentence, look)) frame.emit(SetSentence{sentence});
  if (!frame.trace) return;
  const auto right_aligned = [&](const std::string& said, Font font, Color color, float y) {
    const float said_width = ui.measure()(said, font, text_size::small).width * ui.scale();
    ImGui::SetCursorPos({start.x + width - said_width, start.y + ui.px(y)});
    text(frame.ui, said, font, text_size::small, color);
  };
  constexpr float first_line = 0.0F;
  constexpr float second_line = 17.0F;
  const bool cut = frame.trace->tokens_in_sentence() > frame.trace->n_tokens();
  right_aligned(token_count(frame), Font::sans, cut ? ui.theme().warning : ui.theme().quiet, first_line);
  if (cut) {
    right_aligned("the first " + grouped(frame.trace->n_tokens()) + " are shown", Font::sans,
                  ui.theme().warning, second_line);
  } else {
    right_aligned(frame.computing ? "computing…" : number_text(frame.trace->milliseconds(), 2) + " ms",
                  Font::mono, ui.theme().quiet, second_line);
  }
}

}  // namespace headscope
