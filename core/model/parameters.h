#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
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

/// The layers of the feed-forward layer; `up` exists if it is gated.
struct FeedForwardSlots {
  LinearSlot hidden, up, output;
};

struct LayerSlots {
  AttentionSlots self, cross;
  NormSlot self_norm, cross_norm, feed_forward_norm;
  NormSlot self_output_norm, cross_output_norm, feed_forward_output_norm;
  FeedForwardSlots feed_forward;
};

struct StackSlots {
  std::vector<LayerSlots> layers;
  NormSlot norm;
  std::ptrdiff_t position_biases = -1;  ///< [H, relative_width()] If each stack has a table.
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
  LinearSlot output_transform;      ///< [D, E] Before the final linear layer.
  NormSlot output_transform_norm;
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

/// Visits the parts of a model together with their slots, each part for all heads at once. `visit` has
/// table(first, rows, cols, Matrix& or RowVector&), word_table(first, rows, cols, WordTable&) and
/// linear(LinearSlot, Linear&). Parts that the model does
/// not have are skipped. The references that `visit` receives are valid as long as the model is.
template <class ModelType, class Visit>
class PartVisitor {
 public:
  PartVisitor(const ParameterLayout& layout, ModelType& model, Visit& visit)
      : layout_(layout), visit_(visit) {
    const Architecture& a = layout.architecture;
    if (layout.embedding >= 0)
      visit_.word_table(layout.embedding, layout.vocabulary, a.embedding_width(), model.embedding_table);
    const bool is_relative = a.positions == Positions::relative;
    table(layout.positions, is_relative ? a.n_heads : a.foreign.position_rows,
          is_relative ? a.relative_width() : a.embedding_width(), model.positions_table);
    table(layout.segments, a.foreign.segments, a.embedding_width(), model.segments_table);
    norm(layout.embedding_norm, model.embedding_norm);
    linear(layout.embedding_projection, model.embedding_projection);
    stack(layout.encoder, model.encoder);
    stack(layout.decoder, model.decoder);
    linear(layout.output_transform, model.output_transform);
    norm(layout.output_transform_norm, model.output_transform_norm);
    words(model);
  }

 private:
  static constexpr bool makes = !std::is_const_v<ModelType>;

  template <class Table>
  void table(std::ptrdiff_t first, int rows, int cols, Table& part) {
    if (first >= 0) visit_.table(first, rows, cols, part);
  }
  template <class Layer>
  void linear(const LinearSlot& slot, Layer& part) {
    if (slot.exists()) visit_.linear(slot, part);
  }
  template <class Part>
  void norm(const NormSlot& slot, Part& part) {
    table(slot.gain, 1, slot.width, part.gain);
    table(slot.bias, 1, slot.width, part.bias);
  }

  template <class Part>
  void attention(const AttentionSlots& slots, Part& part) {
    linear(slots.query, part.query);
    linear(slots.key, part.key);
    linear(slots.value, part.value);
    table(slots.sinks, 1, slots.n_heads, part.sinks);
    table(slots.query_gain, 1, slots.d_head, part.query_gain);
    table(slots.key_gain, 1, slots.d_head, part.key_gain);
    linear(slots.gate, part.gate);
    linear(slots.latent, part.latent);
    table(slots.latent_gain, 1, slots.latent.n_out, part.latent_gain);
    linear(slots.shared_key, part.shared_key);
    linear(slots.out, part.out);
  }

  template <class Part>
  void stack(const StackSlots& slots, Part& part) {
    if constexpr (makes) part.layers.resize(slots.layers.size());
    for (std::size_t l = 0; l < slots.layers.size(); ++l) {
      const LayerSlots& from = slots.layers[l];
      auto& to = part.layers[l];
      attention(from.self, to.self);
      attention(from.cross, to.cross);
      norm(from.self_norm, to.self_norm);
      norm(from.cross_norm, to.cross_norm);
      norm(from.feed_forward_norm, to.feed_forward_norm);
      norm(from.self_output_norm, to.self_output_norm);
      norm(from.cross_output_norm, to.cross_output_norm);
      norm(from.feed_forward_output_norm, to.feed_forward_output_norm);
      linear(from.feed_forward.hidden, to.feed_forward.hidden);
      linear(from.feed_forward.up, to.feed_forward.up);
      linear(from.feed_forward.output, to.feed_forward.output);
    }
    norm(slots.norm, part.norm);
    table(slots.position_biases, layout_.architecture.n_heads, layout_.architecture.relative_width(),
          part.position_biases);
  }

  void words(ModelType& model) {
    if (!layout_.logits.exists())
      return table(layout_.logits_bias, 1, layout_.vocabulary, model.unembedding_bias);
    // Without a vocabulary, each word's column is drawn from the word itself.
    if (layout_.vocabulary == 0) return;
    if constexpr (makes) {
      const auto made = std::make_shared<Linear>();
      model.unembedding = made;
      visit_.linear(layout_.logits, *made);
    } else {
      visit_.linear(layout_.logits, *model.unembedding);
    }
  }

  const ParameterLayout& layout_;
  Visit& visit_;
};

template <class ModelType, class Visit>
void visit_parts(const ParameterLayout& layout, ModelType& model, Visit&& visit) {
  const PartVisitor<ModelType, std::remove_reference_t<Visit>> visited(layout, model, visit);
}

}  // namespace headscope
