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

/// Shows one stage of the compared subjects and of the edited one side by side on one scale, the difference B
/// − A, and the likeliest words of each subject at its selected token.
Page compare_page(const PageInputs& in, const PageSize& size, PageTools& tools);

/// What the selected word attends to in A and in B, and the answers of both.
Headline compare_headline(const PageInputs& in, PageTools& tools);

/// A comparison on offer: the label of its button, which says what A will be, and its actions, of which the
/// first sets A.
struct PossibleComparison {
  std::string name;
  std::function<std::vector<Action>()> actions;
  bool changes_b = false;  ///< B becomes something other than the present subject.
  bool begins = false;     ///< The page may open with it: another sentence or another head.
};

/// Everything to compare the session with: the picked heads, the task's example that differs from the
/// sentence in one word, another head, the untrained model, and the attention without its mask or its
/// scaling. The last one makes the present subject A. The session must outlive the result.
std::vector<PossibleComparison> comparisons(const Session& session);

/// The numbers of the page for A and B, if both predict words: the logits of their likeliest words
/// ("prediction"), and the logit difference when B is computed with a part of A. That part is a head's output
/// for all tokens ("heads") or for one ("head_rows"), or one token's row in the input of a layer
/// ("layer_rows").
PageNumbers compare_numbers(const PageInputs& in, PageTools& tools);

/// The progress of computing B with the parts of A. A long computation starts only on request.
struct PatchProgress {
  bool is_running = false;
  double share = 0.0;    ///< The share of a running computation that is done.
  double seconds = 0.0;  ///< The estimated time of a computation that has not been requested yet.
};
/// Returns the progress. Empty if the maps are already on the page, or if they cannot be computed.
std::optional<PatchProgress> patch_progress(const PageInputs& in, const PageMemo& memo);
/// Requests the maps, however long they take.
void request_patches(const PageInputs& in, PageMemo& memo);
void cancel_patches(PageMemo& memo);

/// The slots of the two maps, by which the mouse identifies them.
inline constexpr const char* patched_parts_slot = "patched parts";
inline constexpr const char* patched_rows_slot = "patched rows";
inline constexpr const char* patched_feed_forward_slot = "patched feed-forward rows";

/// Explains a cell of one of the maps. Empty if it has no explanation.
std::string describe_patch(const PageInputs& in, const PageMemo& memo, const std::string& slot,
                           CellIndex cell);

}  // namespace headscope
