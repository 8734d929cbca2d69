#pragma once

#include <vector>

#include "core/page/page_inputs.h"
#include "core/trace/explain.h"

namespace headscope {

/// The cells that a sheet must leave empty in a stage that it provides, because another page of the worksheet
/// asks for these numbers or for numbers that they would reveal.
struct AskedElsewhere {
  Cover cover;  ///< Covers cells of the given stage. Empty if there are none.
  /// The stages by which the empty cells can be computed, from the stage that the other page asks for to the
  /// given one. Only the given stage if the other page asks for the same numbers.
  std::vector<StageId> way;
};
AskedElsewhere asked_elsewhere(const PageInputs& in, const StageId& given);

/// Whether another page asks for numbers from which a derivation starts, or for numbers that they would
/// reveal.
bool is_asked_elsewhere(const PageInputs& in, const Explanation::Source& source);

}  // namespace headscope
