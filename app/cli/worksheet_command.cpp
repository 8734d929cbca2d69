#include <algorithm>
#include <array>
#include <filesystem>
#include <ostream>
#include <string>

#include "app/cli/commands.h"
#include "app/cli/figure_output.h"
#include "app/cli/figure_session.h"
#include "app/cli/option_values.h"
#include "app/cli/session_options.h"
#include "core/page/worksheet_page.h"
#include "core/session/action.h"

namespace headscope {
namespace {

/// "sheet-solution.pdf" beside "sheet.pdf".
std::string solution_beside(const std::string& out) {
  const std::filesystem::path path(out);
  return (path.parent_path() / (path.stem().string() + "-solution" + path.extension().string())).string();
}

/// What --cover names; else the pinned cell alone; else all of the stage.
Session covered_session(Session session) {
  const auto& pin = session.selection.pin;
  if (session.cover.stage || !pin) return with_exercise(std::move(session));
  Cover cover;
  cover.stage = pin->stage;
  cover.cells = {{pin->row, pin->col}};
  return reduce(session, SetCover{cover});
}

/// Options with which there would be no exercise.
Result<void> check_is_exercise(const CommandOptions& o) {
  constexpr const char* all = "all";
  if (o.has(setting("cover.solution")))
    return usage_error("--solution is not needed: the solution is written beside the worksheet");
  if (o.text(setting("cover.cells")) == "none")
    return usage_error("--cover none leaves nothing to fill in: name cells, or leave --cover out for all");
  for (const Setting& each : {setting("selection.stage"), setting("selection.head")}) {
    if (o.text(each) != all) continue;
    return usage_error(std::string(each.option) +
                       " all is no exercise: a worksheet is of one stage of one head, so name it");
  }
  if (o.diagram) return usage_error("--diagram is no exercise: leave it out, or use “headscope render”");
  const auto page = o.text(setting("selection.view"));
  constexpr std::array<const char*, 4> with_covers{"worksheet", "explore", "stages", "inspector"};
  if (page && std::ranges::find(with_covers, *page) == with_covers.end() &&
      choice<PageName>("--page", *page)) {
    return usage_error("--page " + *page +
                       " has no cells to fill in: choose worksheet, explore, stages or inspector");
  }
  return {};
}

}  // namespace

Result<void> run_worksheet(const CommandOptions& o, std::ostream& out) {
  if (auto ok = check_is_exercise(o); !ok) return ok;
  auto session = session_of_figure_options(o, files());
  if (!session) return tl::unexpected(session.error());
  *session = covered_session(std::move(*session));
  const auto sheet = figure_output(o, *session, PageName::worksheet);
  if (!sheet) return tl::unexpected(sheet.error());
  if (!std::filesystem::path(sheet->out).has_extension())
    return wrong_value("--out", sheet->out, "two files are written, whose names end in .pdf, .svg or .png");
  const auto shown = inputs_of_output(o, *session, *sheet);
  if (!shown) return tl::unexpected(shown.error());
  PageInputs solved = *shown;
  solved.session.cover.solution = true;
  FigureOutput solution = *sheet;
  solution.out = solution_beside(sheet->out);
  if (auto written = write_output(*shown, *sheet); !written) return written;
  if (auto written = write_output(solved, solution); !written) return written;
  out << sheet->out << '\n' << solution.out << '\n';
  tell_of_masks(o, *session);
  return {};
}

}  // namespace headscope
