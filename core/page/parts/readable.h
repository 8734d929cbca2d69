#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/page/page_inputs.h"

namespace headscope {

/// Whether reading this many numbers is faster than passing the work to a thread.
constexpr bool is_cheap_to_read(std::int64_t n_numbers) {
  constexpr std::int64_t few = 16'384;
  return n_numbers <= few;
}

/// The size of an attention's maps, which the pass may not have computed yet.
Extent size_of_maps(const Trace& trace, const StageId& map);

/// Whether reading the stages that the pass has is faster than passing the work to a thread.
bool are_cheap_to_read(const Trace& trace, const std::vector<StageId>& stages);
/// The heads of all layers of an attention, with the stage of `head`.
std::vector<StageId> all_heads(const Architecture& architecture, StageId head);

/// Whether the rows of a stage, and everything that its derivation reads, are available. If a layer must be
/// recomputed first, passes that to `tools.run_job`, after which the page is made again.
bool can_read(const PageInputs& in, PageTools& tools, const StageId& stage);
/// The text in place of rows that cannot be read: they are being computed, or why they cannot be.
std::string unreadable_text(const PageTools& tools);

}  // namespace headscope
