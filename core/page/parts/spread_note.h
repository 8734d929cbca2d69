#pragma once

#include <atomic>
#include <memory>

#include "core/figure/histogram.h"
#include "core/trace/trace.h"

namespace headscope {

/// How the scores of a head spread before and after they are divided. Others than its owner read it once it
/// is done.
struct Spread {
  HistogramSpec raw, scaled;
  std::atomic<bool> done{false};
};

/// The last that was asked for; kept while the pass and the head stay.
struct SpreadNote {
  std::shared_ptr<const Trace> trace;
  StageId head;
  std::shared_ptr<Spread> spread;
};

}  // namespace headscope
