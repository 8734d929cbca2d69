#include "core/model/attention.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>

#include "core/tensor/packed_product.h"
#include "core/tensor/random.h"

namespace headscope {

AttentionBuffers::AttentionBuffers(const AttentionShape& s, Arena& arena) : shape(s) {
  query = arena.take(s.n_queries, s.query_width());
  key = arena.take(s.n_keys, s.key_width());
  value = arena.take(s.n_keys, s.value_width());
  if (s.keeps_maps) {
    const std::size_t maps = static_cast<std::size_t>(s.n_heads) * s.map_floats();
    raw = s.keeps_scores ? arena.take(maps) : nullptr;
    scaled = s.keeps_scores ? arena.take(maps) : nullptr;
    capped = s.has_softcap && s.keeps_scores ? arena.take(maps) : scaled;
    masked = s.mask_changes_scores ? arena.take(maps) : capped;
    weights = arena.take(maps);
    dropped = s.has_dropout ? arena.take(maps) : weights;
  }
  concat = arena.take(s.n_queries, s.concat_width());
  projected = s.output_projection ? arena.take(s.n_queries, s.d_model) : concat;
}

void Dropout::factors(int head, int query, std::span<float> row) const {
  constexpr std::uint64_t golden = 0x9E3779B97F4A7C15ULL;
  constexpr unsigned head_bits = 32;
  const std::uint64_t place =
      (static_cast<std::uint64_t>(head) << head_bits) + static_cast<std::uint64_t>(query) + 1;
  RandomStream random(stream ^ (place * golden));
  for (float& factor : row) factor = random.uniform() < static_cast<double>(p) ? 0.0F : 1.0F / (1.0F - p);
}

Dropout dropout_of(const AttentionOptions& options, Stack stack, int layer, AttentionKind attention) {
  const std::string name = std::string("dropout ") + (stack == Stack::encoder ? "encoder" : "decoder") +
                           ".layers." + std::to_string(layer) +
                           (attention == AttentionKind::self ? ".self" : ".cross");
  return {options.dropout, RandomStream(options.dropout_seed, name).bits()};
}

float score_factor(const AttentionPlan& plan, const AttentionShape& shape) {
  if (shape.is_linear) return 1.0F;
  if (plan.options.scale && plan.score_scale > 0.0F)
    return plan.amplitude * plan.score_scale / plan.options.temperature;
  const float width = plan.options.scale ? std::sqrt(static_cast<float>(shape.d_head)) : 1.0F;
  return plan.amplitude / (width * plan.options.temperature);
}

void AttentionPlan::read_weights(const AttentionShape& shape, int head, int first, int n, float* out) const {
  const auto at = static_cast<std::size_t>(place.layer) * static_cast<std::size_t>(shape.n_heads) +
                  static_cast<std::size_t>(head);
  captured->weights.read(at * static_cast<std::size_t>(shape.n_queries) + static_cast<std::size_t>(first), n,
                         out);
}

bool attention_forward(const AttentionWeights& weights, const AttentionInputs& inputs,
                       const AttentionPlan& plan, const AttentionBuffers& buffers, ThreadPool& pool,
                       const std::atomic<bool>* stop) {
  const AttentionShape& s = buffers.shape;
  multiply(inputs.query, weights.query, buffers.query, pool);
  multiply(inputs.key, weights.key, buffers.key, pool);
  multiply(inputs.value, weights.value, buffers.value, pool);
  if (!heads_forward(plan, buffers, pool, stop)) return false;
  if (s.output_projection)
    multiply({buffers.concat, s.n_queries, s.concat_width(), s.concat_width()}, weights.out,
             buffers.projected, pool);
  return true;
}

Matrix head_contribution(const MatrixView& output, const MatrixView& rows_of_head) {
  PackedMatrix rows;
  rows.borrow(rows_of_head);
  Matrix contribution(output.rows, rows_of_head.cols);
  rows.multiply(output, nullptr, contribution.data(), rows_of_head.cols);
  return contribution;
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
