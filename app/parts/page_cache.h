#pragma once

#include <cstddef>
#include <cstdint>

#include "core/page/page.h"
#include "core/page/page_inputs.h"

namespace headscope {

/// A page as it was last made. In a frame without changes, the page only has to be painted.
struct PageCache {
  Page page;
  std::uint64_t version = 0;  ///< the version of its inputs
  std::uint64_t pointed = 0;  ///< the version of what the mouse pointed at, if the page follows it
  PageSize size;
  std::size_t fonts = 0;
};

}  // namespace headscope
