#pragma once

#include <vector>

#include "core/figure/theme.h"
#include "core/trace/picture_options.h"

namespace headscope {

/// A query and a key that are short enough to print. Both have the same length, a multiple of `n_heads`.
struct SplitSpec {
  std::vector<float> query;
  std::vector<float> key;
  int n_heads = 1;
  PictureOptions picture;  ///< The options whose colours distinguish the heads.
  bool divides = true;     ///< Divides by √d_head, as before softmax.
};

/// Draws the query and the key as boxes with their numbers and a bracket for each head. Below, each head's
/// products, their sum and, if the spec divides, the sum divided by √d_head. The figure is as large as its
/// contents.
Figure draw_split(const SplitSpec& spec, const Theme& theme, const MeasureText& measure);

}  // namespace headscope
