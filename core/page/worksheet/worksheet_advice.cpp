#include "core/page/worksheet/worksheet_advice.h"

#include <array>
#include <string_view>
#include <utility>

#include "core/page/worksheet/worksheet_page.h"

namespace headscope {
namespace {

struct NamedPaper {
  std::string_view name;
  int width, height;  ///< In points.
};
constexpr std::array papers{NamedPaper{"A4 landscape", 842, 595}, NamedPaper{"A3", 842, 1191},
                            NamedPaper{"A3 landscape", 1191, 842}, NamedPaper{"A2", 1191, 1684},
                            NamedPaper{"A2 landscape", 1684, 1191}};
/// The stages that are exercised most often, easiest first.
constexpr std::array stages{StageKind::weights, StageKind::raw, StageKind::query, StageKind::output};
constexpr std::size_t max_stages = 2;

bool comes_about(const PageInputs& in, const FigureSize& paper, const MeasureText& measure) {
  return figure_of_worksheet(in, paper, measure).has_value();
}

PageInputs with_actions(const PageInputs& in, const std::vector<Action>& actions) {
  PageInputs other = in;
  for (const Action& action : actions) other.session = reduce(other.session, action);
  return other;
}

/// Adds the first paper on which the worksheet fits, if there is one.
void add_paper(const PageInputs& in, const FigureSize& paper, const MeasureText& measure,
               std::vector<WorksheetAdvice>& advice) {
  for (const NamedPaper& each : papers) {
    FigureSize other = paper;
    other.width = each.width;
    other.height = each.height;
    if (!comes_about(in, other, measure)) continue;
    advice.push_back({"Use " + std::string(each.name), {}, other});
    return;
  }
}

/// Suggests the way to one cell of the covered stage.
void add_one_cell(const PageInputs& in, const FigureSize& paper, const MeasureText& measure,
                  std::vector<WorksheetAdvice>& advice) {
  Cover cover;
  cover.stage = in.session.cover.stage;
  const int row = in.session.selection.token.value_or(0);
  cover.cells = {{row, 0}};
  std::vector<Action> actions{SetCover{cover}, PinCell{{*cover.stage, row, 0}}};
  if (comes_about(with_actions(in, actions), paper, measure))
    advice.push_back({"Ask for one cell", std::move(actions), {}});
}

void add_without_answers(const PageInputs& in, const FigureSize& paper, const MeasureText& measure,
                         std::vector<WorksheetAdvice>& advice) {
  Cover cover = in.session.cover;
  if (cover.right.empty()) return;
  cover.right.clear();
  std::vector<Action> actions{SetCover{cover}};
  if (comes_about(with_actions(in, actions), paper, measure))
    advice.push_back({"Leave the answers out", std::move(actions), {}});
}

void add_stages(const PageInputs& in, const FigureSize& paper, const MeasureText& measure,
                std::vector<WorksheetAdvice>& advice) {
  std::size_t n_stages = 0;
  for (const StageKind kind : stages) {
    if (kind == in.session.cover.stage->kind || n_stages == max_stages) continue;
    std::vector<Action> actions{SetCover{Cover{}}, SelectStage{kind}};
    PageInputs other = with_actions(in, actions);
    other.session = with_exercise(std::move(other.session), Exercise::row);
    if (!comes_about(other, paper, measure)) continue;
    advice.push_back({"Ask for " + std::string(info(kind).title), std::move(actions), {}});
    ++n_stages;
  }
}

}  // namespace

std::vector<WorksheetAdvice> worksheet_advice(const PageInputs& in, const FigureSize& paper,
                                              const MeasureText& measure) {
  std::vector<WorksheetAdvice> advice;
  if (!in.session.cover.stage || comes_about(in, paper, measure)) return advice;
  add_paper(in, paper, measure, advice);
  add_one_cell(in, paper, measure, advice);
  add_without_answers(in, paper, measure, advice);
  if (advice.size() < 2) add_stages(in, paper, measure, advice);
  return advice;
}

}  // namespace headscope
