#pragma once

#include "core/model/attention.h"

namespace headscope {

// Multi-head latent attention (DeepSeek-V2, 2024, section 2.1): the keys and values of all heads are made
// from one short row per token.

/// Fills `latent`, `normed_latent` and `shared_key` from `asked` [S, D], the rows from which keys and values
/// are made. These are the rows after the cached ones; there may be none. c = x W_DKV, ĉ = c / RMS(c) · γ,
/// k_R = x W_KR. Rows of c that are given, or that interventions replace, are put in place.
void compress(const AttentionWeights& weights, const MatrixView& asked, const AttentionPlan& plan,
              AttentionBuffers& buffers, TaskPool& pool);

/// Fills `own_key`, `key` and `value` from these, including the cached rows: v = ĉ W_V + b_V, and k = ĉ W_K +
/// b_K after the dimensions that all heads share.
void keys_and_values_of_latent(const AttentionWeights& weights, AttentionBuffers& buffers, TaskPool& pool);

/// Writes `keys` [rows, heads · (n_shared + n_own)]: in each row, for every head the shared numbers and then
/// its own.
template <class Scalar>
void join_keys(const Scalar* shared, int n_shared, const Scalar* own, int n_own, int n_heads, int rows,
               Scalar* keys);

}  // namespace headscope
