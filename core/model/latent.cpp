#include "core/model/latent.h"

#include <algorithm>
#include <cstddef>

#include "core/tensor/rms_norm.h"

namespace headscope {

void compress(const AttentionWeights& weights, const MatrixView& asked, const AttentionPlan& plan,
              AttentionBuffers& buffers, TaskPool& pool) {
  const AttentionShape& s = buffers.shape;
  const std::ptrdiff_t first = s.n_cached;
  float* latent = buffers.latent + first * s.latent_width;
  multiply(asked, weights.latent, latent, pool);
  replace_rows(plan.edits, PatchSite::latent, plan.place, {latent, asked.rows, s.latent_width});
  rms_norm({latent, asked.rows, s.latent_width, s.latent_width}, weights.latent_gain.data(),
           plan.norm_epsilon, buffers.normed_latent + first * s.latent_width);
  if (s.shared_key_width > 0)
    multiply(asked, weights.shared_key, buffers.shared_key + first * s.shared_key_width, pool);
}

void keys_and_values_of_latent(const AttentionWeights& weights, AttentionBuffers& buffers, TaskPool& pool) {
  const AttentionShape& s = buffers.shape;
  const MatrixView latent{buffers.normed_latent, s.n_keys, s.latent_width, s.latent_width};
  multiply(latent, weights.key, buffers.own_key, pool);
  multiply(latent, weights.value, buffers.value, pool);
  if (s.shared_key_width > 0)
    join_keys(buffers.shared_key, s.shared_key_width, buffers.own_key, s.d_head - s.shared_key_width,
              s.n_kv_heads, s.n_keys, buffers.key);
}

template <class Scalar>
void join_keys(const Scalar* shared, int n_shared, const Scalar* own, int n_own, int n_heads, int rows,
               Scalar* keys) {
  for (int row = 0; row < rows; ++row, shared += n_shared) {
    for (int head = 0; head < n_heads; ++head, own += n_own)
      keys = std::copy_n(own, n_own, std::copy_n(shared, n_shared, keys));
  }
}

template void join_keys(const float*, int, const float*, int, int, int, float*);
template void join_keys(const double*, int, const double*, int, int, int, double*);

}  // namespace headscope
