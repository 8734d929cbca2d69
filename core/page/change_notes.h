#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/trace/trace.h"

namespace headscope {

/// What has changed in each box of the model's diagram; kept while the passes stay.
struct ChangeNotes {
  std::shared_ptr<const Trace> trace;
  std::shared_ptr<const Trace> against;  ///< null: no difference is shown
  int layer = 0;                         ///< that is unfolded
  std::vector<std::string> notes;        ///< one a box; empty: nothing to say
};

}  // namespace headscope
