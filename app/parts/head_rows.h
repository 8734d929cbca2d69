#pragma once

#include "app/parts/frame.h"

namespace headscope {

/// A query and a key of the selected attention.
struct QueryAndKey {
  int query = 0;
  int key = 0;
};

/// The query over the key, all heads side by side with a bracket each, on as many lines as whole heads need.
/// A click on a cell pins it. Where positions turn them they are shown turned.
void head_rows(Frame& frame, const QueryAndKey& pair);

}  // namespace headscope
