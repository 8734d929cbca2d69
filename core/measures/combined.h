#pragma once

#include <atomic>
#include <optional>
#include <vector>

#include "core/measures/measured_heads.h"

namespace headscope {

/// The attention weights of heads of one stack and attention, of all that `place` names but layer and head:
/// their mean, or the greatest, cell by cell; [queries, keys]. Hidden cells count as 0. Nothing where `stop`
/// became true. `heads` must not be empty, and in the pass.
std::optional<OwnedMatrix> combined_weights(const Trace& trace, const StageId& place,
                                            const std::vector<HeadPlace>& heads, bool greatest,
                                            const std::atomic<bool>* stop = nullptr);

/// Attention rollout (Abnar and Zuidema 2020, "Quantifying Attention Flow in Transformers", with half of each
/// layer left to its residual connection): R = Ãₗ … Ã₁ Ã₀ with Ã = ½ (mean of the layer's heads) + ½ I, whose
/// rows are scaled to sum to 1. How much of each token's input is in each token after layer `through`, if
/// attention were all that moves it; [tokens, tokens], of a stack's self-attention. Nothing where `stop`
/// became true.
std::optional<OwnedMatrix> rollout(const Trace& trace, Stack stack, int through,
                                   const std::atomic<bool>* stop = nullptr);

/// The same of weights that are at hand: of each layer the heads' maps, all [n, n].
OwnedMatrix rollout(const std::vector<std::vector<MatrixView>>& layers);

}  // namespace headscope
