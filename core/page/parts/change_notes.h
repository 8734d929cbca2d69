#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "core/trace/trace.h"

namespace headscope {

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

}  // namespace headscope
