#include "app/shell/notices.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <ctime>
#include <filesystem>
#include <string>
#include <string_view>

#include "app/parts/number_editor.h"
#include "app/widgets/controls.h"
#include "app/widgets/text.h"
#include "core/trace/intervention_text.h"

namespace headscope {

void problem_notice(Frame& frame) {
  if (frame.error.empty()) return;
  const std::string what =
      frame.trace ? frame.error + ". Showing the last pass that could be computed." : frame.error + ".";
  notice(frame.ui, what, NoticeKind::warning);
}

void interventions_notice(Frame& frame) {
  const bool page_says_it = frame.session.view == PageName::effects;
  const std::string changed = frame.trace && !page_says_it ? changes_sentences(*frame.trace) : "";
  if (!changed.empty()) notice(frame.ui, changed, NoticeKind::information);
  given_links(frame);
}

namespace {

/// "23 November, 17:40".
std::string time_text(std::filesystem::file_time_type written) {
  using namespace std::chrono;
  const auto since_epoch = time_point_cast<system_clock::duration>(file_clock::to_sys(written));
  const std::time_t time = system_clock::to_time_t(since_epoch);
  std::tm local{};
  if (::localtime_r(&time, &local) == nullptr) return {};
  std::array<char, 64> text{};
  std::strftime(text.data(), text.size(), "%e %B, %H:%M", &local);
  const std::string_view said(text.data());
  return std::string(said.substr(std::min(said.find_first_not_of(' '), said.size())));
}

/// Whether the mouse was pressed so soon after an answer that it makes a double click with the one before: it
/// was not meant for the session that has come to its place since.
bool belongs_to_last_answer(const ScreenState& screen) {
  const ImGuiIO& io = ImGui::GetIO();
  const double pressed = ImGui::IsMouseReleased(0) ? io.MouseClickedTime[0] : ImGui::GetTime();
  return pressed < screen.leftover_answered + static_cast<double>(io.MouseDoubleClickTime);
}

void answer(ScreenState& screen, const Leftover& left, bool opens) {
  if (belongs_to_last_answer(screen)) return;
  screen.leftover_answer = LeftoverAnswer{left.folder, opens};
  screen.leftover_answered = ImGui::GetTime();
}

/// The buttons of a session that was left, and which it is.
void leftover_row(Frame& frame, std::size_t index) {
  const Leftover& left = (*frame.screen.leftovers)[index];
  const bool is_newest = index == 0;
  const ButtonLook look = is_newest ? ButtonLook::primary : ButtonLook::plain;
  ImGui::PushID(left.folder.c_str());
  if (button(frame.ui, is_newest ? "Open that session" : "Open",
             "Continue where it ended; Undo returns to this session", "", look)) {
    answer(frame.screen, left, true);
  }
  ImGui::SameLine();
  if (button(frame.ui, is_newest ? "Discard it" : "Discard", "Remove what was kept of it"))
    answer(frame.screen, left, false);
  ImGui::PopID();
  if (frame.screen.leftovers->size() == 1) return;
  ImGui::SameLine();
  const Theme& theme = frame.ui.theme();
  text_line(frame.ui, {{time_text(left.written), Font::sans, text_size::control, theme.quiet},
                       {left.sentence, Font::sans, text_size::control, theme.text}});
}

}  // namespace

void leftover_notice(Frame& frame) {
  const std::size_t n = frame.screen.leftovers->size();
  if (n == 0 || !frame.screen.offers_leftovers) return;
  notice(frame.ui,
         n == 1 ? "Last time, Headscope ended unexpectedly. What you were doing was kept."
                : "Headscope ended unexpectedly " + std::to_string(n) +
                      " times. What you were doing was kept each time.",
         NoticeKind::information);
  constexpr std::size_t most_at_once = 5;
  constexpr float row_height = 36.0F;
  if (n <= most_at_once) {
    for (std::size_t i = 0; i < n; ++i) leftover_row(frame, i);
    return;
  }
  const float height = frame.ui.px(row_height * (static_cast<float>(most_at_once) - 0.5F));
  if (begin_child("leftovers", {0.0F, height}, false, ImGuiWindowFlags_None)) {
    for (std::size_t i = 0; i < n; ++i) leftover_row(frame, i);
  }
  end_child();
}

}  // namespace headscope
