#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "core/engine/part_effects.h"
#include "core/engine/training_worker.h"
#include "core/figure/figure.h"
#include "core/figure/heatmap.h"
#include "core/figure/theme.h"
#include "core/figure/token_strip.h"
#include "core/jobs/result_cache.h"
#include "core/lesson/lesson.h"
#include "core/measures/measure.h"
#include "core/model/interventions.h"
#include "core/model/stage.h"
#include "core/model/trained_model.h"
#include "core/page/parts/map_panel.h"
#include "core/result.h"
#include "core/session/session.h"
#include "core/trace/cover.h"
#include "core/trace/number_source.h"
#include "core/trace/trace.h"

namespace headscope {

// What the regions of a page mean.

/// The cells of a stage of the pass. `slot` distinguishes the maps on the page.
struct StageCells {
  StageId stage;
  std::string slot;
  CellGrid grid;
};
/// The cells of a matrix that is not a stage, such as a table of positions, targets or a gradient.
struct TableCells {
  std::string table;
  CellGrid grid;
};
/// The row labels of a map of the pass; each row is a query of the selected attention.
struct RowLabels {
  CellGrid grid;
};
/// A quantity of a worked example. `grid` holds the cells of its numbers and is empty outside them.
struct QuantityArea {
  std::size_t quantity = 0;
  CellGrid grid;
};
/// A card that opens a lesson when clicked.
struct LessonCard {
  std::string name;  ///< The name of a bundled lesson, or the file of a user's.
  int n_steps = 0;
};
/// The heading of a long page, which stays visible while the rest scrolls.
struct HeadingArea {};
/// The sentence as a strip of tokens, with its range of visible rows.
struct SentenceArea {
  float caption_width = 0.0F;  ///< Width of the line of text above the tokens.
  int first_row = 0, n_visible_rows = 0, n_rows = 0;
};
/// A token of the strip. `place` counts from the first token of the strip.
struct TokenArea {
  int place = 0;
};
/// A token at the end of attention lines: a query, or a key of the selected attention.
struct LineToken {
  bool is_key = false;
  int token = 0;
  bool operator==(const LineToken&) const = default;
};
/// A box of the model's diagram. If `is_folded`, it is a folded layer, and `stage` is one of its stages.
struct DiagramArea {
  std::size_t box = 0;
  StageId stage;
  bool is_folded = false;
};
/// A word in a ranked list. Empty for an entry that stands for several words.
struct WordArea {
  std::optional<int> word;
};
/// The link that expands or collapses the numbers of a derivation.
struct AllNumbersArea {};
/// A chart over the training steps, from step 0 at its left edge to step `last` at its right edge.
struct StepsArea {
  double last = 1.0;

  /// The step at a point, clamped to the ends of `plot`, the box of the region.
  double step_at(const Box& plot, Point point) const {
    return last * static_cast<double>(std::clamp((point.x - plot.x) / plot.w, 0.0F, 1.0F));
  }
};
/// A word of a heading with a tooltip.
struct ExplainedWord {
  std::string why;
};
/// A ModelPart is the bar of a part of the model, in any layer. A HeadIndex is the thumbnail or the line of a
/// head. A HeadMeasure is a measure of the selected head, with its value.
using Meaning = std::variant<StageCells, TableCells, HeadingArea, SentenceArea, TokenArea, DiagramArea,
                             WordArea, AllNumbersArea, StepsArea, ModelPart, HeadIndex, LineToken,
                             QuantityArea, LessonCard, HeadMeasure, RowLabels, ExplainedWord>;

/// An area of a page that responds to the mouse.
struct HitRegion {
  Box box;
  Meaning meaning;
};

/// The picture of a page and the meaning of its regions, the same in the window, in files and on the command
/// line.
struct Page {
  Figure figure;
  std::vector<HitRegion> regions;  ///< In drawing order: later regions lie over earlier ones.

  /// The topmost region at a point. Null if there is none.
  const HitRegion* region_at(Point point) const;
};

/// Appends `part` and its regions, shifted by (x, y). The page grows to hold them.
void append(Page& page, const Page& part, float x, float y);

/// Appends a part on the right, `x` from the left, if it stands beside the page, and `gap` below it if not.
void append_beside(Page& page, const Page& part, bool is_beside, float x, float gap);

/// The cells of the map in a slot. Null if the page does not show them.
const CellGrid* cells_in(const Page& page, std::string_view slot);

/// A number, a text, or nothing where there is no number.
using TableCell = std::variant<std::monostate, std::int64_t, double, std::string>;

/// Numbers that a page shows, at full precision, with named columns. Every row has a cell for each column.
struct DataTable {
  std::string name;
  std::vector<std::string> columns;
  std::vector<std::vector<TableCell>> rows = {};
};

/// The tables of a page, or why the session has none.
using PageNumbers = Result<std::vector<DataTable>>;

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

/// Formats a number of a pass, so that a page spells it the same wherever it writes it.
std::string page_number(const PictureOptions& picture, double value);

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
  std::vector<Snapshot> pushed;                      ///< The captures of the text that were pushed so far.
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
  float min_number = usual_min_number;  ///< See HeatmapSpec. In files, the paper determines it.
  std::string
      parameter;  ///< Path of the parameter whose gradient is drawn. Empty for the W_Q of the selected head.
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
  const Theme& theme() const { return theme_of(session.picture.theme); }
  std::string number(double value) const { return page_number(session.picture, value); }
  /// Trace::check_files() for all passes.
  Result<void> check_files() const;
};

HeadId selected_head(const PageInputs& in);
/// The same stage of another head of its attention, or the place of that head.
template <class Place>
Place with_head(Place place, const HeadIndex& head) {
  place.layer = head.layer;
  place.head = head.head;
  return place;
}
/// The weights of the selected head that pages show beside its map: those after dropout if that is the
/// selected stage, otherwise those before it.
StageId shown_weights(const PageInputs& in);
/// “before dropout” or “after dropout”, as it applies to the stage. Empty if the pass has no dropout.
std::string_view dropout_text(const Trace& trace, StageKind kind);

/// The space for a page. A page is at most this wide, and as high as it needs to be or as high as its space.
using PageSize = Size;

/// Caches the layout of the token strip. The selection and weights are set anew for each page.
struct StripMemo {
  /// What the tokens and the layout depend on: the pass and its attention, the room, the fonts, and whether
  /// ids, positions and surprisals are shown.
  std::tuple<std::shared_ptr<const Trace>, Stack, AttentionKind, float, float, float, std::size_t, bool, bool,
             bool>
      key;
  TokenStripSpec spec;
  TokenStripLayout layout;
};

/// Maps the cells of a session's stage to those of a compared subject's stage. Valid for these two passes.
struct ComparedCells {
  std::shared_ptr<const Trace> trace, compared_trace;
  StageId stage, compared_stage;
  Counterparts cells;
};

template <class Value>
Value answer_in(const Value& computed);
template <class Value>
Value answer_in(const Result<Value>& computed);
template <class Value>
auto answer_in(const Slices<Value>& computed) -> decltype(answer_in(std::declval<Value>()));

/// The question (see ResultCache) that a function answers: its arguments, of which a pass is kept alive.
template <auto function, Lifetime lifetime = Lifetime::pass, class Signature = decltype(function)>
struct Asked;
template <auto function, Lifetime lifetime, class Computed, class... Parameters>
struct Asked<function, lifetime, Computed (*)(Parameters...)> {
  template <class Parameter>
  using Kept = std::conditional_t<std::is_same_v<Parameter, const Trace&>, std::shared_ptr<const Trace>,
                                  std::remove_cvref_t<Parameter>>;
  std::tuple<Kept<Parameters>...> arguments;

  bool operator==(const Asked&) const = default;
  using Answer = decltype(answer_in(std::declval<Computed>()));
  static constexpr Lifetime life = lifetime;
  Computed answer() const {
    return std::apply([](const Kept<Parameters>&... kept) { return function(passed<Parameters>(kept)...); },
                      arguments);
  }

 private:
  template <class Parameter>
  static const std::remove_cvref_t<Parameter>& passed(const Kept<Parameter>& kept) {
    if constexpr (std::is_same_v<Parameter, const Trace&>) {
      return *kept;
    } else {
      return kept;
    }
  }
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
  std::shared_ptr<const Trace> trace;
  PictureOptions picture;
  PageSize size;
  std::size_t fonts = 0;
  std::map<std::pair<int, int>, Size> most;                    ///< Upper limits for the cells of each shape.
  std::map<std::pair<int, int>, std::pair<Size, Size>> found;  ///< The least and the greatest on the page.
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

/// Whether the maps of an attention, which the pass may not have computed yet, are too large to be measured.
bool is_too_long_to_measure(const Trace& trace, const StageId& map);

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
