#include "app/widgets/toast.h"

#include <algorithm>
#include <cfloat>
#include <cmath>

#include "app/widgets/paint.h"

namespace headscope {

void Toasts::push(std::string text, NoticeKind kind, double seconds) {
  constexpr std::size_t most = 4;
  toasts_.push_back({std::move(text), kind, seconds});
  if (toasts_.size() > most) toasts_.pop_front();
}

double Toasts::seconds_left() const {
  if (toasts_.empty()) return -1.0;
  const auto soonest = std::min_element(toasts_.begin(), toasts_.end(),
                                        [](const Toast& a, const Toast& b) { return a.seconds < b.seconds; });
  return std::max(0.0, soonest->seconds);
}

void Toasts::draw(Ui& ui) {
  const auto elapsed = static_cast<double>(ImGui::GetIO().DeltaTime);
  for (Toast& toast : toasts_) toast.seconds -= toast.shown ? elapsed : 0.0;
  std::erase_if(toasts_, [](const Toast& toast) { return toast.seconds <= 0.0; });
  const Theme& theme = ui.theme();
  ImDrawList& list = *ImGui::GetForegroundDrawList();
  const ImVec2 display = ImGui::GetIO().DisplaySize;
  const SizedFont font = ui.fonts.at(Font::sans, text_size::body);
  const float padding = ui.px(12);
  const float widest = std::min(ui.px(560), display.x - 6.0F * padding);
  float bottom = display.y - ui.px(48);
  for (auto toast = toasts_.rbegin(); toast != toasts_.rend(); ++toast) {
    toast->shown = true;
    ui.fonts.need(toast->text);
    const char* begin = toast->text.data();
    const char* end = begin + toast->text.size();
    const ImVec2 size = font.font->CalcTextSizeA(font.line_height, FLT_MAX, widest, begin, end);
    const ImVec2 min(std::round((display.x - size.x) / 2.0F) - padding,
                     std::round(bottom - size.y) - 2.0F * ui.px(9));
    const ImVec2 max(min.x + size.x + 2.0F * padding, bottom);
    const Color border = toast->kind == NoticeKind::warning ? theme.warning : theme.accent;
    paint::card(ui, list, min, max, theme.panel, border, ui.px(6));
    list.AddText(font.font, font.line_height, ImVec2(min.x + padding, min.y + ui.px(9)), packed(theme.text),
                 begin, end, widest);
    bottom = min.y - ui.px(8);
  }
  if (!toasts_.empty()) ui.wake_in(seconds_left());
}

}  // namespace headscope
