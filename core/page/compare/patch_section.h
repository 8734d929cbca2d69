#pragma once

#include <optional>
#include <string>

#include "core/page/page.h"
#include "core/page/page_inputs.h"
#include "core/page/parts/page_text.h"
#include "core/result.h"

namespace headscope {

/// What is asked of two compared passes: how far the words that A and B expect are apart in B if a part of A
/// is taken into it. `a` are the inputs of the first held subject alone. Errors say why nothing can be asked.
Result<PatchQuestion> patch_question(const PageInputs& in, const PageInputs& a);

/// Whether the parts of A are being taken, or wait to be asked for because that takes long.
struct PatchProgress {
  bool is_running = false;
  double share = 0.0;    ///< Of a running computation, the share that is done.
  double seconds = 0.0;  ///< The estimated time of one that is to be asked for.
};
/// Empty if the maps are on the page, or if there is nothing to ask.
std::optional<PatchProgress> patch_progress(const PageInputs& in, const PageInputs& a, const PageMemo& memo);

/// Adds the maps: how much of the way from B's answer to A's the output of each head takes, and each token's
/// row that enters a layer. What takes long is computed only after PatchMemo::wanted asks for it.
void add_patches(const PageInputs& in, const PageInputs& a, PageTools& tools, PageText& page);

/// The names of the two maps for the mouse.
inline constexpr const char* patched_heads_slot = "patched heads";
inline constexpr const char* patched_rows_slot = "patched rows";

/// Says what a cell of one of the maps means. Empty if nothing is known of it.
std::string said_of_patch(const PageInputs& in, const PageMemo& memo, const std::string& slot,
                          CellIndex cell);

}  // namespace headscope
