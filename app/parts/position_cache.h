#pragma once

#include <map>
#include <string>

#include "app/parts/matrix_map.h"

namespace headscope {

/// The size of the positions that are looked at, and their pictures as they were last drawn.
struct PositionCache {
  int n_positions = 20;  ///< or the greatest distance, of biases; at first as in the picture of seeds/2
  int width = 512;
  std::map<std::string, MatrixMapCache> maps;  ///< by slot
};

/// A token's query and key over all heads as they were last drawn.
struct SplitCache {
  std::map<int, MatrixMapCache> lines;
};

}  // namespace headscope
