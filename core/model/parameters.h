#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "core/model/model.h"

namespace headscope {

// All parameters of a model in one row of numbers, as an optimiser and a file want them. A slot is the number
// that a part begins with; −1: the model has no such part. Matrices are [in, out], row-major and contiguous.

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
  LinearSlot latent;                ///< W_DKV, with a latent of keys and values
  std::ptrdiff_t latent_gain = -1;  ///< [1, d_c]
  LinearSlot shared_key;            ///< W_KR, where heads share a key
  int n_heads = 0;
  int d_head = 0;
};

struct LayerSlots {
  AttentionSlots self, cross;
  NormSlot self_norm, cross_norm, feed_forward_norm;
  NormSlot self_output_norm, cross_output_norm, feed_forward_output_norm;
  LinearSlot hidden, up, output;  ///< of the feed-forward layer; `up` where it is gated
};

struct StackSlots {
  std::vector<LayerSlots> layers;
  NormSlot norm;
  std::ptrdiff_t position_biases = -1;  ///< [H, relative_width()], where each stack has a table
};

/// A parameter under its path: `rows` × `cols` numbers from `first` on, rows `stride` apart.
struct NamedParameter {
  std::string path;
  std::ptrdiff_t first = 0;
  int rows = 0;
  int cols = 0;
  std::ptrdiff_t stride = 0;
};

/// The place of each parameter of an architecture.
struct ParameterLayout {
  Architecture architecture;
  int vocabulary = 0;
  std::size_t size = 0;             ///< numbers in all
  std::ptrdiff_t embedding = -1;    ///< [vocabulary, E]
  std::ptrdiff_t segments = -1;     ///< [segments, E]
  NormSlot embedding_norm;          ///< of E
  LinearSlot embedding_projection;  ///< [E, D]
  LinearSlot transform;             ///< [D, E], before the final linear layer
  NormSlot transform_norm;
  LinearSlot logits;                ///< [D or E, vocabulary], with OutputLayer::linear
  std::ptrdiff_t logits_bias = -1;  ///< [1, vocabulary], of a tied layer too
  std::ptrdiff_t positions = -1;    ///< [rows of the table, E], or of a single stack [H, relative_width()]
  StackSlots encoder, decoder;
  std::vector<NamedParameter> named;  ///< all of them, heads apart, in the order in which they stand

  const StackSlots& stack(Stack which) const { return which == Stack::encoder ? encoder : decoder; }
  /// The table of relative positions that a stack's self-attention reads; −1: positions are not relative.
  std::ptrdiff_t position_biases(Stack which) const {
    if (architecture.positions != Positions::relative) return -1;
    return architecture.has_position_tables_of_stacks() ? stack(which).position_biases : positions;
  }
};

/// Memory of the embedding table and of the columns of a final linear layer, which are packed of the table
/// where they are tied to it; model_bytes() is that of the other weights.
double table_bytes(const Architecture& architecture, int vocabulary);

/// The layout of a valid architecture with an embedding table of `vocabulary` rows.
ParameterLayout layout_of(const Architecture& architecture, int vocabulary);

/// The model's numbers in the layout's order. The model must have the layout's architecture and table.
std::vector<float> parameters_of(const Model& model, const ParameterLayout& layout);

/// A model of `layout.size` numbers, packed for passes; not marked as drawn.
Model model_of(const ParameterLayout& layout, std::span<const float> numbers);

}  // namespace headscope
