#pragma once

#include <cstddef>
#include <memory>

#include "core/figure/token_strip.h"
#include "core/trace/stage.h"
#include "core/trace/trace.h"

namespace headscope {

/// The token strip as it was last laid out. Its tokens and ids stay while the pass and the room do; selection
/// and weights are of the page.
struct StripMemo {
  std::shared_ptr<const Trace> trace;
  StageId place;  ///< of the attention whose tokens they are
  float width = 0.0F, height = 0.0F, most = 0.0F;
  std::size_t fonts = 0;
  TokenStripSpec spec;
  TokenStripLayout layout;
};

}  // namespace headscope
