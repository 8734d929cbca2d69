#pragma once

#include <cstddef>
#include <cstdint>

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

}  // namespace headscope
