#pragma once

#include <vector>

#include "core/figure/theme.h"
#include "core/trace/picture_options.h"

namespace headscope {

/// A query and a key of equal length that `n_heads` divides: an example to be read number by number.
struct SplitSpec {
  std::vector<float> query;
  std::vector<float> key;
  int n_heads = 1;
  PictureOptions picture;  ///< whose colours tell the heads apart
  bool divides = true;     ///< by √d_head, as for a softmax
};

/// The parts of both as boxes with their numbers, a bracket a head; under them each head's products, their
/// sum, and, if asked for, the sum divided by √d_head. As large as it needs to be.
Figure draw_split(const SplitSpec& spec, const Theme& theme, const MeasureText& measure);

}  // namespace headscope
