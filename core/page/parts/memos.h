#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/figure/histogram.h"
#include "core/figure/token_strip.h"
#include "core/trace/cover.h"
#include "core/trace/stage.h"
#include "core/trace/trace.h"
#include "core/trace/window.h"

namespace headscope {

// What some pages keep from earlier drawings.

/// A note on what changed in each box of the model's diagram. Threads other than the one that computes it may
/// read `notes` once `done` is set.
struct BoxNotes {
  std::vector<std::string> notes;  ///< One note per box. Empty if there is nothing to report.
  std::atomic<bool> done{false};
};

/// The notes that were requested last. Valid while the passes stay the same.
struct ChangeNotes {
  std::shared_ptr<const Trace> trace;
  std::shared_ptr<const Trace> against;  ///< Null if no difference is shown.
  StageId place;                         ///< The selected stage, whose layer is unfolded.
  StageId counterpart;                   ///< The stage that `place` is compared with.
  std::shared_ptr<BoxNotes> found;
};

/// The number of cells that a cover has. It is needed in every frame, and counting takes up to a million
/// steps.
struct CoverMemo {
  Cover cover;
  Extent size;  ///< The size of the covered stage.
  std::optional<CoverCount> count;
};

/// How the scores of a head are distributed before and after scaling. Threads other than the one that
/// computes them may read the histograms once `done` is set.
struct Spread {
  HistogramSpec raw, scaled;
  std::atomic<bool> done{false};
};

/// The distribution that was requested last. Valid while the pass and the head stay the same.
struct SpreadNote {
  std::shared_ptr<const Trace> trace;
  StageId head;
  std::shared_ptr<Spread> spread;
};

/// The token strip as it was last laid out. Its tokens and ids stay valid while the pass and the room stay
/// the same. The selection and the weights are set again for each page.
struct StripMemo {
  std::shared_ptr<const Trace> trace;
  StageId place;  ///< The attention to which the tokens belong.
  float width = 0.0F, height = 0.0F, most = 0.0F;
  std::size_t fonts = 0;
  TokenStripSpec spec;
  TokenStripLayout layout;
};

}  // namespace headscope
