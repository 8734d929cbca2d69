#include <cstddef>
#include <string>
#include <vector>

#include "app/parts/export_form.h"
#include "app/parts/page_part.h"
#include "app/views/page_views.h"
#include "app/widgets/controls.h"
#include "app/widgets/paint.h"
#include "app/widgets/panel.h"
#include "app/widgets/text.h"

namespace headscope {
namespace {

bool is_open(const Frame& frame, const std::string& name) {
  return frame.lesson != nullptr && frame.lesson->walk.lesson->id() == name;
}

/// The step of a lesson at which the learner goes on: the first one, once the last one was reached.
std::size_t step_to_open(const Frame& frame, const LessonCard& card) {
  const LessonProgress& progress = frame.screen.scenes.lesson_progress;
  const auto reached = progress.find(card.name);
  const bool is_on_the_way =
      reached != progress.end() && reached->second > 0 && reached->second <= card.n_steps;
  return is_on_the_way ? static_cast<std::size_t>(reached->second) - 1 : 0;
}

/// A card as a button: an outline says that it is open, or that the mouse or the keyboard is on it. Returns
/// true if the keyboard pressed it. The page below has the mouse.
bool card_button(Frame& frame, const std::string& name, const ImVec2& min, const ImVec2& size, bool hovered) {
  ImGui::SetCursorScreenPos(min);
  const bool pressed = invisible_button(name.c_str(), size);
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float rounding = frame.ui.px(8.0F);
  if (hovered || is_open(frame, name))
    list.AddRect(min, {min.x + size.x, min.y + size.y}, packed(frame.ui.theme().accent), rounding, 0,
                 frame.ui.px(is_open(frame, name) ? 2.0F : 1.0F));
  paint::focus_ring(frame.ui, list, rounding);
  return pressed;
}

/// What stands above the cards.
void about_lessons(Frame& frame) {
  text_line(
      frame.ui,
      {{"Each lesson takes five to ten minutes, shows in the window what it explains, and asks you to try it.",
        Font::sans, text_size::body, frame.ui.theme().quiet}});
  const std::string tooltip = frame.with_keys(
      "Begins a lesson of your own. Its first step shows what you see; you write its text and add more",
      CommandId::add_lesson_step);
  continue_line(frame.ui.px(16.0F), link_width(frame.ui, "Make your own"));
  if (link(frame.ui, "Make your own", tooltip.c_str())) frame.emit(CommandId::add_lesson_step);
  continue_line(frame.ui.px(16.0F), link_width(frame.ui, "Open a file"));
  if (link(frame.ui, "Open a file",
           frame.with_keys("Opens a lesson file, NAME.md", CommandId::open_file).c_str()))
    frame.emit(CommandId::open_file);
}

}  // namespace

void lessons_view(Frame& frame) {
  const Panel panel(frame.ui, "lessons", ImGui::GetContentRegionAvail(), PanelScroll::vertical);
  about_lessons(frame);
  const PageMouse mouse = draw_page(frame, PageName::lessons, ImGui::GetContentRegionAvail());
  const ImVec2 below = ImGui::GetCursorPos();
  const auto* pointed = mouse.on<LessonCard>();
  if (pointed != nullptr) ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
  const LessonCard* opened = mouse.clicked ? pointed : nullptr;
  const float scale = frame.ui.page_scale();
  for (const HitRegion& region : mouse.page->regions) {
    const auto& card = std::get<LessonCard>(region.meaning);
    const ImVec2 min{mouse.origin.x + region.box.x * scale, mouse.origin.y + region.box.y * scale};
    if (card_button(frame, card.name, min, {region.box.w * scale, region.box.h * scale},
                    &region == mouse.region))
      opened = &card;
  }
  ImGui::SetCursorPos(below);
  if (opened != nullptr) frame.send(OpenLesson{opened->name, step_to_open(frame, *opened)});
}

}  // namespace headscope
