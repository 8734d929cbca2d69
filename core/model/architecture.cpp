#include "core/model/architecture.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <string>

#include "core/exact_text.h"

namespace headscope {
namespace {

using Limits = ArchitectureLimits;

void check_range(const char* name, int value, int low, int high) {
  if (value >= low && value <= high) return;
  refuse(usage_error(std::string(name) + " " + std::to_string(value) + " is outside " + std::to_string(low) +
                     " to " + std::to_string(high) + ": " + std::to_string(std::clamp(value, low, high)) +
                     " is the nearest valid value"));
}

/// The multiples of n_heads next to d_model within the limits: "64 or 72".
std::string fitting_neighbours(int d_model, int n_heads) {
  const int below = d_model / n_heads * n_heads;
  const int above = below + n_heads;
  std::string text;
  if (below >= Limits::min_d_model) text = std::to_string(below);
  if (above <= Limits::max_d_model) text += (text.empty() ? "" : " or ") + std::to_string(above);
  return text;
}

/// The divisors of n: "1, 2 or 4".
std::string divisors_text(int n) {
  std::string text;
  for (int divisor = 1; divisor < n; ++divisor) {
    if (n % divisor == 0) text += (text.empty() ? "" : ", ") + std::to_string(divisor);
  }
  return text.empty() ? std::to_string(n) : text + " or " + std::to_string(n);
}

void check_groups(const Architecture& a) {
  if (!a.n_kv_heads) return;
  check_range("kv_heads", *a.n_kv_heads, Limits::min_heads, Limits::max_heads);
  if (a.n_heads % *a.n_kv_heads == 0) return;
  refuse(usage_error("kv_heads " + std::to_string(*a.n_kv_heads) + " does not divide " +
                     std::to_string(a.n_heads) +
                     " heads into groups of equal size: " + divisors_text(a.n_heads) + " works"));
}

/// Checks that keys have dimensions besides those shared by all heads, for the latent.
void check_latent(const Architecture& a) {
  if (!a.kv_latent) return;
  check_range("kv_latent", *a.kv_latent, 1, Limits::max_d_model);
  if (!a.has_self() || a.per_head_key_width(AttentionKind::self, no_layer) > 0) return;
  refuse(usage_error(
      "with a latent of keys and values, the dimensions that rotary positions rotate are one key for all heads, which leaves nothing of d_head " +
      std::to_string(a.head_width(no_layer)) +
      " for the latent: set the rotary fraction to 0.5 to rotate fewer of them, or choose other positions"));
}

/// Checks that a factor is in [0, limit].
void check_factor(const char* name, float value, float max_value, const char* of_zero = "none") {
  if (std::isfinite(value) && value >= 0.0F && value <= max_value) return;
  refuse(usage_error(std::string(name) + " must be between 0, which stands for " + of_zero + ", and " +
                     std::to_string(static_cast<int>(max_value))));
}

void check_decimal(const char* name, float value, float low, float high) {
  if (value >= low && value <= high) return;  // NaN fails this comparison.
  refuse(usage_error(std::string(name) + " " + exact_text(value) + " is outside " + exact_text(low) + " to " +
                     exact_text(high) + ": " + exact_text(value > high ? high : low) +
                     " is the nearest valid value"));
}

void check_layers(const Architecture& a) {
  check_decimal("norm_epsilon", a.norm_epsilon, Limits::min_norm_epsilon, Limits::max_norm_epsilon);
  if (a.sliding_window) {
    check_range("sliding_window", *a.sliding_window, Limits::min_sliding_window, Limits::max_sliding_window);
  }
  if (a.global_every) check_range("global_every", *a.global_every, 1, Limits::max_layers);
}

void check_scores(const Architecture& a) {
  check_factor("score_scale", a.score_scale, Limits::max_score_scale, "1/√d_head");
  check_factor("softcap", a.softcap, Limits::max_softcap);
  check_factor("logit_softcap", a.logit_softcap, Limits::max_softcap);
}

/// Linear attention sums over keys, so scores must not be negative, and nothing may be added to them.
void check_linear_attention(const Architecture& a) {
  if (!a.linear_attention) return;
  const auto refused = [](const char* what) {
    refuse(usage_error(std::string("linear attention has no softmax, and ") + what));
  };
  if (a.sinks) return refused("sinks are scores that take part in a softmax: turn the sinks off");
  if (a.softcap > 0.0F)
    return refused("a softcap only keeps a softmax from sharpening: set the softcap to 0");
  if (a.kv_latent) return refused("its state keeps no keys that a latent could replace: remove the latent");
  if (a.score_scale > 0.0F)
    return refused("a scale of all scores cancels out when they are divided by their sum: set it to 0");
  if (a.uses_rotary())
    return refused(
        "rotary positions could make its scores negative: choose sinusoidal or learned positions, or none");
  if (a.has_score_biases())
    return refused(
        "its state has no scores to which biases by distance could be added: choose sinusoidal or learned positions, or none");
}

/// Whether the output of attention must have width d_model.
bool needs_model_width(const Architecture& a) {
  if (a.foreign.captured) return false;  // The inputs and outputs of layers are captured.
  return a.n_layers > 1 || a.d_ff > 0 || a.residual || a.norm != Norm::none ||
         a.stacks == Stacks::encoder_decoder || a.output_layer != OutputLayer::none;
}

/// A parallel block adds the outputs of both sublayers to their common input, so it needs residual
/// connections and no post-norm.
void check_parallel(const Architecture& a) {
  if (!a.is_parallel()) return;
  if (!a.norms_allow_parallel()) {
    refuse(usage_error(
        "a parallel block adds up its input and the outputs of both sublayers, with no norm between them: put the norm before the sublayers (pre), or nowhere (none)"));
  }
  if (!a.residual) {
    refuse(usage_error(
        "a parallel block is the sum of its input and the outputs of both sublayers: turn the residual connections on, or make the block sequential"));
  }
}

void check_relative(const Architecture& a) {
  const bool has_tables = a.positions == Positions::relative || a.foreign.adds_distance_biases;
  if (!has_tables || !a.relative_buckets) return;
  const int n = *a.relative_buckets;
  check_range("relative_buckets", n, Limits::min_relative_buckets, Limits::max_relative_buckets);
  if (n % 2 == 0) return;
  refuse(usage_error("relative_buckets " + std::to_string(n) +
                     " is odd, but half of them are for keys before the query: " + std::to_string(n - 1) +
                     " works"));
}

void check_rotary(const Architecture& a) {
  if (!a.uses_rotary()) return;
  namespace Of = rotary_limits;
  const Rotary& rotary = a.rotary;
  check_decimal("the rotary base", rotary.base, Of::min_base, Of::max_base);
  if (rotary.local_base != 0.0F)  // 0 means the base of the other layers.
    check_decimal("the rotary base of local layers", rotary.local_base, Of::min_base, Of::max_base);
  check_decimal("the rotary fraction", rotary.fraction, Of::min_fraction, Of::max_fraction);
  check_decimal("the rotary factor", rotary.factor, Of::min_factor, Of::max_factor);
  check_range("the original length", rotary.original_length, Of::min_length, Of::max_length);
  const int width = a.head_width(no_layer);
  if (width == 1)
    refuse(usage_error("rotary positions rotate pairs of dimensions, but d_head is 1: 2 works"));
  for (int layer = 0; layer < a.n_layers; ++layer) {
    const int own = a.head_width(layer);
    if (a.rotary_of(layer).fraction == 1.0F && own % 2 != 0)
      refuse(usage_error("rotary positions rotate pairs of dimensions, but d_head " + std::to_string(own) +
                         " is odd: " + std::to_string(own + 1) + " works"));
  }
  const std::size_t n_divisors = a.foreign.rotary_divisors.size();
  const auto n_pairs = static_cast<std::size_t>(rotated_width(a.rotary, width) / 2);
  if (n_divisors > 0 && n_divisors != n_pairs) {
    refuse(usage_error("the rotary scaling LongRoPE has " + std::to_string(n_divisors) +
                       " divisors of frequencies, but " + std::to_string(n_pairs) +
                       " pairs of dimensions are rotated"));
  }
  if (std::ranges::any_of(a.foreign.rotary_divisors, [](float divisor) { return !(divisor > 0.0F); }))
    refuse(usage_error("one of the divisors of frequencies of LongRoPE is not greater than 0"));
  if (n_pairs == 0) {
    refuse(usage_error("the rotary fraction leaves less than one pair of d_head " + std::to_string(width) +
                       " to rotate: the smallest fraction that rotates a pair is 2 / " +
                       std::to_string(width)));
  }
}

void check_experts(const Experts& experts, const Architecture& a) {
  check_range("experts", experts.count, 1, Limits::max_experts);
  check_range("experts of a token", experts.top_k, 1, experts.count);
  check_range("the width of an expert", experts.width, 1, Limits::max_d_ff / experts.count);
  check_range("the width of the shared expert", experts.shared_width, 0, Limits::max_d_ff);
  check_range("the width beside experts", experts.dense_width, 0, Limits::max_d_ff);
  check_range("d_ff", a.d_ff, experts.hidden(), experts.hidden());
  check_range("groups of experts", experts.groups, 1, experts.count);
  check_range("groups of a token", experts.top_groups, 1, experts.groups);
  if (experts.count % experts.groups != 0)
    refuse(usage_error("the experts cannot be divided into " + std::to_string(experts.groups) +
                       " groups of equal size"));
  const int in_groups = experts.count / experts.groups * experts.top_groups;
  check_range("experts of a token", experts.top_k, 1, in_groups);
  if (!a.foreign.dense_layers.empty())
    check_range("the width of layers without experts", a.foreign.dense_layers_width, 1, Limits::max_d_ff);
}

/// Checks what layers have of their own.
void check_own(const Architecture& a) {
  if (a.foreign.own.empty()) return;
  const auto n = static_cast<int>(a.foreign.own.size());
  check_range("the number of layers with sizes of their own", n, a.n_layers, a.n_layers);
  for (int layer = 0; layer < n; ++layer) {
    const int from = a.own(layer).keys_of;
    const bool fits = from < layer && a.own(from).keys_of < 0 && a.uses_rotary() &&
                      a.kv_heads(from) == a.kv_heads(layer) && a.head_width(from) == a.head_width(layer) &&
                      a.has_sliding_window(from) == a.has_sliding_window(layer);
    if (from >= 0 && !fits)
      refuse(usage_error("layer " + std::to_string(layer) + " cannot use the keys and values of layer " +
                         std::to_string(from) +
                         ", which must be an earlier one of the same sizes and window that makes its own"));
  }
  for (const LayerOwn& own : a.foreign.own) {
    check_range("the d_head of a layer", own.d_head, 0, Limits::max_head_width);
    check_range("the d_ff of a layer", own.d_ff, 0, Limits::max_d_ff);
    check_decimal("the share of gates that are 0", own.sparsity, 0.0F, 0.999F);
    check_range("the kv_heads of a layer", own.n_kv_heads, 0, a.n_heads);
    if (own.n_kv_heads > 0 && a.n_heads % own.n_kv_heads != 0)
      refuse(usage_error("kv_heads " + std::to_string(own.n_kv_heads) + " of a layer does not divide " +
                         std::to_string(a.n_heads) + " heads: " + divisors_text(a.n_heads) + " works"));
    if (a.uses_rotary() && own.d_head % 2 != 0)
      refuse(usage_error("rotary positions rotate pairs of dimensions, but the d_head " +
                         std::to_string(own.d_head) + " of a layer is odd"));
  }
}

/// Checks the features of models from other programs.
void check_foreign(const Architecture& a) {
  constexpr int max_rows = Limits::max_rows;
  const ForeignParts& f = a.foreign;
  check_range("embedding_width", a.embedding_width(), 1, Limits::max_d_model);
  check_range("segments", f.segments, 0, max_rows);
  check_range("position_rows", f.position_rows, 1, max_rows);
  check_range("first_position", f.first_position, 0, f.position_rows - 1);
  check_range("classes", f.classes, 0, max_rows);
  check_range("layers of the encoder", f.encoder_layers, 0, a.n_layers);
  check_range("layers of the decoder", f.decoder_layers, 0, a.n_layers);
  if (f.experts) check_experts(*f.experts, a);
  check_own(a);
  if (f.layer_inputs)
    check_range("the width of a layer's embeddings", a.layer_input_width(), 1, Limits::max_d_model);
  if (f.streams) check_range("streams", f.streams->count, 2, Limits::max_streams);
  if (f.streams) check_range("the rank of LAuReL", f.streams->laurel_rank, 1, Limits::max_d_model);
  if (f.streams && !f.layer_inputs)
    refuse(usage_error("the layers of a model with several streams need embeddings of their own"));
  if (f.layer_inputs) check_range("the rows of the layers' embeddings", f.layer_inputs->rows, 1, max_rows);
  check_range("the latent of queries", a.query_input_width(), 1, Limits::max_d_model);
  if (f.adds_distance_biases && a.positions != Positions::learned)
    refuse(usage_error("biases of distances are added only beside learned positions"));
  if (f.disentangled &&
      (a.stacks != Stacks::encoder || a.positions != Positions::none || a.shares_keys(no_layer) ||
       a.kv_latent || f.query_latent || a.has_embedding_projection()))
    refuse(usage_error(
        "products with relative positions need an encoder without other positions, latents and shared keys"));
  if (f.disentangled) {
    check_range("max_relative_positions", f.disentangled->max_distance, 1, max_rows / 2);
    // The logarithm of (max_distance − 1) / (buckets / 2) must be positive.
    if (f.disentangled->buckets > 0)
      check_range("position_buckets", f.disentangled->buckets, 2, 2 * f.disentangled->max_distance - 4);
    check_range("position_rows", f.position_rows, 2 * f.disentangled->span(), max_rows);
  }
  if (a.output_layer == OutputLayer::tied && a.has_embedding_projection() && !a.has_output_transform()) {
    refuse(usage_error("rows of width " + std::to_string(a.d_model) +
                       " cannot be compared with embeddings of width " + std::to_string(a.embedding_width()) +
                       ", to which the final linear layer is tied"));
  }
}

void check_block(const Architecture& a) {
  check_range("layers", a.n_layers, Limits::min_layers, Limits::max_layers);
  check_range("d_ff", a.d_ff, 0, Limits::max_d_ff);
  if (!a.output_projection && a.concat_width(no_layer) != a.d_model && needs_model_width(a)) {
    refuse(usage_error("without an output projection the concatenated head outputs are " +
                       std::to_string(a.concat_width(no_layer)) +
                       " wide, but the rest of the model needs d_model " + std::to_string(a.d_model) +
                       ": turn the projection on, or leave d_head and d_value automatic"));
  }
  check_layers(a);
  check_foreign(a);
  check_parallel(a);
  check_rotary(a);
  check_relative(a);
  check_latent(a);
}

/// Throws the first error.
void check_all(const Architecture& a) {
  check_range("d_model", a.d_model, Limits::min_d_model, Limits::max_d_model);
  check_range("heads", a.n_heads, Limits::min_heads, Limits::max_heads);
  if (a.d_head) check_range("d_head", *a.d_head, Limits::min_head_width, Limits::max_head_width);
  if (!a.d_head && a.d_model % a.n_heads != 0) {
    refuse(usage_error("d_model " + std::to_string(a.d_model) + " is not divisible by " +
                       std::to_string(a.n_heads) + " heads: " + fitting_neighbours(a.d_model, a.n_heads) +
                       " works, or set d_head"));
  }
  if (a.d_value) check_range("d_value", *a.d_value, Limits::min_head_width, Limits::max_head_width);
  check_groups(a);
  check_scores(a);
  check_linear_attention(a);
  check_block(a);
}

}  // namespace

Result<void> validate(const Architecture& architecture) {
  return result_of([&] { check_all(architecture); });
}

int largest_kv_heads(int n_heads, int requested) {
  int heads = std::clamp(requested, 1, n_heads);
  while (n_heads % heads != 0) --heads;
  return heads;
}

int nearest_kv_heads(int n_heads, int now, int requested) {
  int heads = std::clamp(requested, 1, n_heads);
  while (heads > now && n_heads % heads != 0) ++heads;
  return largest_kv_heads(n_heads, heads);
}

std::string layers_text(const Architecture& a) {
  const auto n = [&](Stack stack) { return std::to_string(a.layers_of(stack)); };
  if (a.has_cross() && a.has_self()) return n(Stack::encoder) + " + " + n(Stack::decoder) + " layers";
  return n(a.last_stack()) + (a.n_layers == 1 ? " layer" : " layers");
}

}  // namespace headscope
