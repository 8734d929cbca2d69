#pragma once

#include <string>
#include <vector>

#include "core/model/given_numbers.h"
#include "core/model/graph.h"
#include "core/result.h"
#include "core/trace/number_source.h"
#include "core/trace/stage.h"

namespace headscope {

/// Whether the numbers of stages of this kind can be given by hand. This holds for every parameter, the input
/// of a stack, latents, normalised outputs of sublayers, and the queries, keys, values and raw scores of a
/// head.
bool can_be_given(StageKind kind);

/// The reason why numbers cannot be given for a stage of this model ("the model has 4 heads, counted from
/// 0"). Empty if they can. The options with which the graph was made do not matter.
std::string why_not_given(const Graph& graph, const StageId& stage);

/// The number of rows and columns that must be given for a stage that the model has.
Extent size_to_give(const AxisSizes& sizes, const StageId& stage);

/// The paths under which numbers given for a path are stored. This is canonical_path(), except for
/// positions.table in a model whose stacks have a table each, where it is the paths of both tables.
std::vector<std::string> paths_of_given(const Architecture& architecture, const std::string& path);

/// The paths of everything that can be given, in the order of computation. A matrix that several heads share
/// occurs once. `has_table` says whether the model has an embedding table.
std::vector<std::string> paths_to_give(const Architecture& architecture, bool has_table);

/// Checks that all given numbers have a place in the model and fit into it. The error names the first that
/// does not, says what would fit, and how to make it fit.
Result<void> check_given(const GivenNumbers& given, const AxisSizes& sizes);

}  // namespace headscope
