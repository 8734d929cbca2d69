#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/page/compare/compare_captions.h"
#include "core/page/page.h"
#include "core/page/page_inputs.h"
#include "core/page/parts/data_table.h"
#include "core/session/action.h"

namespace headscope {

/// Shows one stage of the held subjects and of the edited one side by side on one scale, the difference B −
/// A, and the likeliest words of each subject at its selected token.
Page compare_page(const PageInputs& in, const PageSize& size, PageTools& tools);

/// A comparison that can begin: what A will be, as a button says it, and the actions that begin it, of which
/// the first one holds A.
struct PossibleComparison {
  std::string name;
  std::vector<Action> actions;
  bool changes_b = false;  ///< Whether B becomes something else than what is shown now.
};

/// Everything that the session can be compared with: the picked heads, the example of the task that differs
/// from the sentence in one word, another head, the same model without training, and the same attention
/// without its mask or its scaling. The last one holds what is shown now.
std::vector<PossibleComparison> comparisons(const Session& session);

/// The numbers of the page for A and B, if both predict words: the logits of their likeliest words
/// ("prediction"), and what becomes of the difference of these logits if B is computed with a part of A: a
/// head's output for all tokens ("heads") or for one ("head_rows"), or one token's row that enters a layer
/// ("layer_rows").
PageNumbers compare_numbers(const PageInputs& in, PageTools& tools);

/// Whether the parts of A are being taken, or wait to be asked for because that takes long.
struct PatchProgress {
  bool is_running = false;
  double share = 0.0;    ///< Of a running computation, the share that is done.
  double seconds = 0.0;  ///< The estimated time of one that is to be asked for.
};
/// Empty if the maps are on the page, or if there is nothing to ask.
std::optional<PatchProgress> patch_progress(const PageInputs& in, const PageMemo& memo);
/// Asks for the maps, however long they take.
void want_patches(const PageInputs& in, PageMemo& memo);

/// The names of the two maps for the mouse.
inline constexpr const char* patched_heads_slot = "patched heads";
inline constexpr const char* patched_rows_slot = "patched rows";

/// Says what a cell of one of the maps means. Empty if nothing is known of it.
std::string said_of_patch(const PageInputs& in, const PageMemo& memo, const std::string& slot,
                          CellIndex cell);

}  // namespace headscope
