#include "core/model/architecture.h"
#include "core/model/parameters.h"

namespace headscope {
namespace {

/// The number of weights and biases of a linear layer.
double linear_size(double in, double out, bool bias) {
  return in * out + (bias ? out : 0.0);
}

double attention_size(const Architecture& a, AttentionKind kind) {
  const double queries = a.n_heads * a.head_width();
  const double keys = a.kv_heads() * a.own_key_width(kind);
  const double values = a.kv_heads() * a.value_width();
  const double read = a.kv_input_width();
  double size = linear_size(a.d_model, queries, a.bias.query) + linear_size(read, keys, a.bias.key) +
                linear_size(read, values, a.bias.value);
  if (a.kv_latent)
    size += *a.kv_latent + linear_size(a.d_model, *a.kv_latent + a.shared_key_width(kind), false);
  if (a.output_projection) size += linear_size(a.concat_width(), a.d_model, a.bias.output);
  if (a.sinks) size += a.n_heads;
  if (a.qk_norm) size += 2.0 * a.head_width();
  if (a.output_gate) size += linear_size(a.d_model, a.concat_width(), false);
  return size;
}

double feed_forward_size(const Architecture& a) {
  if (a.d_ff == 0) return 0.0;
  const double hidden = linear_size(a.d_model, a.d_ff, a.bias.feed_forward);
  return (a.gated ? 2.0 : 1.0) * hidden + linear_size(a.d_ff, a.d_model, a.bias.feed_forward);
}

}  // namespace

double count_parameters(const Architecture& a) {
  if (a.foreign.captured) return 0.0;
  const double norm = a.norm == Norm::none ? 0.0 : (a.norms_have_bias() ? 2.0 : 1.0) * a.d_model;
  const double norms = a.norms_outputs() ? 2.0 * norm : norm;
  const double feed_forward = feed_forward_size(a) + (a.feed_forward_has_norm() ? norms : 0.0);
  const double self = a.has_self() ? attention_size(a, AttentionKind::self) + norms : 0.0;
  const double cross = a.has_cross() ? attention_size(a, AttentionKind::cross) + norms : 0.0;
  const double encoder_layer = self + feed_forward;
  const double decoder_layer = self + cross + feed_forward;
  const double biases = a.positions == Positions::relative ? 1.0 * a.n_heads * a.relative_width() : 0.0;
  const double width = a.embedding_width();
  double size = a.positions == Positions::learned ? a.foreign.position_rows * width : biases;
  size += a.foreign.segments * width;
  if (a.foreign.embedding_norm) size += 2.0 * width;
  if (a.projects_embedding()) size += linear_size(width, a.d_model, true);
  if (a.has_output_transform()) size += linear_size(a.d_model, width, true) + 2.0 * width;
  if (a.has_position_tables_of_stacks()) size += biases;
  const double final_norm = a.norms_inputs() && !a.foreign.omits_final_norm ? norm : 0.0;
  for (const Stack stack : {Stack::encoder, Stack::decoder}) {
    if (!a.has(stack) || a.layers_of(stack) == 0) continue;
    size += a.layers_of(stack) * (stack == Stack::encoder ? encoder_layer : decoder_layer) + final_norm;
  }
  return size;
}

double model_bytes(const Architecture& architecture) {
  return sizeof(float) * count_parameters(architecture);
}

double table_bytes(const Architecture& a, int vocabulary) {
  const double words = a.output_layer == OutputLayer::none ? 0.0 : a.output_width();
  const int n_out = a.foreign.classes > 0 ? a.foreign.classes : vocabulary;
  return (static_cast<double>(a.embedding_width()) * vocabulary + words * n_out) * sizeof(float);
}

}  // namespace headscope
