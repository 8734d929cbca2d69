#pragma once

#include <optional>

#include "core/trace/cover.h"
#include "core/trace/window.h"

namespace headscope {

/// The number of cells that a cover has. It is needed in every frame, and counting takes up to a million
/// steps.
struct CoverMemo {
  Cover cover;
  Extent size;  ///< The size of the covered stage.
  std::optional<CoverCount> count;
};

}  // namespace headscope
