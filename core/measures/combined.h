#pragma once

#include <vector>

#include "core/measures/measured_heads.h"
#include "core/slices.h"

namespace headscope {

/// Combines the attention weights of several heads, cell by cell, into their mean or their maximum, [queries,
/// keys]. Only the stack and the attention of `place` count. Hidden cells count as 0. `heads` must not be
/// empty, and its heads must be in the pass. A slice is one head.
Slices<OwnedMatrix> combined_weights(const Trace& trace, StageId place, std::vector<HeadPlace> heads,
                                     bool greatest);

/// Attention rollout (Abnar and Zuidema 2020, "Quantifying Attention Flow in Transformers"), in which half of
/// each layer is left to its residual connection: R = Ãₗ … Ã₁ Ã₀ with Ã = ½ (mean of the layer's heads) + ½
/// I, whose rows are scaled to sum to 1. The result [tokens, tokens] for the self-attention of a stack tells
/// how much of each input token is in each token after layer `through`, as if attention were all that moves
/// information between tokens. A slice is one head.
Slices<OwnedMatrix> rollout(const Trace& trace, Stack stack, int through);

/// Computes the rollout from the given weights: for each layer the maps of its heads, all [n, n].
OwnedMatrix rollout(const std::vector<std::vector<MatrixView>>& layers);

}  // namespace headscope
