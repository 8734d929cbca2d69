#pragma once

#include <memory>
#include <vector>

#include "core/page/page_inputs.h"

namespace headscope {

/// The selected stage, or the weights where that does not repeat per head.
StageKind tiles_kind(const PageInputs& in);

/// A small picture of that stage for each head, `side` wide and high at most; what takes long is left to
/// `tools.carry_out`. Until it is done those before them, where there are as many of that stage and size;
/// null: none.
std::shared_ptr<const Thumbnails> thumbnails(const PageInputs& in, PageTools& tools,
                                             const std::vector<HeadPlace>& places, float side);

}  // namespace headscope
