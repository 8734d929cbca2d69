#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/model/model.h"

namespace headscope {

/// The place of a parameter among all parameters of a model, which are one contiguous row of numbers, as an
/// optimiser and a file need them: of the weights of a linear layer, a gain, a table or sinks, for all heads
/// side by side, with the bias that belongs to it. Matrices are [in, out], row-major and contiguous.
struct ParameterSlot {
  std::ptrdiff_t first = -1;  ///< the index at which it begins; −1 if the model has no such parameter
  std::ptrdiff_t bias = -1;   ///< the same of the bias of the linear layer or the norm
  int n_in = 0;
  int n_out = 0;

  bool exists() const { return first >= 0; }
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
  std::size_t size = 0;  ///< How many numbers there are in all.
  /// The slots in order, each with its stage, that of head 0. A bias is in the slot of its linear layer or
  /// norm, except for that of a final linear layer which is tied to the embedding table.
  std::vector<std::pair<StageId, ParameterSlot>> slots;
  std::map<StageId, std::size_t> places;  ///< where the slots are
  /// All parameters, with the heads separate, in the order of their slots.
  std::vector<NamedParameter> named;

  /// The slot of a parameter that is no bias, whichever its head. It does not exist if the model has none.
  ParameterSlot slot(StageId id) const;
  /// The table of relative positions that a layer's self-attention reads. −1 if positions are not relative.
  std::ptrdiff_t position_biases(Stack which, int layer) const;
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
/// linear(ParameterSlot, Linear&). Parts that the model does not have are skipped. The references that
/// `visit` receives are valid as long as the model is. A model that is not const gets room for its layers.
template <class ModelType, class Visit>
void visit_parts(const ParameterLayout& layout, ModelType& model, Visit&& visit) {
  constexpr bool makes = !std::is_const_v<ModelType>;
  if constexpr (makes) {
    for (const Stack stack : {Stack::encoder, Stack::decoder})
      if (layout.architecture.has(stack))
        model.stack(stack).layers.resize(static_cast<std::size_t>(layout.architecture.layers_of(stack)));
  }
  for (const auto& [id, slot] : layout.slots) {
    switch (shape_of(id.kind).parameter) {
      case ParameterKind::word_table:
        visit.word_table(slot.first, slot.n_in, slot.n_out, model.embedding_table);
        break;
      case ParameterKind::weight:
        visit.linear(slot, linear_of(model, id));
        break;
      case ParameterKind::word_weight:
        // Without a vocabulary, each word's column is drawn from the word itself.
        if (layout.vocabulary == 0) break;
        if constexpr (makes) {
          const auto made = std::make_shared<Linear>();
          model.unembedding = made;
          visit.linear(slot, *made);
        } else {
          visit.linear(slot, *model.unembedding);
        }
        break;
      case ParameterKind::word_bias:
        visit.table(slot.first, slot.n_in, slot.n_out, model.unembedding_bias);
        break;
      case ParameterKind::table:
        visit.table(slot.first, slot.n_in, slot.n_out, table_of(model, id));
        break;
      default:
        visit.table(slot.first, slot.n_in, slot.n_out, vector_of(model, id));
        if (slot.bias >= 0) visit.table(slot.bias, slot.n_in, slot.n_out, norm_of(model, id).bias);
    }
  }
}

}  // namespace headscope
