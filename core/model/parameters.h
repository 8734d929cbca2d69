#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/model/model.h"

namespace headscope {

// All parameters of a model in one contiguous row of numbers, as an optimiser and a file need them. A slot is
// the index at which a part begins, or −1 if the model has no such part. Matrices are [in, out], row-major
// and contiguous.

struct LinearSlot {
  std::ptrdiff_t weight = -1;
  std::ptrdiff_t bias = -1;
  int n_in = 0;
  int n_out = 0;

  bool exists() const { return weight >= 0; }
};

struct NormSlot {
  std::ptrdiff_t gain = -1;
  std::ptrdiff_t bias = -1;
  int width = 0;

  bool exists() const { return gain >= 0; }
};

struct AttentionSlots {
  LinearSlot query, key, value, out;
  std::ptrdiff_t sinks = -1;                      ///< [1, H]
  std::ptrdiff_t query_gain = -1, key_gain = -1;  ///< [1, K]
  LinearSlot gate;
  LinearSlot latent;                ///< W_DKV, with a latent of keys and values.
  std::ptrdiff_t latent_gain = -1;  ///< [1, d_c]
  LinearSlot shared_key;            ///< W_KR, if the heads share a key.
  int n_heads = 0;
  int d_head = 0;
};

struct LayerSlots {
  AttentionSlots self, cross;
  NormSlot self_norm, cross_norm, feed_forward_norm;
  NormSlot self_output_norm, cross_output_norm, feed_forward_output_norm;
  LinearSlot hidden, up, output;  ///< The layers of the feed-forward layer; `up` exists if it is gated.
};

struct StackSlots {
  std::vector<LayerSlots> layers;
  NormSlot norm;
  std::ptrdiff_t position_biases = -1;  ///< [H, relative_width()] If each stack has a table.
};

/// What a parameter is. random_model() says how each kind is drawn.
enum class ParameterKind : std::uint8_t {
  weight,       ///< of a linear layer
  bias,         ///< of a linear layer
  gain,         ///< of a norm
  offset,       ///< the bias of a norm
  sink,         ///< a score of a head that belongs to no key
  table,        ///< of positions or segments
  word_table,   ///< the embedding table
  word_weight,  ///< of the final linear layer
  word_bias     ///< of the final linear layer
};

/// A named parameter: `rows` × `cols` numbers that begin at `first`, with rows `stride` apart.
struct NamedParameter {
  std::string path;
  ParameterKind kind = ParameterKind::weight;
  std::ptrdiff_t first = 0;
  int rows = 0;
  int cols = 0;
  std::ptrdiff_t stride = 0;
};

/// The place of each parameter of an architecture.
struct ParameterLayout {
  Architecture architecture;
  int vocabulary = 0;
  std::size_t size = 0;             ///< How many numbers there are in all.
  std::ptrdiff_t embedding = -1;    ///< [vocabulary, E]
  std::ptrdiff_t segments = -1;     ///< [segments, E]
  NormSlot embedding_norm;          ///< [E]
  LinearSlot embedding_projection;  ///< [E, D]
  LinearSlot transform;             ///< [D, E] Before the final linear layer.
  NormSlot transform_norm;
  LinearSlot logits;                ///< [D or E, vocabulary] With OutputLayer::linear.
  std::ptrdiff_t logits_bias = -1;  ///< [1, vocabulary] Also of a tied layer.
  std::ptrdiff_t positions = -1;    ///< [rows of the table, E], or with a single stack [H, relative_width()]
  StackSlots encoder, decoder;
  /// All parameters, with the heads separate, in the order of their slots.
  std::vector<NamedParameter> named;

  const StackSlots& stack(Stack which) const { return which == Stack::encoder ? encoder : decoder; }
  /// The table of relative positions that a stack's self-attention reads. −1 if positions are not relative.
  std::ptrdiff_t position_biases(Stack which) const {
    if (architecture.positions != Positions::relative) return -1;
    return architecture.has_position_tables_of_stacks() ? stack(which).position_biases : positions;
  }
};

/// The memory of the embedding table, and of the final linear layer, which is packed also where it is tied to
/// the table. model_bytes() is that of the other weights.
double word_table_bytes(const Architecture& architecture, int vocabulary);
double unembedding_bytes(const Architecture& architecture, int vocabulary);

/// The layout of a valid architecture with an embedding table of `vocabulary` rows.
ParameterLayout layout_of(const Architecture& architecture, int vocabulary);

/// The model's numbers in the layout's order. The model must have the layout's architecture and table.
std::vector<float> parameters_of(const Model& model, const ParameterLayout& layout);

/// A model with these `layout.size` numbers, packed for passes. It is not marked as drawn.
Model model_of(const ParameterLayout& layout, std::span<const float> numbers);

}  // namespace headscope
