#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/engine/decoded_text.h"
#include "core/engine/decoding.h"
#include "core/engine/part_effects.h"
#include "core/engine/patch_map.h"
#include "core/engine/row_parts.h"
#include "core/engine/training_worker.h"
#include "core/figure/figure.h"
#include "core/figure/histogram.h"
#include "core/figure/token_strip.h"
#include "core/lesson/lesson.h"
#include "core/measures/tiled_head.h"
#include "core/model/trained_model.h"
#include "core/page/heads/heads_memo.h"
#include "core/page/lines/lines_memo.h"
#include "core/page/page.h"
#include "core/page/parts/kept_work.h"
#include "core/page/parts/map_panel.h"
#include "core/page/parts/small_pictures.h"
#include "core/page/parts/table_panel.h"
#include "core/page/scale/scale_memo.h"
#include "core/session/session.h"
#include "core/textbook/computed_example.h"
#include "core/trace/cover.h"
#include "core/trace/explain.h"
#include "core/trace/number_source.h"
#include "core/trace/targets.h"
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
  std::string parameter;  ///< Path of the parameter whose gradient is drawn. Empty for a query's gradient.
  /// The width that the window takes for a link at the end of the first line of the explorer. 0 in files.
  float for_link = 0.0F;
  bool is_slide = false;       ///< The page is shown in a presentation and should not scroll.
  bool asks_for_head = false;  ///< A question is answered by choosing a head, so the heads must be in sight.
  std::vector<OwnLesson> own_lessons = {};  ///< The user's own lessons, the one opened last first.

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

/// What the notes on what changed in each box of the model's diagram depend on.
struct ChangeNotesKey {
  std::shared_ptr<const Trace> trace, against;
  std::vector<StageId> boxes, counterparts;  ///< The stage of each box, and the one that it is compared with.
  bool operator==(const ChangeNotesKey&) const = default;
};

/// The number of cells that a cover has. It is needed in every frame, and counting takes up to a million
/// steps.
struct CoverMemo {
  Cover cover;
  Extent size;  ///< The size of the covered stage.
  std::optional<CoverCount> count;
};

/// The raw and the scaled scores of a head of a pass, and how they are distributed.
struct SpreadKey {
  std::shared_ptr<const Trace> trace;
  StageId raw, scaled;
  bool operator==(const SpreadKey&) const = default;
};
struct Spread {
  HistogramSpec raw, scaled;
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

/// The derivation of a cell. `explanation` is empty if the cell has none.
struct DerivationMemo {
  std::shared_ptr<const Trace> trace;
  Pin cell;
  std::optional<Explanation> explanation;
};

/// The reason why a pass's tokens cannot be decoded one by one. Empty if they can.
struct DecodableMemo {
  std::shared_ptr<const Trace> trace;
  ReasonAgainstDecoding reason;
};

/// The prediction that a page explains, and its pass.
struct ExplainedPrediction {
  std::shared_ptr<const Trace> trace;
  Prediction prediction;
  bool operator==(const ExplainedPrediction&) const = default;
};
/// How much each part of the model contributes to a prediction.
struct PredictionParts {
  std::optional<PartEffects> effects;  ///< Empty if they would take too long to compute.
  DirectParts direct;
  std::vector<LayerGuess> guesses;
};

/// Two passes A and B, and the logits whose difference shows the effect of taking parts of A into B.
struct PatchQuestion {
  std::shared_ptr<const Trace> a, b;
  LogitDifference difference;
  bool operator==(const PatchQuestion&) const = default;
};
struct PatchMemo {
  KeptWork<PatchQuestion, PatchMap> work;
  std::optional<PatchQuestion> wanted;  ///< The question that the user asked although its answer takes long.
};

struct TargetsKey {
  std::shared_ptr<const Trace> trace;
  bool of_task = false;  ///< What the task asks for, instead of the next words of the sentence.
  bool operator==(const TargetsKey&) const = default;
};

/// A score of a pass.
struct ScoreOfPass {
  std::shared_ptr<const Trace> trace;
  StageId head;
  int query = 0, key = 0;
  bool operator==(const ScoreOfPass&) const = default;
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

/// Results that are kept from one drawing of a page to the next, which makes small changes cheap. It keeps
/// passes alive until others are shown.
struct PageMemo {
  std::map<std::string, MapPanel> maps;      ///< By slot. A slot is a place that shows one stage.
  std::map<std::string, TablePanel> tables;  ///< By slot.
  std::map<StageKind, double> held_ranges;   ///< Colour ranges of the differences.
  KeptWork<ChangeNotesKey, std::vector<std::string>> change_notes;  ///< One note per box.
  std::map<int, ComparedCells> compared;                            ///< By the number of the held subject.
  std::map<PageName, EqualMaps> equal_maps;
  PageName page = PageName::explore;  ///< The page that is being made.
  KeptWork<SpreadKey, Spread> spread;
  KeptWork<ExplainedPrediction, PredictionParts> effects;
  PatchMemo patches;
  KeptWork<TargetsKey, Targets> targets;
  KeptWork<ScoreOfPass, ScoreParts> score_parts;
  KeptWork<TiledHead, ScoreTiles> score_tiles;
  KeptWork<TileOfHead, TileState> tile_state;
  DecodableMemo decodable;
  KeptWork<std::shared_ptr<const Trace>, std::vector<DecodedToken>> decoded;
  KeptWork<std::string, ComputedExample> example;  ///< By the name of the example.
  StripMemo strip;
  DerivationMemo derivation;
  CoverMemo cover;
  HeadsMemo heads;
  LinesMemo lines;
  ScaleMemo scale;
  SmallPicturesMemo small_pictures;
  /// The stages of a pass that have to be computed again before their rows can be read.
  std::map<StageId, KeptWork<std::shared_ptr<const Trace>, std::monostate>> readings;

  /// What stays when other passes are shown: pictures that stand in until new ones are drawn, and what does
  /// not depend on a pass. Everything else is forgotten. The maps still hold passes.
  PageMemo without_passes() &&;
};

/// Runs a long job, either at once or later on another thread. In the latter case the page is made again
/// afterwards.
using CarryOut = std::function<void(std::function<void()>)>;

/// What making a page needs besides its inputs.
struct PageTools {
  MeasureText measure;
  std::size_t fonts = 0;  ///< Changes whenever `measure` does.
  PageMemo& memo;
  CarryOut carry_out = [](const std::function<void()>& job) { job(); };
};

}  // namespace headscope
