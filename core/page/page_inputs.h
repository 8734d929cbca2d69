#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/engine/part_effects.h"
#include "core/engine/training_worker.h"
#include "core/figure/figure.h"
#include "core/figure/token_strip.h"
#include "core/jobs/result_cache.h"
#include "core/lesson/lesson.h"
#include "core/model/trained_model.h"
#include "core/page/page.h"
#include "core/page/parts/map_panel.h"
#include "core/session/session.h"
#include "core/trace/cover.h"
#include "core/trace/number_source.h"
#include "core/trace/trace.h"

namespace headscope {

inline constexpr StageId logits_stage{.kind = StageKind::logits};
inline constexpr StageId probabilities_stage{.kind = StageKind::probabilities};

/// The pass of a subject.
struct SubjectPass {
  std::shared_ptr<const Trace> trace;  ///< Null if the pass has not been computed yet.
  /// The model whose weights the pass uses. Null for random weights.
  std::shared_ptr<const TrainedModel> trace_model;
  std::string problem = {};  ///< Why there is no pass. Empty if there is one or one is being computed.
  bool operator==(const SubjectPass&) const = default;
};

/// Whether the pass's patterns mean nothing: its weights were not learned, and not all of its numbers were
/// given by hand.
inline bool is_untrained(const SubjectPass& pass) {
  const bool is_given = !pass.trace_model && pass.trace && !pass.trace->is_untrained();
  return !is_given &&
         (!pass.trace_model || (pass.trace_model->steps == 0 && !pass.trace_model->is_foreign()));
}

/// Formats a share of attention or a probability: with all digits if details are on, otherwise rounded.
std::string share_text(const PictureOptions& picture, double value);

/// Everything that a page is made from. All members are values or immutable results; equal inputs make equal
/// pages.
struct PageInputs {
  Session session;
  std::shared_ptr<const Trace> trace;  ///< The pass of the session; must not be null.
  /// The model whose weights the pass uses. Null for random weights.
  std::shared_ptr<const TrainedModel> trace_model;
  std::vector<SubjectPass> compared;  ///< The passes of the compared subjects, in their order.
  /// The pass before the last edit of the sentence, if nothing else has changed since. Null otherwise.
  std::shared_ptr<const Trace> before_edit = {};
  std::shared_ptr<const TrainingProgress> training;  ///< Null if nothing is being trained.
  std::optional<Pin> hovered;                        ///< The cell under the mouse.
  std::optional<int> hovered_token;                  ///< The query under the mouse.
  std::optional<LineToken> hovered_line;             ///< The token of the Lines page under the mouse.
  /// First visible row of a long sentence. Empty to show the selected token's row.
  std::optional<int> strip_row;
  int n_positions = 20;      ///< Positions on the Positions page; for biases, the maximum distance.
  int position_width = 512;  ///< Dimensions to draw for encodings that can have any width.
  /// Cells that other pages of a worksheet ask for, which this page must not reveal.
  std::vector<Cover> other_pages;
  /// How far the animation of the current step of a watched row is, from 0 to 1. 1 in files.
  float step_progress = 1.0F;
  std::string parameter;  ///< Path of the parameter whose gradient is drawn. Empty for a query's gradient.
  /// The width that the window reserves for a link at the end of the explorer's first line. 0 in files.
  float reserved_link_width = 0.0F;
  bool is_slide = false;       ///< The page is shown in a presentation and should not scroll.
  bool in_file = false;        ///< The page becomes a figure in a file, where nothing can be clicked.
  bool is_asked = false;       ///< A lesson's question is open, which the headline must not answer.
  bool asks_for_head = false;  ///< That question asks for a head, so the heads must be visible.
  std::vector<UserLesson> user_lessons = {};  ///< The user's own lessons, last opened first.
  LessonProgress lesson_progress = {};

  /// The pass that is subtracted if the page shows a difference. Null otherwise.
  std::shared_ptr<const Trace> against() const {
    return session.difference && !compared.empty() ? compared.front().trace : nullptr;
  }
  /// The stage of the first compared subject that corresponds to a stage of the session. The two selected
  /// stacks, layers, attentions and heads correspond to each other.
  StageId counterpart(const StageId& stage) const;
  /// The stage of this kind at the selected place.
  StageId at(StageKind kind) const { return canonical(session.architecture, session.selection.at(kind)); }
  bool is_untrained() const { return headscope::is_untrained({trace, trace_model}); }
  /// Trace::check_files() for all passes.
  Result<void> check_files() const;
};

HeadId selected_head(const PageInputs& in);
/// The weights of the selected head that pages show beside its map: those after dropout if that is the
/// selected stage, otherwise those before it.
StageId shown_weights(const PageInputs& in);
/// “before dropout” or “after dropout”, as it applies to the stage. Empty if the pass has no dropout.
std::string_view dropout_text(const Trace& trace, StageKind kind);

/// The space for a page. A page is at most this wide, and as high as it needs to be or as high as its space.
struct PageSize {
  float width = 912.0F, height = 800.0F;
  bool operator==(const PageSize&) const = default;
};

/// Caches the layout of the token strip. The tokens and ids are valid for one pass and size; the selection
/// and weights are set anew for each page.
struct StripMemo {
  std::shared_ptr<const Trace> trace;
  StageId place;  ///< The attention to which the tokens belong.
  float width = 0.0F, height = 0.0F, most = 0.0F;
  std::size_t fonts = 0;
  bool shows_surprise = false;
  TokenStripSpec spec;
  TokenStripLayout layout;
};

/// Maps the cells of a session's stage to those of a compared subject's stage. Valid for these two passes.
struct ComparedCells {
  std::shared_ptr<const Trace> trace, compared_trace;
  StageId stage, compared_stage;
  Counterparts cells;
};

/// One kind of attention in one stack of a pass.
struct AttentionOfPass {
  std::shared_ptr<const Trace> trace;
  Stack stack = Stack::encoder;
  AttentionKind kind = AttentionKind::self;
  bool operator==(const AttentionOfPass&) const = default;
};

/// Two passes A and B, and the logit difference that measures the effect of patching parts of A into B.
struct PatchQuestion {
  std::shared_ptr<const Trace> a, b;
  LogitDifference difference;
  bool operator==(const PatchQuestion&) const = default;

  using Answer = PatchMap;
  Slices<PatchMap> answer(const std::atomic<bool>& stop) const {
    return patch_map(*a, *b, difference, TokenPatches::left_out, &stop);
  }
};

/// Cell sizes by shape of map (rows, columns), so that equal maps on a page get equal cells. Valid for one
/// combination of pass, picture options, page size and fonts.
struct SharedCellSizes {
  struct Cell {
    float width = 0.0F, height = 0.0F;
    bool operator==(const Cell&) const = default;
  };
  std::shared_ptr<const Trace> trace;
  PictureOptions picture;
  PageSize size;
  std::size_t fonts = 0;
  std::map<std::pair<int, int>, Cell> most;                    ///< Upper limits for the cells of each shape.
  std::map<std::pair<int, int>, std::pair<Cell, Cell>> found;  ///< The least and the greatest on the page.
};

/// Caches of pages, which make small changes cheap. Keeps passes alive until others are shown.
struct PageMemo {
  ResultCache results;
  std::map<std::string, MapPanel> maps;           ///< By slot, a place on pages that shows one stage.
  std::map<std::string, TablePanel> tables;       ///< By slot.
  std::map<StageKind, double> difference_ranges;  ///< Colour ranges of the differences.
  std::map<int, ComparedCells> comparison;        ///< By the index of the compared subject.
  std::map<PageName, SharedCellSizes> shared_cell_sizes;
  PageName page = PageName::explore;  ///< The page being made.
  /// The patches that the user requested although they take long.
  std::optional<PatchQuestion> requested_patches;
  StripMemo strip;

  /// Drops everything that belongs to the previous passes.
  void forget_passes();
};

/// Runs a long job, at once or later on another thread, after which the page must be made again.
using RunJob = std::function<void(Job)>;

/// What making a page needs besides its inputs.
struct PageTools {
  MeasureText measure;
  std::size_t fonts = 0;  ///< Changes whenever `measure` does.
  PageMemo& memo;
  RunJob run_job = [](const Job& job) { finish(job); };

  /// Returns the result for a question, or null while it is being computed. If `is_cheap`, computes it at
  /// once.
  template <class Question>
  const Result<typename Question::Answer>* find(const Question& question, bool is_cheap = false) {
    return is_cheap ? &memo.results.now(question) : memo.results.get(question, run_job);
  }
};

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
