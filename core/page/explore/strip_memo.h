#pragma once

#include <cstddef>
#include <memory>

#include "core/figure/token_strip.h"
#include "core/trace/stage.h"
#include "core/trace/trace.h"

namespace headscope {

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
