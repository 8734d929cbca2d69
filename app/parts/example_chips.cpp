#include "app/parts/example_chips.h"

#include <algorithm>
#include <cmath>

#include "app/widgets/controls.h"
#include "app/widgets/paint.h"
#include "app/widgets/text.h"
#include "core/engine/opening.h"
#include "core/tasks/task.h"

namespace headscope {
namespace {

constexpr float chip_height = 22.0F;
constexpr float line_height = 30.0F;
constexpr float widest_chip = 232.0F;
/// Lower windows need the height for the pictures.
constexpr float least_window = 640.0F;

/// The sentence where it fits, else without its middle: examples differ in how they begin and how they end.
std::string fitted_example(const Ui& ui, const std::string& sentence, float width) {
  const auto fits = [&](const std::string& text) {
    return paint::text_width(ui, text, Font::sans, text_size::control) <= width;
  };
  if (fits(sentence)) return sentence;
  const std::size_t second_word = sentence.find(' ');
  const std::size_t beginning = std::min(sentence.find(' ', second_word + 1), sentence.size());
  for (std::size_t end = sentence.find(' ', beginning + 1); end < sentence.size();
       end = sentence.find(' ', end + 1)) {
    std::string shortened = sentence.substr(0, beginning) + " …" + sentence.substr(end);
    if (fits(shortened)) return shortened;
  }
  return paint::fitted(ui, sentence, Font::sans, text_size::control, width);
}

/// True when it was clicked.
bool chip(Ui& ui, const std::string& sentence, float width, int number, bool is_shown) {
  const Theme& theme = ui.theme();
  const ImVec2 min = ImGui::GetCursorScreenPos();
  const ImVec2 max(min.x + width, min.y + ui.px(chip_height));
  ImGui::PushID(number);
  const bool clicked = invisible_button("example", {width, max.y - min.y});
  ImGui::PopID();
  const bool is_hovered = ImGui::IsItemHovered();
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const Color border = is_shown || is_hovered ? theme.accent : theme.line;
  paint::card(ui, list, min, max, is_hovered ? theme.control : theme.panel, border, (max.y - min.y) / 2.0F);
  const float padding = ui.px(10);
  paint::text(ui, list, min.x + padding, std::round((min.y + max.y) / 2.0F),
              fitted_example(ui, sentence, width - 2.0F * padding), Font::sans, text_size::control,
              is_shown || is_hovered ? theme.text : theme.quiet);
  paint::focus_ring(ui, list, (max.y - min.y) / 2.0F);
  tooltip_for_item(ui, ("Show “" + sentence + "”").c_str());
  return clicked;
}

}  // namespace

float example_chips_height(const Ui& ui, const Session& session) {
  const bool has_room = ImGui::GetIO().DisplaySize.y >= ui.px(least_window);
  return has_room && task_named(session.task) ? ui.px(line_height) : 0.0F;
}

void example_chips(Frame& frame, float width) {
  const auto kind = task_named(frame.session.task);
  if (!kind) return;
  Ui& ui = frame.ui;
  const ImVec2 start = ImGui::GetCursorPos();
  const float gap = ui.px(6);
  constexpr const char* more = "All it knows…";
  const float more_width = paint::text_width(ui, more, Font::sans, text_size::control) + gap;
  float x = 0.0F;
  int number = 0;
  for (const std::string& sentence : task(*kind).example_sentences()) {
    const float text_width = paint::text_width(ui, sentence, Font::sans, text_size::control);
    const float chip_width = std::min(std::ceil(text_width) + ui.px(20), ui.px(widest_chip));
    if (x + chip_width + gap + more_width > width) break;
    ImGui::SetCursorPos({start.x + x, start.y});
    if (chip(ui, sentence, chip_width, number++, sentence == frame.session.sentence)) {
      for (const Action& action : showing_example(frame.session, sentence)) frame.emit(action);
    }
    x += chip_width + gap;
  }
  ImGui::SetCursorPos({start.x + x + gap, start.y + ui.px(3)});
  if (link(ui, more, "Its words, and more sentences to try (K)")) frame.emit(CommandId::known_words);
}

}  // namespace headscope
