#include <array>
#include <string>

#include "app/parts/page_part.h"
#include "app/parts/setting_groups.h"
#include "app/widgets/controls.h"
#include "app/widgets/slider.h"
#include "app/widgets/text.h"
#include "core/page/parts/covered.h"
#include "core/session/settings.h"

namespace headscope {
namespace {

/// The choices for the cells that are covered.
enum class Covered { all, half, chessboard, chosen };

Covered covered_cells(const Cover& cover) {
  const bool has_list = !cover.rows.empty() || !cover.columns.empty() || !cover.cells.empty();
  if (cover.all && !has_list) return Covered::all;
  if (cover.share > 0.0F && cover.every == 0 && !has_list) return Covered::half;
  return cover.every == 2 && !has_list ? Covered::chessboard : Covered::chosen;
}

/// A cover of the same stage by another rule. Chosen cells start as the cells of the present rule.
Cover covered_by(const Cover& before, Covered which) {
  if (which == Covered::chosen) return before;
  Cover cover;
  cover.stage = before.stage;
  cover.all = which == Covered::all;
  cover.share = which == Covered::half ? 0.5F : 0.0F;
  cover.every = which == Covered::chessboard ? 2 : 0;
  return cover;
}

void which_cells(Frame& frame) {
  const Cover& cover = frame.session.cover;
  static const std::array<std::string, 4> names{"all", "some", "half", "chosen"};
  int which = static_cast<int>(covered_cells(cover));
  if (segmented(
          frame.ui, "covered cells", names, which,
          "All numbers, some chosen at random, every second one as on a chessboard, or cells that you choose with the mouse")) {
    const auto wanted = static_cast<Covered>(which);
    frame.emit(SetCover{covered_by(cover, wanted)});
    if (wanted == Covered::chosen && !frame.screen.is(ClickMode::covering))
      frame.emit(CommandId::toggle_cover_mode);
  }
  if (covered_cells(cover) != Covered::half) return;
  float share = cover.share;
  if (slider_float(frame.ui, "share", share, {0.05F, 1.0F, 2, false},
                   "How many of the numbers are covered")) {
    Cover other = cover;
    other.share = share;
    frame.emit(SetCover{other});
  }
  if (link(frame.ui, "draw others", "Covers other cells, the same number on average")) {
    Cover other = covered_by(cover, Covered::half);
    other.share = cover.share;
    other.seed = cover.seed + 1;
    frame.emit(SetCover{other});
  }
}

}  // namespace

std::string cover_words(const Session& session) {
  return session.cover.stage ? "covers " + std::string(info(session.cover.stage->kind).name) : "none";
}

void cover_controls(Frame& frame) {
  const Cover& cover = frame.session.cover;
  bool covers = cover.is_over(
      canonical(frame.session.architecture, selected_stage(frame, frame.session.selection.stage)));
  if (toggle(frame.ui, "Cover the numbers", covers, setting("cover.cells").sentence))
    frame.emit(CommandId::toggle_cover);
  bool chooses = frame.screen.is(ClickMode::covering);
  if (toggle(frame.ui, "Choose covered cells", chooses,
             "While this is on, drag over a map to cover its cells or uncover them"))
    frame.emit(CommandId::toggle_cover_mode);
  if (cover.stage && frame.trace) {
    if (covers) which_cells(frame);
    bool shows = cover.solution;
    if (toggle(frame.ui, "Show the solution", shows, setting("cover.solution").sentence)) {
      Cover other = cover;
      other.solution = shows;
      frame.emit(SetCover{other});
    }
    const std::string where = covers ? "" : std::string(info(cover.stage->kind).title) + ": ";
    PageTools tools = page_tools(frame);
    paragraph(frame.ui, where + cover_statement(page_inputs(frame), *cover.stage, tools),
              frame.ui.theme().quiet);
  }
  if (link(frame.ui, "Worksheet…", "Saves an exercise for paper, and its solution, as PDF")) {
    frame.screen.export_form.what = static_cast<int>(ExportKind::worksheet);
    frame.screen.export_form.open = true;
  }
}

}  // namespace headscope
