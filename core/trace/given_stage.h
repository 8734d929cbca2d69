#pragma once

#include <string>
#include <vector>

#include "core/model/given_numbers.h"
#include "core/result.h"
#include "core/trace/stage.h"
#include "core/trace/window.h"

namespace headscope {

/// What the sizes of given numbers depend on.
struct GivenSizes {
  const Architecture& architecture;
  int table_rows = 0;  ///< of the embedding table; 0: there is none
  int n_words = 0;     ///< of the final linear layer
  int n_source = 0;    ///< tokens of the first stack
  int n_target = 0;    ///< of the decoder, where there are two stacks
};

/// Whether numbers of such a stage can be given: every parameter, the input of a stack, and the queries,
/// keys, values and raw scores of a head.
bool can_be_given(StageKind kind);

/// Why a model has no such place for given numbers ("it has 4 heads, counted from 0"); empty where it does.
/// `has_table`: whether it has an embedding table.
std::string why_not_given(const Architecture& architecture, bool has_table, const StageId& stage);

/// How many numbers have to be given of a stage that the model has.
Extent size_to_give(const GivenSizes& sizes, const StageId& stage);

/// The paths of all that can be given, in the order of computation; what heads share is there once.
std::vector<std::string> paths_to_give(const Architecture& architecture, bool has_table);

/// The first of the given numbers that has no place or does not fit into it, what would, and how to get
/// there.
Result<void> check_given(const GivenNumbers& given, const GivenSizes& sizes);

}  // namespace headscope
