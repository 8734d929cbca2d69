#pragma once

#include "core/model/architecture.h"
#include "core/model/linear.h"
#include "core/tensor/view.h"

namespace headscope {

// Feed-forward layers with experts; see Experts. What no token takes is neither read nor computed.

/// Computes the shares [T, Experts::all()] of all experts in each token's output from the router's logits [T,
/// E]. Of equal scores, the first is taken. `shared` [T] holds the shares of the expert that every token
/// takes; null if there is none, or if they are 1. `correction` [E] is added where experts are chosen; empty
/// if nothing is.
void route(const Experts& experts, const MatrixView& logits, const float* shared, const RowVector& correction,
           float* out);
/// The expert's score that its share is proportional to: e^(logit − largest logit) or σ(logit).
double share_score(const Experts& experts, float logit, float largest);

/// out [T, n_out] = x [T, n_in] · W + b in the columns of the experts in which a token has a share, 0
/// elsewhere.
void multiply_into_experts(const Experts& experts, const MatrixView& shares, const MatrixView& x,
                           const Linear& linear, float* out, TaskPool& pool);

/// out [T, n_in] = the numbers of each expert, times the token's share in it.
void weigh_experts(const Experts& experts, const MatrixView& shares, const MatrixView& x, float* out);

/// out [T, n_out] = x [T, n_in] · W + b, where each token's x is 0 but in the experts in which it has a
/// share. `biases` [Experts::all(), n_out] are added times the shares; empty if there are none.
void multiply_from_experts(const Experts& experts, const MatrixView& shares, const MatrixView& x,
                           const Linear& linear, const Matrix& biases, float* out, TaskPool& pool);

// Gated layers with a limit; see ForeignParts::gate_limit. out [n] may be x [n].
void limited_gate(float limit, const float* x, std::size_t n, float* out);
void limited_shift(float limit, const float* x, std::size_t n, float* out);

}  // namespace headscope
