#pragma once

#include <vector>

#include "core/measures/softmax_jacobian.h"
#include "core/slices.h"

namespace headscope {

/// Statistics of q · k for one width, with all numbers drawn from N(0, 1).
struct RandomProducts {
  int width = 1;  ///< d_k.
  /// The measured variance of q · k. The expected variance is d_k (Vaswani et al. 2017, footnote 4).
  double variance = 0.0;
  SoftmaxMeans divided;    ///< softmax(q · k / √d_k).
  SoftmaxMeans undivided;  ///< softmax(q · k).
};

inline constexpr int max_product_width = 512;
inline constexpr int random_rows = 1024;

/// Draws `random_rows` rows of `n_keys` ≥ 1 keys for each width 1, 2, 4 … 512, and for `own_width` if that is
/// smaller. Narrower vectors are prefixes of wider ones. Deterministic.
Slices<std::vector<RandomProducts>> random_products(int n_keys, int own_width = 1);

}  // namespace headscope
