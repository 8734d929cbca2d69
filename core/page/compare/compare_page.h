#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/page/compare/compare_captions.h"
#include "core/page/page.h"
#include "core/page/page_inputs.h"
#include "core/page/parts/headline.h"
#include "core/session/action.h"

namespace headscope {

/// Shows one stage of the held subjects and of the edited one side by side on one scale, the difference B −
/// A, and the likeliest words of each subject at its selected token.
Page compare_page(const PageInputs& in, const PageSize& size, PageTools& tools);

/// Where the selected word looks in A and in B, and what both answer.
Headline compare_headline(const PageInputs& in, PageTools& tools);

/// A comparison that the user can begin: the label of its button, which says what A will be, and what makes
/// the actions that begin it. The first action holds A.
struct PossibleComparison {
  std::string name;
  std::function<std::vector<Action>()> actions;
  bool changes_b = false;  ///< Whether B becomes something other than what is shown now.
  bool begins = false;     ///< Whether the page may open with it: another sentence or another head.
};

/// Everything that the session can be compared with: the picked heads, the example of the task that differs
/// from the sentence in one word, another head, the same model without training, and the same attention
/// without its mask or its scaling. The last one holds what is shown now. The session must outlive them.
std::vector<PossibleComparison> comparisons(const Session& session);

/// The numbers of the page for A and B, if both predict words: the logits of their likeliest words
/// ("prediction"), and the difference of these logits when B is computed with a part of A. The part is a
/// head's output for all tokens ("heads") or for one ("head_rows"), or one token's row in the input of a
/// layer ("layer_rows").
PageNumbers compare_numbers(const PageInputs& in, PageTools& tools);

/// The progress of computing B with the parts of A, which starts only on request if it takes long.
struct PatchProgress {
  bool is_running = false;
  double share = 0.0;    ///< The share of a running computation that is done.
  double seconds = 0.0;  ///< The estimated time of a computation that has not been requested yet.
};
/// Returns the progress. Empty if the maps are already on the page, or if nothing can be computed.
std::optional<PatchProgress> patch_progress(const PageInputs& in, const PageMemo& memo);
/// Requests the maps, however long they take.
void want_patches(const PageInputs& in, PageMemo& memo);
void stop_patches(PageMemo& memo);

/// The slots of the two maps, by which the mouse identifies them.
inline constexpr const char* patched_parts_slot = "patched parts";
inline constexpr const char* patched_rows_slot = "patched rows";
inline constexpr const char* patched_feed_forward_slot = "patched feed-forward rows";

/// Explains a cell of one of the maps. Empty if nothing is known about it.
std::string said_of_patch(const PageInputs& in, const PageMemo& memo, const std::string& slot,
                          CellIndex cell);

}  // namespace headscope
