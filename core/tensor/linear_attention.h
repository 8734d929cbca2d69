#pragma once

#include <cstddef>

#include "core/tensor/softmax.h"

namespace headscope {

// The functions that linear attention uses in place of softmax. Katharopoulos, Vyas, Pappas and Fleuret 2020,
// "Transformers are RNNs: Fast Autoregressive Transformers with Linear Attention".

/// φ(x) = elu(x) + 1, equation 7 of the paper: x + 1 if x > 0, and e^x otherwise. It is never negative. `out`
/// may be x. The relative error of e^x is below 2e-7 for floats; doubles use std::exp.
void elu_plus_one(const float* x, std::size_t n, float* out);
void elu_plus_one(const double* x, std::size_t n, double* out);

/// Multiplies d in place by φ'(x) = min(φ(x), 1). `mapped` holds φ(x).
void elu_plus_one_backward(const float* mapped, std::size_t n, float* d);
void elu_plus_one_backward(const double* mapped, std::size_t n, double* d);

/// weights = each row of `masked` divided by its sum over the keys. Negative scores count as hidden (0),
/// since φ(q) · φ(k) ≥ 0; a row without visible keys becomes zeros.
void normalize_over_keys(const ScoreBlock& block);

}  // namespace headscope
