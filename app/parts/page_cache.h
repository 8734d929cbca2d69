#pragma once

#include <cstdint>
#include <memory>

#include "core/figure/token_strip.h"
#include "core/page/page.h"
#include "core/page/page_inputs.h"

namespace headscope {

/// A page as it was last made, so that a frame in which nothing changed costs nothing but its painting.
struct PageCache {
  Page page;
  std::uint64_t version = 0;  ///< of what it was made from
  std::uint64_t pointed = 0;  ///< of what the mouse pointed at, where it follows that
  PageSize size;
  std::size_t fonts = 0;
};

/// The token strip as it was last laid out. Its spec's tokens and ids stay; selection and weights are of the
/// frame.
struct StripCache {
  std::shared_ptr<const Trace> trace;
  StageId place;  ///< of the attention whose tokens they are
  float width = 0.0F, height = 0.0F;
  std::size_t fonts = 0;
  TokenStripSpec spec;
  TokenStripLayout layout;
};

}  // namespace headscope
