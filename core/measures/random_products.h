#pragma once

#include <vector>

#include "core/measures/softmax_jacobian.h"

namespace headscope {

/// The products of queries and keys of one width whose numbers are drawn from N(0, 1).
struct RandomProducts {
  int width = 1;  ///< d_k.
  /// The measured variance of q · k. The expected variance is d_k (Vaswani et al. 2017, footnote 4).
  double variance = 0.0;
  SoftmaxMeans divided;    ///< softmax(q · k / √d_k).
  SoftmaxMeans undivided;  ///< softmax(q · k).
};

inline constexpr int widest_products = 512;
inline constexpr int random_rows = 1024;

/// Draws `random_rows` rows of `n_keys` ≥ 1 keys for each of the widths 1, 2, 4 … 512, and for `own_width` if
/// it is less. The narrower vectors are the first numbers of the wider ones. Nothing else changes the result.
std::vector<RandomProducts> random_products(int n_keys, int own_width = 1);

}  // namespace headscope
