#pragma once

#include <memory>
#include <vector>

#include "core/page/page_inputs.h"

namespace headscope {

/// The selected stage if it exists once per head. Otherwise, the attention weights.
StageKind tiles_kind(const PageInputs& in);

/// Returns a thumbnail of that stage for each head, at most `side` wide and high. Long work is passed to
/// `tools.carry_out`; until it is done, the previous thumbnails are returned if their number, stage and size
/// match. Otherwise, the result is null.
std::shared_ptr<const Thumbnails> thumbnails(const PageInputs& in, PageTools& tools,
                                             const std::vector<HeadPlace>& places, float side);

}  // namespace headscope
