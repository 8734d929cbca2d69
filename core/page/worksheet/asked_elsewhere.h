#pragma once

#include <vector>

#include "core/page/page_inputs.h"
#include "core/trace/explain.h"

namespace headscope {

/// What a sheet leaves empty of a stage that it gives, because another page of the worksheet asks for it, or
/// for numbers that it would tell.
struct AskedElsewhere {
  Cover cover;  ///< over the given stage; none: nothing
  /// From the stage that the other page asks for up to the given one, by which its empty cells can be
  /// computed; the given one alone where the other page asks for the same numbers.
  std::vector<StageId> way;
};
AskedElsewhere asked_elsewhere(const PageInputs& in, const StageId& given);

/// Whether numbers that a derivation starts from are asked for on another page, or would tell such ones.
bool is_asked_elsewhere(const PageInputs& in, const Explanation::Source& source);

}  // namespace headscope
