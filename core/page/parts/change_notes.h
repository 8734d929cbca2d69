#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "core/trace/trace.h"

namespace headscope {

/// What has changed in each box of the model's diagram. Others than its owner read it once it is done.
struct BoxNotes {
  std::vector<std::string> notes;  ///< one a box; empty: nothing to say
  std::atomic<bool> done{false};
};

/// The last that were asked for; kept while the passes stay.
struct ChangeNotes {
  std::shared_ptr<const Trace> trace;
  std::shared_ptr<const Trace> against;  ///< null: no difference is shown
  StageId place;                         ///< that is selected, whose layer is unfolded
  StageId counterpart;                   ///< that it is compared with
  std::shared_ptr<BoxNotes> found;
};

}  // namespace headscope
