#pragma once

#include <string>
#include <vector>

#include "core/model/given_numbers.h"
#include "core/result.h"
#include "core/trace/axis_length.h"
#include "core/trace/stage.h"
#include "core/trace/window.h"

namespace headscope {

/// Whether numbers of such a stage can be given: every parameter, the input of a stack, latents and
/// normalised outputs of sublayers, and the queries, keys, values and raw scores of a head.
bool can_be_given(StageKind kind);

/// Why a model has no such place for given numbers ("it has 4 heads, counted from 0"); empty where it does.
/// `has_table`: whether it has an embedding table.
std::string why_not_given(const Architecture& architecture, bool has_table, const StageId& stage);

/// How many numbers have to be given of a stage that the model has.
Extent size_to_give(const AxisSizes& sizes, const StageId& stage);

/// The paths under which numbers that are given for a path are kept: canonical_path(), but of
/// positions.table in a model whose stacks have a table each, both of these.
std::vector<std::string> paths_of_given(const Architecture& architecture, const std::string& path);

/// The paths of all that can be given, in the order of computation; what heads share is there once.
std::vector<std::string> paths_to_give(const Architecture& architecture, bool has_table);

/// The first of the given numbers that has no place or does not fit into it, what would, and how to get
/// there.
Result<void> check_given(const GivenNumbers& given, const AxisSizes& sizes);

}  // namespace headscope
