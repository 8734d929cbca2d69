#pragma once

#include "core/model/architecture.h"
#include "core/model/linear.h"
#include "core/tensor/view.h"

namespace headscope {

// Mixture-of-experts layers; see Experts. Experts that no token uses are neither read nor computed.

/// Computes the shares [T, Experts::all()] of the experts from the router logits [T, E]. Ties go to the first
/// expert. `shared` [T] is the share of the shared expert, or null if that is 1 or there is none.
/// `correction` [E] applies when choosing experts; may be empty.
void route(const Experts& experts, const MatrixView& logits, const float* shared, const RowVector& correction,
           const RowVector& factors, float* out);
/// The score that an expert's share is proportional to: e^(logit − max logit) or σ(logit).
double share_score(const Experts& experts, float logit, float largest);

/// out [T, n_out] = x [T, n_in] · W + b in the columns of the active experts of each token, 0 elsewhere.
void multiply_into_experts(const Experts& experts, const MatrixView& shares, const MatrixView& x,
                           const Linear& linear, float* out, ThreadPool& pool);

/// out [T, n_in] = the hidden numbers of each expert times its share.
void weigh_experts(const Experts& experts, const MatrixView& shares, const MatrixView& x, float* out);

/// out [T, n_out] = x [T, n_in] · W + b, skipping the inactive experts of each token, where x is 0. Adds
/// `biases` [Experts::all(), n_out] times the shares; may be empty.
void multiply_from_experts(const Experts& experts, const MatrixView& shares, const MatrixView& x,
                           const Linear& linear, const Matrix& biases, float* out, ThreadPool& pool);

}  // namespace headscope
