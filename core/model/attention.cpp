#include "core/model/attention.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>

#include "core/model/head_pass.h"
#include "core/model/rotary.h"
#include "core/tensor/linear_attention.h"
#include "core/tensor/logistic.h"
#include "core/tensor/packed_product.h"
#include "core/tensor/random.h"
#include "core/tensor/rms_norm.h"

namespace headscope {

void AttentionBuffers::take_projections(Carver& carver) {
  const AttentionShape& s = shape;
  query = carver.take(s.n_queries, s.query_width());
  if (s.has_latent()) {
    latent = carver.take(s.n_keys, s.latent_width);
    normed_latent = carver.take(s.n_keys, s.latent_width);
  }
  if (s.shared_key_width > 0) {
    shared_key = carver.take(s.n_keys, s.shared_key_width);
    own_key = carver.take(s.n_keys, s.own_key_width());
  }
  key = carver.take(s.n_keys, s.key_width());
  if (own_key == nullptr) own_key = key;
  value = carver.take(s.n_keys, s.value_width());
  normed_query = s.norms ? carver.take(s.n_queries, s.query_width()) : query;
  normed_key = s.norms ? carver.take(s.n_keys, s.key_width()) : key;
  rotated_query = s.rotates ? carver.take(s.n_queries, s.query_width()) : normed_query;
  rotated_key = s.rotates ? carver.take(s.n_keys, s.key_width()) : normed_key;
  mapped_query = s.is_linear ? carver.take(s.n_queries, s.query_width()) : rotated_query;
  mapped_key = s.is_linear ? carver.take(s.n_keys, s.key_width()) : rotated_key;
}

AttentionBuffers::AttentionBuffers(const AttentionShape& s, Carver& carver, float* heads_outputs) : shape(s) {
  take_projections(carver);
  if (s.keeps_maps) {
    const std::size_t maps = static_cast<std::size_t>(s.n_heads) * s.map_floats();
    raw = s.keeps_scores ? carver.take(maps) : nullptr;
    scaled = s.keeps_scores ? carver.take(maps) : nullptr;
    capped = s.caps && s.keeps_scores ? carver.take(maps) : scaled;
    masked = s.mask_changes_scores ? carver.take(maps) : capped;
    weights = carver.take(maps);
    dropped = s.drops ? carver.take(maps) : weights;
  }
  concat = heads_outputs != nullptr ? heads_outputs : carver.take(s.n_queries, s.concat_width());
  gate = s.gates ? carver.take(s.n_queries, s.concat_width()) : nullptr;
  gated = s.gates ? carver.take(s.n_queries, s.concat_width()) : concat;
  const bool is_apart = s.output_projection || s.copies_projected;
  projected = is_apart ? carver.take(s.n_queries, s.projected_width()) : gated;
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
  const bool turns_latent = shape.has_latent() && shape.rotates;
  const auto by_yarn = turns_latent ? static_cast<float>(score_amplitude(shape.rotary)) : 1.0F;
  if (plan.options.scale && plan.score_scale > 0.0F)
    return by_yarn * plan.score_scale / plan.options.temperature;
  const float width = plan.options.scale ? std::sqrt(static_cast<float>(shape.d_head)) : 1.0F;
  return by_yarn / (width * plan.options.temperature);
}

namespace {

/// Replaces rows of each head's part of queries, keys, values or outputs. What `group_size` heads share is
/// named after the first of them.
void replace_rows_of_heads(const AttentionPlan& plan, PatchSite site, const SiteRows& all, int head_width,
                           int group_size) {
  if (plan.edits == nullptr || plan.edits->rows.empty()) return;
  HeadId place = plan.place;
  for (std::ptrdiff_t column = 0; column < all.stride; column += head_width, place.head += group_size)
    replace_rows(plan.edits, site, place, {all.data + column, all.n, all.stride});
}

/// Puts given queries, keys and values of heads in place of the computed ones.
void place_given_projections(const AttentionPlan& plan, AttentionBuffers& buffers) {
  const AttentionShape& s = buffers.shape;
  const std::vector<HeadEdits>* heads = plan.edits == nullptr ? nullptr : plan.edits->heads_of(plan.place);
  if (heads == nullptr) return;
  for (const HeadEdits& edits : *heads) {
    const std::ptrdiff_t query_column = static_cast<std::ptrdiff_t>(edits.head) * s.d_head;
    const std::ptrdiff_t key_column = static_cast<std::ptrdiff_t>(s.kv_head_of(edits.head)) * s.d_head;
    const std::ptrdiff_t value_column = static_cast<std::ptrdiff_t>(s.kv_head_of(edits.head)) * s.d_value;
    place_given(edits.query, {buffers.query + query_column, s.n_queries, s.query_width()});
    place_given(edits.key, {buffers.key + key_column, s.n_keys, s.key_width()});
    place_given(edits.value, {buffers.value + value_column, s.n_keys, s.value_width()});
  }
}

/// Writes n rows of each of a layer's heads side by side into rows of all heads.
struct HeadsOfLayer {
  int layer = 0;
  int n_heads = 0;
  int n_rows = 0;
  int width = 0;
};
void read_captured(const CapturedRows& rows, const HeadsOfLayer& of, float* all_heads) {
  const std::size_t stride = static_cast<std::size_t>(of.n_heads) * static_cast<std::size_t>(of.width);
  const auto n = static_cast<std::size_t>(of.n_rows);
  if (!rows) {
    std::fill_n(all_heads, n * stride, 0.0F);
    return;
  }
  std::vector<float> of_head(n * static_cast<std::size_t>(of.width));
  for (int head = 0; head < of.n_heads; ++head) {
    const auto at = static_cast<std::size_t>(of.layer) * static_cast<std::size_t>(of.n_heads) +
                    static_cast<std::size_t>(head);
    rows.read(at * n, of.n_rows, of_head.data());
    for (std::size_t row = 0; row < n; ++row)
      std::copy_n(
          of_head.begin() + static_cast<std::ptrdiff_t>(row) * of.width, of.width,
          all_heads + row * stride + static_cast<std::size_t>(head) * static_cast<std::size_t>(of.width));
  }
}

/// Fills queries, keys and values from a capture, and with zeros where it has none.
void read_projections(const CapturedAttention& captured, int layer, AttentionBuffers& buffers) {
  const AttentionShape& s = buffers.shape;
  read_captured(captured.query, {layer, s.n_heads, s.n_queries, s.d_head}, buffers.query);
  read_captured(captured.key, {layer, s.n_kv_heads, s.n_keys, s.d_head}, buffers.key);
  read_captured(captured.value, {layer, s.n_kv_heads, s.n_keys, s.d_value}, buffers.value);
}

/// The same buffers, starting at the keys and values that are computed: those after the cached ones or, with
/// a latent, all of them.
AttentionBuffers without_cached_rows(AttentionBuffers buffers) {
  AttentionShape& s = buffers.shape;
  if (s.has_latent()) return buffers;
  const std::ptrdiff_t n = s.n_cached;
  for (float** rows : {&buffers.key, &buffers.normed_key, &buffers.rotated_key, &buffers.mapped_key})
    *rows += n * s.key_width();
  buffers.value += n * s.value_width();
  s.n_keys -= s.n_cached;
  s.n_cached = 0;
  return buffers;
}

// Multi-head latent attention (DeepSeek-V2, 2024, section 2.1): the keys and values of all heads are made
// from one short row per token.

/// Fills `latent`, `normed_latent` and `shared_key` from `asked` [S, D], the rows from which keys and values
/// are made. These are the rows after the cached ones; there may be none. c = x W_DKV, ĉ = c / RMS(c) · γ,
/// k_R = x W_KR. Rows of c that are given, or that interventions replace, are put in place.
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

/// Fills `own_key`, `key` and `value` from these, including the cached rows: v = ĉ W_V + b_V, and k = ĉ W_K +
/// b_K after the dimensions that all heads share.
void keys_and_values_of_latent(const AttentionWeights& weights, AttentionBuffers& buffers, TaskPool& pool) {
  const AttentionShape& s = buffers.shape;
  const MatrixView latent{buffers.normed_latent, s.n_keys, s.latent_width, s.latent_width};
  multiply(latent, weights.key, buffers.own_key, pool);
  multiply(latent, weights.value, buffers.value, pool);
  if (s.shared_key_width > 0)
    join_keys(buffers.shared_key, s.shared_key_width, buffers.own_key, s.d_head - s.shared_key_width,
              s.n_kv_heads, s.n_keys, buffers.key);
}

/// Computes queries, keys and values from the inputs.
void project_inputs(const AttentionWeights& weights, const AttentionInputs& inputs, const AttentionPlan& plan,
                    AttentionBuffers& buffers, TaskPool& pool) {
  multiply(inputs.query, weights.query, buffers.query, pool);
  if (buffers.shape.has_latent()) {
    compress(weights, inputs.key, plan, buffers, pool);
    keys_and_values_of_latent(weights, buffers, pool);
  } else {
    multiply(inputs.key, weights.key, buffers.key, pool);
    multiply(inputs.value, weights.value, buffers.value, pool);
  }
}

}  // namespace

void AttentionPlan::read_weights(const AttentionShape& shape, int head, int first, int n, float* out) const {
  const auto at = static_cast<std::size_t>(place.layer) * static_cast<std::size_t>(shape.n_heads) +
                  static_cast<std::size_t>(head);
  captured->weights.read(at * static_cast<std::size_t>(shape.n_queries) + static_cast<std::size_t>(first), n,
                         out);
}

void project(const AttentionWeights& weights, const AttentionInputs& inputs, const AttentionPlan& plan,
             AttentionBuffers& buffers, TaskPool& pool) {
  const AttentionShape& s = buffers.shape;
  if (plan.captured != nullptr) {
    read_projections(*plan.captured, plan.place.layer, buffers);
  } else {
    project_inputs(weights, inputs, plan, buffers, pool);
  }
  place_given_projections(plan, buffers);
  replace_rows_of_heads(plan, PatchSite::query, {buffers.query, s.n_queries, s.query_width()}, s.d_head, 1);
  replace_rows_of_heads(plan, PatchSite::key, {buffers.key, s.n_keys, s.key_width()}, s.d_head,
                        s.group_size());
  replace_rows_of_heads(plan, PatchSite::value, {buffers.value, s.n_keys, s.value_width()}, s.d_value,
                        s.group_size());
  if (s.norms) {
    // Each head's part of a row counts as a row.
    rms_norm({buffers.query, s.n_queries * s.n_heads, s.d_head, s.d_head}, weights.query_gain.data(),
             plan.norm_epsilon, buffers.normed_query);
    rms_norm({buffers.key, s.n_keys * s.n_kv_heads, s.d_head, s.d_head}, weights.key_gain.data(),
             plan.norm_epsilon, buffers.normed_key);
  }
  if (s.rotates) {
    const RotaryTurns turns = rotary_turns(s.rotary, s.d_head, s.has_latent());
    rotate({buffers.normed_query, s.n_queries, s.query_width(), s.query_width()}, s.d_head, turns,
           s.first_position, buffers.rotated_query);
    rotate({buffers.normed_key, s.n_keys, s.key_width(), s.key_width()}, s.d_head, turns,
           s.first_position - s.n_cached, buffers.rotated_key);
  }
  if (!s.is_linear) return;
  const auto size = [](int rows, int width) {
    return static_cast<std::size_t>(rows) * static_cast<std::size_t>(width);
  };
  elu_plus_one(buffers.rotated_query, size(s.n_queries, s.query_width()), buffers.mapped_query);
  elu_plus_one(buffers.rotated_key, size(s.n_keys, s.key_width()), buffers.mapped_key);
}

bool heads_outputs(const AttentionWeights& weights, const AttentionInputs& inputs, const AttentionPlan& plan,
                   AttentionBuffers& buffers, TaskPool& pool, const std::atomic<bool>* stop) {
  const AttentionShape& s = buffers.shape;
  AttentionBuffers computed = without_cached_rows(buffers);
  project(weights, inputs, plan, computed, pool);
  // Column sums and dropout need the maps themselves if these are kept.
  const bool streams =
      !s.keeps_maps || (maps_are_large(s) && plan.options.softmax == SoftmaxAxis::keys && !s.drops);
  if (buffers.state != nullptr) state_forward(plan, buffers);
  HeadPass pass{plan, buffers, score_factor(plan, s), plan.mask.value, streams, stop, {}};
  if (!s.keeps_scores && !plan.reads_weights()) pass.seen = seen_keys(plan.mask);
  // Without values, the weights of a capture are read on demand.
  if (plan.reads_weights() && !plan.captured->value) {
    const auto n = static_cast<std::size_t>(s.n_queries) * static_cast<std::size_t>(s.concat_width());
    if (!plan.has_outputs) std::fill_n(buffers.concat, n, 0.0F);
    return true;
  }
  if (!plan.has_outputs && buffers.state == nullptr && (!heads_forward(pass, pool) || pass.stopped()))
    return false;
  if (!plan.has_outputs) {
    replace_rows_of_heads(plan, PatchSite::output, {buffers.concat, s.n_queries, s.concat_width()}, s.d_value,
                          1);
  }
  return true;
}

void take_outputs_without(int head, const AttentionPlan& plan, const AttentionBuffers& from,
                          AttentionBuffers& to) {
  const AttentionShape& s = to.shape;
  const std::ptrdiff_t width = s.concat_width();
  std::copy_n(from.concat, s.n_queries * width, to.concat);
  float* own = to.concat + std::ptrdiff_t{head} * s.d_value;
  for (int row = 0; row < s.n_queries; ++row, own += width) std::fill_n(own, s.d_value, 0.0F);
  replace_rows_of_heads(plan, PatchSite::output, {to.concat, s.n_queries, width}, s.d_value, 1);
}

void join_heads(const AttentionWeights& weights, const MatrixView& input, const AttentionPlan& plan,
                AttentionBuffers& buffers, TaskPool& pool) {
  if (plan.reads_weights() && !plan.captured->value) return;
  const AttentionShape& s = buffers.shape;
  if (s.gates) {
    const auto size = static_cast<std::size_t>(s.n_queries) * static_cast<std::size_t>(s.concat_width());
    multiply(input, weights.gate, buffers.gate, pool);
    logistic(buffers.gate, size, buffers.gate);
    multiply_each(buffers.gate, buffers.concat, size, buffers.gated);
  }
  if (s.output_projection) {
    multiply({buffers.gated, s.n_queries, s.concat_width(), s.concat_width()}, weights.out, buffers.projected,
             pool);
  } else if (s.copies_projected) {
    std::copy_n(buffers.gated, static_cast<std::ptrdiff_t>(s.n_queries) * s.concat_width(),
                buffers.projected);
  }
  if (s.output_projection || s.copies_projected) {
    replace_rows(plan.edits, PatchSite::projected, plan.place,
                 {buffers.projected, s.n_queries, s.projected_width()});
  }
}

bool attention_forward(const AttentionWeights& weights, const AttentionInputs& inputs,
                       const AttentionPlan& plan, AttentionBuffers& buffers, TaskPool& pool,
                       const std::atomic<bool>* stop) {
  if (!heads_outputs(weights, inputs, plan, buffers, pool, stop)) return false;
  join_heads(weights, inputs.query, plan, buffers, pool);
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
