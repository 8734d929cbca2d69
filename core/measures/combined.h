#pragma once

#include <vector>

#include "core/measures/measured_heads.h"
#include "core/slices.h"

namespace headscope {

/// The elementwise mean or maximum of the attention weights of several heads, [queries, keys]. `place` gives
/// the stack and attention. Hidden cells count as 0. `heads` must be non-empty and in the pass. A slice is
/// one head.
Slices<OwnedMatrix> combined_weights(const Trace& trace, StageId place, std::vector<HeadIndex> heads,
                                     bool use_max);

/// Attention rollout (Abnar and Zuidema 2020, "Quantifying Attention Flow in Transformers"), of the
/// self-attention of a stack: R = Ãₗ … Ã₁ Ã₀, where Ã = ½ (mean of the heads) + ½ I accounts for the residual
/// connection, with rows normalised to sum to 1. R [tokens, tokens] estimates how much of each input token is
/// in each token after layer `through`. A slice is one head.
Slices<OwnedMatrix> rollout(const Trace& trace, Stack stack, int through);

/// The rollout of given weights: the maps [n, n] of the heads of each layer.
OwnedMatrix rollout(const std::vector<std::vector<MatrixView>>& layers);

}  // namespace headscope
