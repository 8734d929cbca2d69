#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "core/page/page_inputs.h"
#include "core/trace/explain.h"

namespace headscope {

/// The cover of a stage. A stage that follows from the covered one in the same attention is covered as well:
/// the same cells before the softmax, and then all rows that hidden numbers enter. Empty if the exercise is
/// about another stage, or if none of its numbers is hidden any more.
Cover cover_of(const PageInputs& in, const StageId& stage);

/// Whether an exercise hides the number of this cell.
bool is_hidden(const PageInputs& in, const Pin& cell);

/// Whether an exercise hides a weight of a query of the selected head, before or after dropout. One on the
/// scores hides all weights, because the next one may ask for them.
bool hides_weights_of(const PageInputs& in, int query, int n_keys);

/// Whether a cover hides a cell of what a derivation reads: a row, a column or a cell of a stage of this
/// size.
bool has_hidden(const Cover& cover, const Explanation::Source& source, const Extent& size);

/// Whether a derivation uses hidden numbers, so that it would reveal the value of another cell.
bool uses_hidden(const PageInputs& in, const Explanation& explanation);

/// The index at which a strip of a derivation contains a number that an exercise asks for. This is the asked
/// cell's own score among the scores of its row. Empty if the strip contains none.
std::optional<std::size_t> asked_in_strip(const Trace& trace, const Explanation& explanation,
                                          const Explanation::Strip& strip);

/// Names a cell without telling its number: “it” → “animal”, or “it”, column 3.
std::string name_of_cell(const Trace& trace, const StageId& stage, int row, int col);

/// The number of covered and of found cells of the covered stage. Empty if nothing is covered or there are
/// too many cells to count.
std::optional<CoverCount> counted_cells(const PageInputs& in, PageTools& tools);

/// For example, "12 numbers are covered, 3 of them found". Empty if no number of the stage is covered.
std::string cover_statement(const PageInputs& in, const StageId& stage, PageTools& tools);

/// The text that replaces a hidden number.
inline constexpr const char* hidden_number = "□";

}  // namespace headscope
