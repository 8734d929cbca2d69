#pragma once

#include <string>
#include <vector>

#include "core/session/action.h"
#include "core/session/session.h"

namespace headscope {

/// A comparison that can begin: what A will be, as a button says it, and the actions that begin it, of which
/// the first one holds A.
struct PossibleComparison {
  std::string name;
  std::vector<Action> actions;
  bool changes_b = false;  ///< Whether B becomes something else than what is shown now.
};

/// Everything that the session can be compared with: the picked heads, the example of the task that differs
/// from the sentence in one word, another head, the same model without training, and the same attention
/// without its mask or its scaling. The last one holds what is shown now.
std::vector<PossibleComparison> comparisons(const Session& session);

}  // namespace headscope
