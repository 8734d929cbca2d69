#include "app/parts/prose_part.h"

#include <map>

#include "app/ui/figure_painter.h"
#include "app/widgets/controls.h"
#include "app/widgets/text.h"
#include "core/lesson/lesson.h"
#include "core/lesson/read_lesson.h"
#include "core/page/parts/prose_picture.h"

namespace headscope {
namespace {

void follow(Frame& frame, const Lesson& from, const std::string& address) {
  if (!is_lesson_link(address)) {
    frame.ui.set_clipboard_text(address);
    return frame.screen.toasts.push("Copied the address: " + address, NoticeKind::information);
  }
  frame.send(OpenLesson{linked_lesson(from, address)});
}

}  // namespace

void draw_prose(Frame& frame, const Prose& text, Color color, float size, const Lesson& from) {
  if (text.empty()) return;
  Ui& ui = frame.ui;
  const float width = ImGui::GetContentRegionAvail().x / ui.scale();
  const ProsePicture picture = prose_picture(text, width, size, color, ui.theme(), ui.measure());
  const ImVec2 origin = figure_item(ui, picture.figure);
  if (!ImGui::IsItemHovered()) return;
  const Point mouse = to_figure(ImGui::GetIO().MousePos, origin, ui.scale());
  for (const ProsePicture::Link& link : picture.links) {
    if (!link.box.contains(mouse)) continue;
    ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
    tooltip(ui, is_lesson_link(link.address) ? "Opens this lesson" : "Copies the address " + link.address);
    if (ImGui::IsMouseClicked(ImGuiMouseButton_Left)) follow(frame, from, link.address);
  }
}

void lesson_link(Frame& frame, const std::string& name, float size) {
  const LessonFile* file = lesson_file(name);
  if (file == nullptr) return;
  std::string& title = frame.screen.own.of<std::map<std::string, std::string>>("lesson titles")[name];
  if (title.empty()) title = outline_of_lesson(name, file->text).title;
  const std::string label = "Lesson: " + title;
  if (link(frame.ui, label.c_str(), "Explains what this shows, and asks you to try it", size))
    frame.send(OpenLesson{name});
}

}  // namespace headscope
