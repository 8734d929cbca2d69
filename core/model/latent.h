#pragma once

#include "core/model/attention.h"

namespace headscope {

// Multi-head latent attention (DeepSeek-V2, 2024, section 2.1): keys and values of all heads come from one
// short row a token.

/// Fills `latent`, `normed_latent` and `shared_key` for what is asked, `asked` [S, D]: the rows behind the
/// cached ones, of which there may be none. c = x W_DKV, ĉ = c / RMS(c) · γ, k_R = x W_KR. Rows of c that are
/// given, or that interventions replace, are put in place.
void compress(const AttentionWeights& weights, const MatrixView& asked, const AttentionPlan& plan,
              AttentionBuffers& buffers, TaskPool& pool);

/// Fills `own_key`, `key` and `value` from these, cached rows among them: v = ĉ W_V + b_V, and k = ĉ W_K +
/// b_K behind the dimensions that all heads share.
void keys_and_values_of_latent(const AttentionWeights& weights, AttentionBuffers& buffers, TaskPool& pool);

/// [rows, heads · (n_shared + n_own)]: in each row, for every head what all share, then its own numbers.
template <class Scalar>
void join_keys(const Scalar* shared, int n_shared, const Scalar* own, int n_own, int n_heads, int rows,
               Scalar* keys);

}  // namespace headscope
