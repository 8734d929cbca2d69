#include "core/model/state_pass.h"

#include <algorithm>

namespace headscope {
namespace {

/// Where the state of one head of keys and values is.
struct StateOfHead {
  float* sums;  ///< S [K, V]
  float* keys;  ///< z [K]
};

StateOfHead state_of(const AttentionBuffers& buffers, int kv_head) {
  const AttentionShape& s = buffers.shape;
  const std::ptrdiff_t size = static_cast<std::ptrdiff_t>(s.d_head) * s.d_value;
  return {buffers.state + kv_head * size,
          buffers.state + s.n_kv_heads * size + static_cast<std::ptrdiff_t>(kv_head) * s.d_head};
}

void add_key(const StateOfHead& state, const float* key, const float* value, int d_head, int d_value) {
  for (int k = 0; k < d_head; ++k) {
    float* row = state.sums + static_cast<std::ptrdiff_t>(k) * d_value;
    for (int v = 0; v < d_value; ++v) row[v] += key[k] * value[v];
    state.keys[k] += key[k];
  }
}

void ask(const StateOfHead& state, const float* query, int d_head, int d_value, float scale, float* output) {
  float sum = 0.0F;
  std::fill_n(output, d_value, 0.0F);
  for (int k = 0; k < d_head; ++k) {
    const float* row = state.sums + static_cast<std::ptrdiff_t>(k) * d_value;
    for (int v = 0; v < d_value; ++v) output[v] += query[k] * row[v];
    sum += query[k] * state.keys[k];
  }
  for (int v = 0; v < d_value; ++v) output[v] = sum == 0.0F ? 0.0F : scale * (output[v] / sum);
}

}  // namespace

std::size_t state_floats(const AttentionShape& shape) {
  return static_cast<std::size_t>(shape.n_kv_heads) * static_cast<std::size_t>(shape.d_head) *
         static_cast<std::size_t>(shape.d_value + 1);
}

void state_forward(const AttentionPlan& plan, AttentionBuffers& buffers) {
  const AttentionShape& s = buffers.shape;
  for (int kv_head = 0; kv_head < s.n_kv_heads; ++kv_head) {
    add_key(state_of(buffers, kv_head), buffers.mapped_key + static_cast<std::ptrdiff_t>(kv_head) * s.d_head,
            buffers.value + static_cast<std::ptrdiff_t>(kv_head) * s.d_value, s.d_head, s.d_value);
  }
  for (int head = 0; head < s.n_heads; ++head) {
    const HeadEdits* edits = plan.edits_of_head(head);
    ask(state_of(buffers, s.kv_head_of(head)),
        buffers.mapped_query + static_cast<std::ptrdiff_t>(head) * s.d_head, s.d_head, s.d_value,
        edits == nullptr ? 1.0F : edits->scale,
        buffers.concat + static_cast<std::ptrdiff_t>(head) * s.d_value);
  }
}

}  // namespace headscope
