#include "app/widgets/toast.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "app/widgets/controls.h"
#include "app/widgets/paint.h"
#include "core/figure/text_fit.h"

namespace headscope {
namespace {

double reading_time(std::string_view text) {
  constexpr double least = 4.0;
  constexpr double letters_a_second = 18.0;
  return std::max(least, static_cast<double>(text.size()) / letters_a_second);
}

}  // namespace

void Toasts::push(std::string text, NoticeKind kind, double seconds) {
  const double shown_for = seconds > 0.0 ? seconds : reading_time(text);
  // Warnings that arrive together are read together. A later warning replaces the earlier ones.
  constexpr double one_moment = 1.0;
  if (kind == NoticeKind::warning && !toasts_.empty() && toasts_.back().stays() &&
      toasts_.back().age < one_moment) {
    if (toasts_.back().text != text) toasts_.back().text += " · " + text;
    return;
  }
  std::erase_if(toasts_, [&](const Toast& toast) { return !toast.stays() || kind == NoticeKind::warning; });
  toasts_.push_back({std::move(text), kind, shown_for});
}

void Toasts::answer() {
  // An older message has been seen. It must not come back once the newest one goes.
  if (toasts_.size() > 1) toasts_.erase(toasts_.begin(), toasts_.end() - 1);
  for (Toast& toast : toasts_) toast.answered = true;
}

double Toasts::seconds_left() const {
  double soonest = -1.0;
  for (const Toast& toast : toasts_) {
    const double left = std::max(0.0, toast.seconds - toast.age);
    if (!toast.stays()) soonest = soonest < 0.0 ? left : std::min(soonest, left);
  }
  return soonest;
}

void Toasts::advance(Ui& ui) {
  const auto elapsed = static_cast<double>(ImGui::GetIO().DeltaTime);
  for (Toast& toast : toasts_) toast.age += toast.shown ? elapsed : 0.0;
  std::erase_if(toasts_, [](const Toast& toast) { return !toast.stays() && toast.age >= toast.seconds; });
  if (!toasts_.empty()) toasts_.back().shown = true;
  if (const double left = seconds_left(); left >= 0.0) ui.wake_in(left);
}

void Toasts::draw_line(Ui& ui, float width) {
  if (toasts_.empty()) return;
  const Toast& toast = toasts_.back();
  const Theme& theme = ui.theme();
  const bool is_warning = toast.kind == NoticeKind::warning;
  constexpr const char* dismiss = "dismiss";
  const float gap = ui.px(12.0F);
  const float dismiss_width =
      is_warning ? std::ceil(paint::text_width(ui, dismiss, Font::sans, text_size::small)) + gap : 0.0F;
  const std::string shown =
      paint::fitted(ui, toast.text, Font::sans, text_size::small, std::max(width - dismiss_width, 0.0F));
  text(ui, shown, Font::sans, text_size::small, is_warning ? theme.warning : theme.text);
  if (shown != toast.text) tooltip_for_item(ui, toast.text.c_str());
  if (!is_warning || width < dismiss_width) return;
  ImGui::SameLine(0.0F, gap);
  if (link(ui, dismiss, "Dismiss this message", text_size::small)) toasts_.pop_back();
}

void Toasts::draw_over(Ui& ui) {
  if (toasts_.empty()) return;
  const Toast& toast = toasts_.back();
  const Theme& theme = ui.theme();
  ImDrawList& list = *ImGui::GetForegroundDrawList();
  const ImVec2 display = ImGui::GetIO().DisplaySize;
  const float padding = ui.px(12);
  const float widest = std::max(display.x - 4.0F * padding, 1.0F);
  const std::vector<std::string> lines =
      wrapped_lines(toast.text, widest / ui.scale(), Font::sans, text_size::control, ui.measure());
  const ImVec2 size = paint::lines_size(ui, lines, Font::sans, text_size::control);
  const ImVec2 max(std::round((display.x + size.x) / 2.0F) + padding, display.y - ui.px(4));
  const ImVec2 min(max.x - size.x - 2.0F * padding, std::round(max.y - size.y) - 2.0F * ui.px(4));
  const Color border = toast.kind == NoticeKind::warning ? theme.warning : theme.accent;
  paint::card(ui, list, min, max, theme.panel, border, ui.px(6));
  paint::lines(ui, list, {min.x + padding, min.y + ui.px(4)}, lines, Font::sans, text_size::control,
               theme.text);
}

}  // namespace headscope
