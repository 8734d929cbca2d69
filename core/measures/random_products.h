#pragma once

#include <vector>

#include "core/measures/softmax_jacobian.h"

namespace headscope {

/// Queries and keys whose numbers are drawn from N(0, 1), of one width.
struct RandomProducts {
  int width = 1;           ///< d_k
  double variance = 0.0;   ///< measured, of q · k; d_k is expected (Vaswani et al. 2017, footnote 4)
  SoftmaxMeans divided;    ///< softmax(q · k / √d_k)
  SoftmaxMeans undivided;  ///< softmax(q · k)
};

inline constexpr int widest_products = 512;
inline constexpr int random_rows = 1024;

/// Of so many rows of `n_keys` ≥ 1 keys, for the widths 1, 2, 4 … 512: the narrower vectors are the first
/// numbers of the wider ones. Always the same for the same `n_keys`.
std::vector<RandomProducts> random_products(int n_keys);

}  // namespace headscope
