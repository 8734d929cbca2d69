#pragma once

#include <string>
#include <vector>

#include "core/model/graph.h"
#include "core/model/interventions.h"
#include "core/model/stage.h"
#include "core/result.h"
#include "core/trace/number_source.h"

namespace headscope {

/// Whether the user can enter numbers for this kind of stage: all parameters, the input of a stack, latents,
/// normalised sublayer outputs, and queries, keys, values and raw scores of heads.
bool can_be_given(StageKind kind);

/// Why numbers cannot be given for a stage of this model ("the model has 4 heads, counted from 0"). Empty if
/// they can. Independent of the options of the graph.
std::string why_not_given(const Graph& graph, const StageId& stage);

/// The required size of the given numbers of a stage, which the model must have.
Extent size_to_give(const AxisSizes& sizes, const StageId& stage);

/// The paths under which numbers given for `path` are stored: its canonical_path() or, for positions.table in
/// a model with a table per stack, the paths of both tables.
std::vector<std::string> paths_of_given(const Architecture& architecture, const std::string& path);

/// The paths of everything that can be given, in order of computation; shared matrices occur once.
/// `has_table`: whether the model has an embedding table.
std::vector<std::string> assignable_paths(const Architecture& architecture, bool has_table);

/// Checks that all given numbers exist in the model and have the right size. The error names the first
/// mismatch, the expected size, and how to fix it.
Result<void> check_given(const GivenNumbers& given, const AxisSizes& sizes);

}  // namespace headscope
