#include <filesystem>
#include <ostream>

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

}  // namespace

Result<void> run_worksheet(const CommandOptions& o, std::ostream& out) {
  if (o.has(setting("cover.solution")))
    return usage_error("--solution is not needed: the solution is written beside the worksheet");
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
