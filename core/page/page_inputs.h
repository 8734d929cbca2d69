#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/engine/patch_map.h"
#include "core/engine/training_worker.h"
#include "core/figure/figure.h"
#include "core/figure/token_strip.h"
#include "core/jobs/result_cache.h"
#include "core/lesson/lesson.h"
#include "core/model/trained_model.h"
#include "core/page/page.h"
#include "core/page/parts/map_panel.h"
#include "core/page/parts/table_panel.h"
#include "core/session/session.h"
#include "core/trace/cover.h"
#include "core/trace/number_source.h"
#include "core/trace/trace.h"

namespace headscope {

/// The pass of a subject.
struct SubjectPass {
  std::shared_ptr<const Trace> trace;  ///< Null if the pass has not been computed yet.
  /// The model whose weights the pass uses. Null for random weights.
  std::shared_ptr<const TrainedModel> trace_model;
  std::string problem = {};  ///< Why there is no pass. Empty if there is one or it is being computed.
  bool operator==(const SubjectPass&) const = default;
};

/// True if the pass's patterns mean nothing: its weights were not learned, and not all of its values were
/// entered by hand.
inline bool is_untrained(const SubjectPass& pass) {
  const bool is_given = !pass.trace_model && pass.trace && !pass.trace->is_untrained();
  return !is_given &&
         (!pass.trace_model || (pass.trace_model->steps == 0 && !pass.trace_model->is_foreign()));
}

/// Formats a share of attention or a probability. With details, the number keeps its digits; otherwise, it is
/// rounded for reading.
std::string share_text(const PictureOptions& picture, double value);

/// Everything that a page is made from. All members are values or immutable results, and equal inputs make
/// equal pages.
struct PageInputs {
  Session session;
  std::shared_ptr<const Trace> trace;  ///< The pass of the session; must not be null.
  /// The model whose weights the pass uses. Null for random weights.
  std::shared_ptr<const TrainedModel> trace_model;
  std::vector<SubjectPass> held;  ///< The passes of the held subjects, in their order.
  /// The pass before the sentence was changed last, if nothing else has changed since. Null otherwise.
  std::shared_ptr<const Trace> before_edit = {};
  std::shared_ptr<const TrainingProgress> training;  ///< Null if nothing is being trained.
  std::optional<Pin> hovered;                        ///< The cell under the mouse.
  std::optional<int> hovered_token;                  ///< The query under the mouse.
  std::optional<LineToken> hovered_line;             ///< The end of lines under the mouse.
  /// First visible row of a long sentence. Empty to show the selected token's row.
  std::optional<int> strip_row;
  int n_positions = 20;      ///< Positions on the positions page; for biases, the greatest distance.
  int position_width = 512;  ///< Dimensions to draw for encodings that can have any width.
  /// The cells that the other pages of a worksheet ask for, which this page must not reveal.
  std::vector<Cover> other_pages;
  /// How much of the current step of a watched row has happened, from 0 to 1. It is 1 in files.
  float step_share = 1.0F;
  std::string parameter;  ///< Path of the parameter whose gradient is drawn. Empty for a query's gradient.
  /// The width that the window takes for a link at the end of the first line of the explorer. 0 in files.
  float for_link = 0.0F;
  bool is_slide = false;       ///< The page is shown in a presentation and should not scroll.
  bool in_file = false;        ///< The page becomes a figure in a file, where nothing can be clicked.
  bool is_asked = false;       ///< A lesson asks something that the headline might answer.
  bool asks_for_head = false;  ///< A question is answered by choosing a head, so the heads must be in sight.
  std::vector<OwnLesson> own_lessons = {};  ///< The user's own lessons, the one opened last first.
  LessonProgress lesson_progress = {};

  /// The pass that is subtracted if the page shows a difference. Null otherwise.
  std::shared_ptr<const Trace> against() const {
    return session.difference && !held.empty() ? held.front().trace : nullptr;
  }
  /// The stage of the first held subject with which a stage of the session is compared. The session's
  /// selected stack, layer, attention and head correspond to those that are selected in the held subject.
  StageId counterpart(const StageId& stage) const;
  /// The stage of this kind at the selected place.
  StageId at(StageKind kind) const { return canonical(session.architecture, session.selection.at(kind)); }
  bool is_untrained() const { return headscope::is_untrained({trace, trace_model}); }
  /// Trace::check_files() for all passes.
  Result<void> check_files() const;
};

/// The weights of the selected head that pages show beside its map. These are the weights before dropout
/// unless the weights after dropout are the selected stage.
StageId shown_weights(const PageInputs& in);
/// “before dropout” or “after dropout”, as it applies to the stage. Empty if the pass has no dropout.
std::string_view dropout_words(const Trace& trace, StageKind kind);

/// The space available to a page. A page is at most this wide and as high as it needs to be; pages that fill
/// their space take the full height.
struct PageSize {
  float width = 912.0F, height = 800.0F;
  bool operator==(const PageSize&) const = default;
};

/// The token strip as it was last laid out. Its tokens and ids stay valid while the pass and the room stay
/// the same. The selection and the weights are set again for each page.
struct StripMemo {
  std::shared_ptr<const Trace> trace;
  StageId place;  ///< The attention to which the tokens belong.
  float width = 0.0F, height = 0.0F, most = 0.0F;
  std::size_t fonts = 0;
  bool shows_surprise = false;
  TokenStripSpec spec;
  TokenStripLayout layout;
};

/// The correspondence between the cells of a session's stage and those of a held subject's stage. Valid for
/// these two passes.
struct ComparedCells {
  std::shared_ptr<const Trace> trace, held_trace;
  StageId stage, held_stage;
  Counterparts cells;
};

/// One kind of attention in one stack of a pass.
struct AttentionOfPass {
  std::shared_ptr<const Trace> trace;
  Stack stack = Stack::encoder;
  AttentionKind kind = AttentionKind::self;
  bool operator==(const AttentionOfPass&) const = default;
};

/// Two passes A and B, and the logits whose difference shows the effect of taking parts of A into B.
struct PatchQuestion {
  std::shared_ptr<const Trace> a, b;
  LogitDifference difference;
  bool operator==(const PatchQuestion&) const = default;

  using Answer = PatchMap;
  Slices<PatchMap> answer(const std::atomic<bool>& stop) const {
    return patch_map(*a, *b, difference, TokenPatches::left_out, &stop);
  }
};

/// Cell sizes on a page, keyed by the number of rows and columns of a map, so that maps of the same shape get
/// cells of the same size. Valid for one combination of pass, picture options, page size and fonts.
struct EqualMaps {
  struct Cell {
    float width = 0.0F, height = 0.0F;
    bool operator==(const Cell&) const = default;
  };
  struct Range {
    Cell least, greatest;
  };
  std::shared_ptr<const Trace> trace;
  PictureOptions picture;
  PageSize size;
  std::size_t fonts = 0;
  std::map<std::pair<int, int>, Cell> most;    ///< Upper limits for the cells of each shape.
  std::map<std::pair<int, int>, Range> found;  ///< The sizes drawn on the page.
};

/// What pages keep from one drawing to the next, which makes small changes cheap. It keeps passes alive until
/// others are shown.
struct PageMemo {
  ResultCache results;
  std::map<std::string, MapPanel> maps;      ///< By slot. A slot is a place that shows one stage.
  std::map<std::string, TablePanel> tables;  ///< By slot.
  std::map<StageKind, double> held_ranges;   ///< Colour ranges of the differences.
  std::map<int, ComparedCells> compared;     ///< By the number of the held subject.
  std::map<PageName, EqualMaps> equal_maps;
  PageName page = PageName::explore;  ///< The page that is being made.
  /// The patches that the user asked for although they take long.
  std::optional<PatchQuestion> wanted_patches;
  StripMemo strip;

  /// Drops what belongs to the passes that were shown before.
  void forget_passes();
};

/// Runs a long job, either at once or later on another thread. In the latter case the page is made again
/// afterwards.
using CarryOut = std::function<void(Job)>;

/// What making a page needs besides its inputs.
struct PageTools {
  MeasureText measure;
  std::size_t fonts = 0;  ///< Changes whenever `measure` does.
  PageMemo& memo;
  CarryOut carry_out = [](const Job& job) { finish(job); };

  /// Returns the result for a question. It is null while it is being computed, unless that is little work.
  template <class Question>
  const Result<typename Question::Answer>* find(const Question& question, bool is_little = false) {
    return is_little ? &memo.results.now(question) : memo.results.get(question, carry_out);
  }
};

}  // namespace headscope
