#pragma once

#include <optional>

#include "core/trace/cover.h"
#include "core/trace/window.h"

namespace headscope {

/// How many cells a cover has: it is asked for in every frame, and counting takes up to a million steps.
struct CoverMemo {
  Cover cover;
  Extent size;  ///< of its stage
  std::optional<CoverCount> count;
};

}  // namespace headscope
