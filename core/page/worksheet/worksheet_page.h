#pragma once

#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "core/figure/heatmap.h"
#include "core/page/page.h"
#include "core/result.h"
#include "core/session/action.h"
#include "core/session/session.h"
#include "core/session/shown_figure.h"
#include "core/trace/explain.h"
#include "core/trace/trace.h"

namespace headscope {

/// What a worksheet provides in addition to the formula of its stage.
struct SheetGivens {
  std::vector<StageId> stages;  ///< Stages of the pass, in the order of the formula.
  /// Numbers that are not a stage: what a mask adds, what dropout keeps, and angles.
  std::vector<HeatmapSpec> tables;
  std::vector<std::string> notes;  ///< What the formula does not say.
};
SheetGivens sheet_givens(const Trace& trace, const StageId& stage, const PictureOptions& picture);

/// The cells that a sheet must leave empty in a stage that it provides, because another page of the worksheet
/// asks for them or for numbers that they would reveal.
struct AskedElsewhere {
  Cover cover;  ///< Covers cells of the given stage. Empty if there are none.
  /// The stages that lead from the one that the other page asks for to the given one. Only the given stage if
  /// the two are the same.
  std::vector<StageId> way;
};
AskedElsewhere asked_elsewhere(const PageInputs& in, const StageId& given);

/// Whether another page asks for numbers from which a derivation starts, or for numbers that they would
/// reveal.
bool is_asked_elsewhere(const PageInputs& in, const Explanation::Source& source);

/// Why a worksheet of this stage could not be filled in, because nothing computes the stage, and what to do.
/// Empty if it could. The pass must have the stage.
std::string reason_unsolvable(const Trace& trace, const StageId& stage);

/// Why a sheet of the covered cells would have no empty cell, and what to do. Empty if it has one.
std::string reason_nothing_empty(const PageInputs& in);

/// The formula of a stage in the symbols of the map titles: "softmax(M) over keys".
std::string formula_in_symbols(const Trace& trace, const StageId& stage);

/// A4 in points, which are the units of a figure on paper.
inline const FigureSize worksheet_size{595, 842, 2, std::nullopt};

/// An exercise on paper: the task, the numbers that it needs, and the covered stage with its covered cells
/// left empty. A pinned cell of that stage adds its derivation with a blank for each result; if no other cell
/// is covered, the exercise is this derivation alone. The solution fills in the blanks. The page is as high
/// as its contents and has light colours.
struct Worksheet {
  Page page;
  std::string problem;  ///< Why it cannot be filled in. Empty if it can.
  /// The width in which the numbers would fit into their cells, if they do not. 0 if they do.
  float width_needed = 0.0F;
};
/// The row heights of maps to read and of maps to fill in with a pen.
struct SheetRows {
  float read = 22.0F;
  float written = 30.0F;
  /// The longest side of a map that is drawn at all.
  float longest = std::numeric_limits<float>::infinity();
};
Worksheet worksheet_of(const PageInputs& in, float width, PageTools& tools, SheetRows rows = {});

/// Lays out the worksheet with margins on paper of this size. It is a usage error if nothing is covered, or
/// if the paper is too small; the latter says which size would fit.
Result<Figure> figure_of_worksheet(const PageInputs& in, const FigureSize& paper, const MeasureText& measure);

/// The cells to cover by default: a row, every second cell, or all cells.
enum class Exercise { row, half, all };
/// Covers cells of the session's selected stage, unless something is covered already. The row is that of the
/// selected token or, if hardly any of its weights in `trace` would be written as more than 0, that of the
/// greatest entropy.
Session with_exercise(Session session, Exercise exercise, const Trace* trace = nullptr);

/// A change of the session or of the paper that makes a worksheet possible.
struct WorksheetAdvice {
  std::string label;  ///< The label of its button.
  std::vector<Action> actions;
  std::optional<FigureSize> paper;
};

/// Suggestions for a worksheet that is impossible with these inputs on this paper. Each has been verified.
/// Empty if the worksheet is possible.
std::vector<WorksheetAdvice> worksheet_advice(const PageInputs& in, const FigureSize& paper,
                                              const MeasureText& measure);

}  // namespace headscope
