#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "core/page/heads/heads_memo.h"
#include "core/page/parts/attention_lines.h"
#include "core/page/parts/kept_work.h"
#include "core/trace/stage.h"

namespace headscope {

/// Lines of a pass.
struct LinesKey {
  AttentionOfPass at;
  StageKind kind = StageKind::weights;
  std::vector<HeadPlace> heads;
  LineRules rules;
  PickedTokens from;  ///< nothing: of all tokens
  bool operator==(const LinesKey&) const = default;
};

/// What the page of lines was made from before. Keeps passes alive.
struct LinesMemo {
  KeptWork<LinesKey, FoundLines> selected;
  KeptWork<LinesKey, FoundLines> pointed;  ///< those of the token under the mouse

  /// Lets go of what is of other passes.
  void forget_passes_but(const std::shared_ptr<const Trace>& trace) {
    if (selected.key().at.trace != trace) selected.forget();
    if (pointed.key().at.trace != trace) pointed.forget();
  }
};

}  // namespace headscope
