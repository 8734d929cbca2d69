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

/// A4 in points, the unit of a figure on paper.
inline constexpr FigureSize worksheet_size{595, 842, 2, std::nullopt};

/// An exercise for paper: what is to be done, the numbers that it takes, and the covered stage with its
/// covered cells empty; of a pinned cell of that stage the way to its number, with a place for each result.
/// Of a cover of the pinned cell alone, only that way. With the solution, the same with the numbers in. As
/// high as it needs to be, in light colours.
struct Worksheet {
  Page page;
  std::string problem;        ///< why it cannot be filled in; empty where it can
  float width_needed = 0.0F;  ///< where numbers do not fit into their cells: with which they would
};
/// Heights of the rows of a map whose numbers are only read, and of one that is written into with a pen.
struct SheetRows {
  float read = 22.0F;
  float written = 30.0F;
  float longest = std::numeric_limits<float>::infinity();  ///< side of a map that is drawn at all
};
Worksheet worksheet_of(const PageInputs& in, float width, PageTools& tools, SheetRows rows = {});

/// The same with margins on paper of this size. A usage error where nothing is covered, and where the paper
/// is too small, which says what would fit.
Result<Figure> figure_of_worksheet(const PageInputs& in, const FigureSize& paper, const MeasureText& measure);

/// What is left empty where nothing was covered: the row of the selected token, every second cell, or all.
enum class Exercise { row, half, all };
/// The session with that of its selected stage covered, unless something is.
Session with_exercise(Session session, Exercise exercise);

}  // namespace headscope
