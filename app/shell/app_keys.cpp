// The functions of App that handle keys.
#include <algorithm>
#include <array>

#include "app/imgui/keys.h"
#include "app/shell/app.h"
#include "app/shell/commands.h"
#include "app/shell/moves.h"
#include "app/shell/view_record.h"
#include "core/page/page_record.h"
#include "core/trace/cover.h"

namespace headscope {

namespace {

/// Whether a key belongs to the answer that is typed over a covered cell: a character that can begin a
/// number, or any letter or a fraction bar after it.
bool is_of_answer(const Chord& chord, const AnswerDraft& answer) {
  if (chord.ctrl || chord.alt) return false;
  const bool is_letter = chord.key >= Key::a && chord.key <= Key::z;
  const bool continues = is_letter || chord.key == Key::slash || chord.key == Key::escape;
  return chord.key == Key::period || (!answer.typed.empty() && continues);
}

/// A key that steps through a presentation. A presenter's remote control sends Page Up and Page Down; Home
/// and End go to the first and the last step.
struct StepKey {
  Key key;
  int by;
};
constexpr int to_the_end = 1'000'000;
constexpr std::array step_keys{StepKey{Key::left, -1},       StepKey{Key::right, 1},
                               StepKey{Key::page_up, -1},    StepKey{Key::page_down, 1},
                               StepKey{Key::space, 1},       StepKey{Key::home, -to_the_end},
                               StepKey{Key::end, to_the_end}};

/// Whether a key has another meaning while something is presented.
bool is_of_presentation(const Chord& chord) {
  return chord == Chord{Key::b} ||
         std::ranges::any_of(step_keys, [&](const StepKey& each) { return chord == Chord{each.key}; });
}

/// Whether cells on the current page are covered, so that a typed number may be meant for one.
bool has_cells_to_answer(const Session& session, const Trace* trace) {
  const Cover& cover = session.cover;
  if (trace == nullptr || !cover.stage || !page_record(session.view).can_cover) return false;
  const Extent size = trace->extent(*cover.stage);
  return hides_any(cover, size.rows, size.cols);
}

}  // namespace

bool App::is_under_a_sheet() const {
  return help_open_ || screen_.export_form.open || screen_.open_form.open || screen_.known_words.open ||
         screen_.search.open || screen_.step_form.open || screen_.module.open || screen_.palette.open ||
         screen_.number_editor.stage.has_value();
}

void App::press_keys() {
  const bool under_a_sheet = is_under_a_sheet();
  const bool answers = screen_.answer.listens(ImGui::GetFrameCount());
  for (const Command& command : all_commands()) {
    if (answers && is_of_answer(command.chord, screen_.answer)) continue;
    if (under_a_sheet && !command.is(CommandId::help) && !command.is(CommandId::quit)) continue;
    // Ctrl+C in a text field copies the text selected in it.
    if (command.is(CommandId::copy_figure) && text_has_keyboard()) continue;
    if (screen_.presents && is_of_presentation(command.chord)) continue;
    // In a text field or an open list, Escape only leaves the field or closes the list.
    if (command.is(CommandId::unpin) && (text_had_keyboard_ || text_has_keyboard() || popup_was_open_))
      continue;
    const bool other = command.other_chord && chord_pressed(*command.other_chord, command.repeats);
    if (!other && !chord_pressed(command.chord, command.repeats)) continue;
    if (!answers && is_of_answer(command.chord, {}) && has_cells_to_answer(session(), trace_.get())) {
      say("Point at a covered cell to type its number");
      continue;
    }
    run(command.id);
  }
  if (answers && chord_pressed({Key::escape})) screen_.answer = {};
  if (!screen_.presents || under_a_sheet) return;
  if (chord_pressed({Key::b})) run(CommandId::black_out);
  constexpr bool repeats = true;
  for (const StepKey& each : step_keys) {
    if (chord_pressed({each.key}, repeats)) move_presented(*this, each.by);
  }
}

}  // namespace headscope
