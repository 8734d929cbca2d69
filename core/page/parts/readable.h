#pragma once

#include <cstdint>

#include "core/page/page_inputs.h"

namespace headscope {

/// Numbers that are read in less time than it takes to hand them to a thread.
constexpr bool are_few(std::int64_t n_numbers) {
  constexpr std::int64_t few = 16'384;
  return n_numbers <= few;
}

/// Whether rows of a stage, and what its derivation reads, are at hand. Where a layer has to be computed
/// again first, that is left to `tools.carry_out`, and the page is made again when it is done.
bool can_read(const PageInputs& in, PageTools& tools, const StageId& stage);

}  // namespace headscope
