#pragma once

#include <atomic>
#include <memory>

#include "core/figure/histogram.h"
#include "core/trace/trace.h"

namespace headscope {

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

}  // namespace headscope
