#pragma once

#include <memory>
#include <type_traits>

#include "core/model/parameters.h"

namespace headscope {

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
    linear(layout.transform, model.output_transform);
    norm(layout.transform_norm, model.output_transform_norm);
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
      linear(from.hidden, to.feed_forward.hidden);
      linear(from.up, to.feed_forward.up);
      linear(from.output, to.feed_forward.output);
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
