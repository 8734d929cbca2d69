#pragma once

#include "core/tensor/view.h"

namespace headscope {

/// What is added to the variance, as in PyTorch's nn.LayerNorm.
inline constexpr float layer_norm_epsilon = 1e-5F;

/// Each row of x [T, D] to mean 0 and variance 1 (population), then times gain plus bias, both [D]:
/// (x − mean) / √(variance + ε) · gain + bias. Ba, Kiros and Hinton 2016. `out` [T, D] may be x.
void layer_norm(const MatrixView& x, const float* gain, const float* bias, float* out);

}  // namespace headscope
