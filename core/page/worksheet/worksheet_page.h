#pragma once

#include <limits>

#include "core/page/page.h"
#include "core/page/page_inputs.h"
#include "core/page/worksheet/worksheet_advice.h"
#include "core/page/worksheet/worksheet_given.h"
#include "core/page/worksheet/worksheet_words.h"
#include "core/result.h"
#include "core/session/shown_figure.h"

namespace headscope {

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

/// The cells to cover by default: the row of the selected token, every second cell, or all cells.
enum class Exercise { row, half, all };
/// Covers cells of the session's selected stage, unless something is covered already.
Session with_exercise(Session session, Exercise exercise);

}  // namespace headscope
