#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "core/page/page.h"
#include "core/session/shown_figure.h"
#include "core/trace/explain.h"

namespace headscope {

/// The cover of a stage. A cover extends to the later stages of the same attention: the same cells before the
/// softmax, and then all rows that depend on hidden numbers. Empty if the stage is not covered, or if all its
/// numbers have been found.
Cover cover_of(const PageInputs& in, const StageId& stage);

/// Whether an exercise hides the number of this cell.
bool is_hidden(const PageInputs& in, const Pin& cell);

/// Whether an exercise hides a weight of a query of the selected head, before or after dropout. An exercise
/// on scores hides all weights, because the next one may ask for them.
bool hides_weights_of(const PageInputs& in, int query, int n_keys);

/// Whether a cover hides a cell that a derivation reads: in a row, a column or a cell of a stage of this
/// size.
bool has_hidden(const Cover& cover, const Explanation::Source& source, const Extent& size);

/// Whether a derivation uses hidden numbers, so that it would reveal the value of another cell.
bool uses_hidden(const PageInputs& in, const Explanation& explanation);

/// The index in a strip of a derivation of the number that an exercise asks for: the cell's own score among
/// those of its row. Empty if the strip does not contain it.
std::optional<std::size_t> asked_in_strip(const Trace& trace, const Explanation& explanation,
                                          const Explanation::Strip& strip);

/// Names a cell without its number: “it” → “animal”, or “it”, column 3.
std::string name_of_cell(const Trace& trace, const StageId& stage, int row, int col);

/// For example, "12 numbers are covered, 3 of them found". Empty if no number of the stage is covered.
std::string cover_statement(const PageInputs& in, const StageId& stage, PageTools& tools);

/// The text that replaces a hidden number.
inline constexpr const char* hidden_number = "□";

/// Whether a stage has covered numbers that have not been found yet.
bool has_hidden_number(const PageInputs& in, const StageId& stage, PageTools& tools);

/// Explains why a page is not shown: its pictures would reveal numbers that an exercise hides, even if their
/// cells were empty. Empty if they reveal none.
std::string reason_covered(const PageInputs& in, PageName page, PageTools& tools);

/// The head of the selected attention whose weights are covered. Measures of these weights would reveal them.
/// Empty if there is none.
std::optional<HeadIndex> covered_head(const PageInputs& in, PageTools& tools);

}  // namespace headscope
