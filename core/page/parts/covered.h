#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "core/page/page_inputs.h"
#include "core/trace/explain.h"

namespace headscope {

/// Whether an exercise hides this cell's number.
bool is_hidden(const PageInputs& in, const Pin& cell);

/// Whether an exercise hides a weight of a query of the selected head, before or after dropout.
bool hides_weights_of(const PageInputs& in, int query, int n_keys);

/// Whether a derivation is of numbers that are hidden, so that it would tell one of another cell.
bool uses_hidden(const PageInputs& in, const Explanation& explanation);

/// Where a row of numbers that a derivation starts from holds one that is asked for: the asked cell's own
/// score among those of its row. Nothing where it holds none.
std::optional<std::size_t> asked_in_strip(const Trace& trace, const Explanation& explanation,
                                          const Explanation::Strip& strip);

/// "“it” → “animal”", "“it”, column 3": a cell without its number.
std::string name_of_cell(const Trace& trace, const StageId& stage, int row, int col);

/// How many cells are covered and found, of the stage that is; nothing where there are too many, or none is.
std::optional<CoverCount> counted_cells(const PageInputs& in, PageTools& tools);

/// "12 numbers are covered, 3 of them found"; empty where none of the stage is covered.
std::string cover_statement(const PageInputs& in, const StageId& stage, PageTools& tools);

/// What stands in the place of a hidden number.
inline constexpr const char* hidden_number = "□";

}  // namespace headscope
