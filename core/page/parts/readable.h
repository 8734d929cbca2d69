#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/page/page_inputs.h"

namespace headscope {

/// Whether reading so many numbers takes less time than passing the work to a thread.
constexpr bool are_few(std::int64_t n_numbers) {
  constexpr std::int64_t few = 16'384;
  return n_numbers <= few;
}

/// The size of an attention's maps, which the pass may not have computed yet.
Extent size_of_maps(const Trace& trace, const StageId& map);

/// Whether reading those of the stages that the pass has takes less time than passing the work to a thread.
bool are_few_numbers(const Trace& trace, const std::vector<StageId>& stages);
/// The heads of all layers of an attention, with the stage of `head`.
std::vector<StageId> all_heads(const Architecture& architecture, StageId head);

/// Whether rows of a stage, and everything that its derivation reads, are available. If a layer has to be
/// computed again first, that work is passed to `tools.carry_out`, and the page is made again when it is
/// done.
bool can_read(const PageInputs& in, PageTools& tools, const StageId& stage);
/// What to show instead of rows that cannot be read: that they are being computed, or why they cannot be.
std::string instead_of_reading(const PageTools& tools);

}  // namespace headscope
