#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "core/page/heads/heads_memo.h"
#include "core/page/parts/attention_lines.h"
#include "core/page/parts/kept_work.h"
#include "core/trace/stage.h"

namespace headscope {

/// What the attention lines of a pass depend on.
struct LinesKey {
  AttentionOfPass at;
  StageKind kind = StageKind::weights;
  std::vector<HeadPlace> heads;
  /// The first tokens of the words that are drawn as one; empty: each token is drawn by itself.
  std::vector<int> query_words, key_words;
  LineRules rules;
  PickedTokens from;  ///< The picked ones among the drawn tokens. If empty, all lines are drawn.
  bool operator==(const LinesKey&) const = default;
};

/// Results kept from earlier drawings of the lines page. Keeps passes alive.
struct LinesMemo {
  KeptWork<LinesKey, FoundLines> selected;
  KeptWork<LinesKey, FoundLines> pointed;  ///< The lines of the token under the mouse.
};

}  // namespace headscope
