#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/page/page.h"
#include "core/page/parts/headline.h"
#include "core/page/parts/page_builder.h"
#include "core/result.h"
#include "core/session/action.h"

namespace headscope {

/// The edited subject, where the index of a compared subject is expected.
inline constexpr int edited_subject = -1;

/// The inputs for a page of this subject alone. `trace` is null while its pass is being computed.
PageInputs inputs_of_subject(const PageInputs& in, int compared);

/// “B” for the edited subject; “A”, “A2”, … for the compared ones.
std::string subject_name(int compared);

/// Names what differs between the first compared subject and the edited one: “the layer and the head”. Empty
/// if they are equal.
std::string what_differs(const Session& session);

/// The only word in which two sentences differ.
struct ChangedWord {
  std::string before;  ///< The word before it. Empty if it is the first.
  std::string in_a, in_b;
  bool is_last = false;

  /// The word with its place: “… too wide”.
  std::string place_of(const std::string& word) const;
};

/// The word in which A and B differ if nothing else does. Empty if more or something else differs.
std::optional<ChangedWord> changed_word(const Session& session);

/// Whether the subjects of a session have different sentences.
bool differ_in_sentences(const Session& session);

/// The caption of a subject: its letter, selected place and model and, if the sentences differ, its sentence,
/// or the only word in which they differ. `compared` is the session with all subjects.
Page subject_caption(const PageInputs& in, PageTools& tools, int compared, const Session& comparison,
                     float width);

/// Notes on reading the difference. Empty if there are none.
std::string notes_on_difference(const Session& session);

/// The caption of a difference.
Page difference_caption(const PageInputs& in, PageTools& tools, float width);

/// Shows how each part of A changes B's answer. A long computation starts only once
/// PageMemo::requested_patches requests it.
class PatchedParts {
 public:
  PatchedParts(const PageInputs& in, PageTools& tools);

  /// Names the head that accounts for most of the difference, or says that the computation is running or why
  /// it is impossible. Empty if nothing was requested.
  std::string said() const;
  /// The map of how far each head's output moves B's answer towards A's. Empty if it has not been computed or
  /// would be unreadable at this size.
  std::optional<Page> heads_page(const PageSize& room) const;
  /// Adds the map of the heads if `has_heads`, and the map of how far each token's row in the input of a
  /// layer moves the answer.
  void add_to(PageBuilder& page, bool has_heads) const;

 private:
  const PageInputs& in_;
  PageTools& tools_;
  Result<PatchQuestion> question_;
  bool is_requested_ = false;
  const Result<PatchMap>* found_ =
      nullptr;  ///< Null while the parts are computed, and if none were requested.
};

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
