#pragma once

#include <cstddef>

#include "core/tensor/softmax.h"

namespace headscope {

// What linear attention has in place of softmax. Katharopoulos, Vyas, Pappas and Fleuret 2020, "Transformers
// are RNNs: Fast Autoregressive Transformers with Linear Attention".

/// φ(x) = elu(x) + 1, their equation 7: x + 1 where x > 0, e^x elsewhere, so that it is never negative. `out`
/// may be x. Relative error of e^x below 2e-7; of doubles, std::exp's.
void elu_plus_one(const float* x, std::size_t n, float* out);
void elu_plus_one(const double* x, std::size_t n, double* out);

/// Its derivative, 1 where x > 0 and e^x elsewhere, is the lesser of φ(x) and 1: in place, d times that.
void elu_plus_one_backward(const float* mapped, std::size_t n, float* d);
void elu_plus_one_backward(const double* mapped, std::size_t n, double* d);

/// weights = each row of `masked`, divided by its sum over keys. What is below 0 is hidden and counts as 0; a
/// row of nothing else gives zeros. Scores are never negative where queries and keys went through φ.
void shares_over_keys(const ScoreBlock& block);

}  // namespace headscope
