#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/engine/decoded_text.h"
#include "core/engine/head_effects.h"
#include "core/engine/training_worker.h"
#include "core/figure/figure.h"
#include "core/measures/tiled_head.h"
#include "core/model/trained_model.h"
#include "core/page/explore/strip_memo.h"
#include "core/page/heads/heads_memo.h"
#include "core/page/lines/lines_memo.h"
#include "core/page/page.h"
#include "core/page/parts/change_notes.h"
#include "core/page/parts/cover_memo.h"
#include "core/page/parts/kept_work.h"
#include "core/page/parts/map_panel.h"
#include "core/page/parts/small_pictures.h"
#include "core/page/parts/spread_note.h"
#include "core/page/parts/table_panel.h"
#include "core/page/scale/scale_memo.h"
#include "core/session/session.h"
#include "core/textbook/computed_example.h"
#include "core/trace/explain.h"
#include "core/trace/number_source.h"
#include "core/trace/trace.h"

namespace headscope {

/// The pass of a subject.
struct SubjectPass {
  std::shared_ptr<const Trace> trace;               ///< null: it is not there yet
  std::shared_ptr<const TrainedModel> trace_model;  ///< whose weights it has; null: random ones
  std::string problem = {};  ///< why there is none; empty where it is there or on its way
  bool operator==(const SubjectPass&) const = default;
};

/// Nothing was learned, and not everything is given by hand: the pass's patterns mean nothing.
inline bool is_untrained(const SubjectPass& pass) {
  const bool is_given = !pass.trace_model && pass.trace && !pass.trace->is_untrained();
  return !is_given && (!pass.trace_model || pass.trace_model->steps == 0);
}

/// A share of attention or a probability in the notation of the picture: as people read it, or with its
/// digits.
std::string share_text(const PictureOptions& picture, double value);

/// What a page is made from. Values and immutable results: equal inputs make equal pages.
struct PageInputs {
  Session session;
  std::shared_ptr<const Trace> trace;                ///< of the session; must not be null
  std::shared_ptr<const TrainedModel> trace_model;   ///< whose weights the pass has; null: random ones
  std::vector<SubjectPass> held;                     ///< of the held subjects, in their order
  std::shared_ptr<const TrainingProgress> training;  ///< null: nothing is being trained
  std::optional<Pin> hovered;                        ///< the cell under the mouse
  std::optional<int> hovered_token;                  ///< the query under the mouse
  std::optional<LineToken> hovered_line;             ///< the end of lines under the mouse
  std::optional<int> strip_row;  ///< the first row in sight of a long sentence; nothing: the selected token's
  int n_positions = 20;          ///< that the page of positions draws; of biases the greatest distance
  int position_width = 512;      ///< dimensions of those that have any width
  std::vector<Cover> other_pages;  ///< of a worksheet: what they ask for, which this one must not tell
  std::string parameter;           ///< whose gradient is drawn, by its path; empty: a query's

  /// The pass whose numbers are taken off where the page shows the difference; null elsewhere.
  std::shared_ptr<const Trace> against() const {
    return session.difference && !held.empty() ? held.front().trace : nullptr;
  }
  /// The stage of the first held subject that one of the session's is compared with: where the session's
  /// selected layer, attention or head is meant, those that are selected in it.
  StageId counterpart(const StageId& stage) const;
  /// The stage of this kind at the selected place.
  StageId at(StageKind kind) const { return canonical(session.architecture, session.selection.at(kind)); }
  bool is_untrained() const { return headscope::is_untrained({trace, trace_model}); }
};

/// The weights that pages show of the selected head beside its map: before dropout, unless those after it are
/// the selected stage.
StageId shown_weights(const PageInputs& in);
/// Which of both a stage is of: “before dropout”, “after dropout”; empty where nothing is dropped.
std::string_view dropout_words(const Trace& trace, StageKind kind);

/// The room for a page. It is at most as wide, and as high as it needs to be; pages that fill their room are
/// as high as it is.
struct PageSize {
  float width = 912.0F, height = 800.0F;
  bool operator==(const PageSize&) const = default;
};

/// Which cells of a held subject's stage stand for those of the session's; kept while the passes stay.
struct ComparedCells {
  std::shared_ptr<const Trace> trace, held_trace;
  StageId stage, held_stage;
  Counterparts cells;
};

/// How a cell was computed; nothing where it has no derivation.
struct DerivationMemo {
  std::shared_ptr<const Trace> trace;
  Pin cell;
  std::optional<Explanation> explanation;
};

/// Why the tokens of a pass cannot be decoded one by one; empty where they can.
struct DecodableMemo {
  std::shared_ptr<const Trace> trace;
  std::string reason;
};

/// Whether a layer that rows are read from has been computed again; null: nobody has asked for it.
using Reading = std::shared_ptr<std::atomic<bool>>;

/// A prediction of a pass that is explained.
struct ExplainedPrediction {
  std::shared_ptr<const Trace> trace;
  Prediction prediction;
  bool operator==(const ExplainedPrediction&) const = default;
};
/// What the parts of the model do to it.
struct PredictionParts {
  std::optional<HeadEffects> effects;  ///< nothing: they would take too long
  DirectParts direct;
  std::vector<LayerGuess> guesses;
};

/// The sizes of the cells on a page, by the rows and columns of their maps: maps of one shape are to be of
/// one size. What was found out holds for the same pass, picture and room.
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
  std::map<std::pair<int, int>, Cell> most;    ///< how large the cells of a shape may be
  std::map<std::pair<int, int>, Range> found;  ///< how large they are on the page
};

/// What pages were drawn with before, so that one that changes a little costs little. Keeps passes alive.
struct PageMemo {
  std::map<std::string, MapPanel> maps;      ///< by slot: a place that shows one stage
  std::map<std::string, TablePanel> tables;  ///< by slot
  std::map<StageKind, double> held_ranges;   ///< of differences
  ChangeNotes change_notes;
  std::map<int, ComparedCells> compared;  ///< by the number of the held subject
  std::map<PageName, EqualMaps> equal_maps;
  PageName page = PageName::explore;  ///< that is being made
  SpreadNote spread;
  KeptWork<ExplainedPrediction, PredictionParts> effects;
  KeptWork<TiledHead, ScoreTiles> score_tiles;
  KeptWork<TileOfHead, TileState> tile_state;
  DecodableMemo decodable;
  KeptWork<std::shared_ptr<const Trace>, std::vector<DecodedToken>> decoded;
  KeptWork<std::string, ComputedExample> example;  ///< by its name
  StripMemo strip;
  DerivationMemo derivation;
  CoverMemo cover;
  HeadsMemo heads;
  LinesMemo lines;
  ScaleMemo scale;
  SmallPicturesMemo small_pictures;
  std::map<StageId, Reading> readings;
};

/// Carries out what takes long: now, or later on another thread, after which the page is made again.
using CarryOut = std::function<void(std::function<void()>)>;

/// What makes pages apart from their inputs.
struct PageTools {
  MeasureText measure;
  std::size_t fonts = 0;  ///< changes where `measure` does
  PageMemo& memo;
  CarryOut carry_out = [](const std::function<void()>& job) { job(); };
};

}  // namespace headscope
