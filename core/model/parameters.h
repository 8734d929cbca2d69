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

/// The position of a parameter (linear layer, gain, table or sinks, for all heads) and of its bias in the
/// flat parameter vector of a model, as optimisers and files need it. Matrices are [in, out], row-major and
/// contiguous.
struct ParameterSlot {
  std::ptrdiff_t first = -1;  ///< index of its first number; −1 if absent
  std::ptrdiff_t bias = -1;   ///< the same for the bias of the linear layer or norm
  int n_in = 0;
  int n_out = 0;

  bool exists() const { return first >= 0; }
};

/// A named parameter [rows, cols], which begins at `first` with rows `stride` apart.
struct NamedParameter {
  std::string path;
  ParameterKind kind = ParameterKind::weight;
  std::ptrdiff_t first = 0;
  int rows = 0;
  int cols = 0;
  std::ptrdiff_t stride = 0;
};

/// The layout of the flat parameter vector of an architecture.
struct ParameterLayout {
  Architecture architecture;
  int vocabulary = 0;
  std::size_t size = 0;  ///< The total number of parameters
  /// The slots in order, with the stage (of head 0) of each. Biases share the slot of their linear layer or
  /// norm, except for the bias of a tied unembedding.
  std::vector<std::pair<StageId, ParameterSlot>> slots;
  std::map<StageId, std::size_t> places;  ///< index into `slots`
  /// All parameters in the order of their slots, split by head.
  std::vector<NamedParameter> named;

  /// The slot of a parameter other than a bias, whatever its head. exists() is false if the model lacks it.
  ParameterSlot slot(StageId id) const;
  /// The first number of a layer's relative position table. −1 if positions are not relative.
  std::ptrdiff_t position_biases(Stack which, int layer) const;
};

/// The memory of the tables of embeddings, also that of the layers, and of the packed (possibly tied)
/// unembedding; see model_bytes() for the other weights.
double word_table_bytes(const Architecture& architecture, int vocabulary);
double unembedding_bytes(const Architecture& architecture, int vocabulary);

/// The layout of a valid architecture with an embedding table of `vocabulary` rows.
ParameterLayout layout_of(const Architecture& architecture, int vocabulary);

/// Flattens a model, which must match the layout.
std::vector<float> parameters_of(const Model& model, const ParameterLayout& layout);

/// Builds a model from `layout.size` numbers, packed for passes and not marked as drawn.
Model model_of(const ParameterLayout& layout, std::span<const float> numbers);

/// Calls visit(slot, part) for all parameters of a model, each for all heads at once. A part is a Matrix or
/// RowVector, which has no bias; a WordTable; or a Linear with its bias. It lives as long as the model. For a
/// non-const model, makes those that it lacks.
template <class ModelType, class Visit>
void visit_parts(const ParameterLayout& layout, ModelType& model, Visit&& visit) {
  constexpr bool makes = !std::is_const_v<ModelType>;
  for (const auto& [id, slot] : layout.slots) {
    switch (info(id.kind).parameter) {
      case ParameterKind::word_table:
        visit(slot, word_table_of(model, id));
        break;
      case ParameterKind::weight:
        visit(slot, linear_of(model, id));
        break;
      case ParameterKind::word_weight:
        // Without a vocabulary, columns are drawn from the words themselves.
        if (layout.vocabulary == 0) break;
        if constexpr (makes) {
          const auto made = std::make_shared<Linear>();
          model.unembedding = made;
          visit(slot, *made);
        } else {
          visit(slot, *model.unembedding);
        }
        break;
      case ParameterKind::word_bias:
        visit(slot, model.unembedding_bias);
        break;
      case ParameterKind::table:
        visit(slot, table_of(model, id));
        break;
      default:
        visit(slot, vector_of(model, id));
        if (slot.bias >= 0)
          visit(ParameterSlot{slot.bias, -1, slot.n_in, slot.n_out}, vector_of(model, bias_behind(id)));
    }
  }
}

}  // namespace headscope
