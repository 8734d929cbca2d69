#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/model/linear.h"
#include "core/model/stage.h"

namespace headscope {

/// Reads rows [first, first + n) that another program computed, from a file into contiguous `out`.
/// Thread-safe. Null if the file has no such rows.
using CapturedRows = std::function<void(std::size_t first, int n, float* out)>;

/// A capture: the attention of a model, computed by another program. L layers, H heads, Hₖ key-value heads, T
/// queries, S keys.
struct CapturedAttention {
  CapturedRows weights;  ///< [L·H·T, S]
  CapturedRows query;    ///< [L·H·T, K]
  CapturedRows key;      ///< [L·Hₖ·S, K]
  CapturedRows value;    ///< [L·Hₖ·S, V]
  CapturedRows hidden;   ///< [(L + 1)·T, D] The input of each layer, and the output of the last
  int n_queries = 0;     ///< T
  int n_keys = 0;        ///< S

  /// Reads the input [n, width] of a layer or, for `layer` = L, the output of the last one. Zeros if absent.
  void read_hidden(int layer, int n, int width, float* out) const {
    const std::size_t first = static_cast<std::size_t>(layer) * static_cast<std::size_t>(n);
    if (hidden) return hidden(first, n, out);
    std::fill_n(out, static_cast<std::size_t>(n) * static_cast<std::size_t>(width), 0.0F);
  }
};

/// The projections of one multi-head attention. An empty output projection stands for none.
struct AttentionWeights {
  Linear query, key, value, out;
};

/// An architecture with its weights. Immutable once constructed.
struct Model {
  Architecture architecture;
  // The parameters by stage (of head 0), each for all heads at once. Those of the vocabulary follow.
  /// Linear layers, [in, out], with their biases, by their weights. Matrices of all heads are concatenated by
  /// columns: W_Q of head h is in columns [h·K, (h + 1)·K). Matrices shared by a group are stored once. With
  /// experts, Linear::parts holds the columns of W_1 and W_up and the rows of W_2 of each expert.
  std::map<StageId, Linear> linears;
  std::map<StageId, RowVector> vectors;  ///< Gains and biases of norms, sinks, corrections of routers
  std::map<StageId, Matrix> tables;      ///< Of positions, segments and the biases of experts
  WordTable embedding_table;  ///< [vocabulary, E] Empty if rows are drawn from the words themselves.
  WordTable layer_table;      ///< [LayerInputs::rows, L · P] The embeddings that enter the layers.
  /// [D or E, vocabulary] The unembedding, if it has its own weights or is tied to a table in a file. Null if
  /// it is absent, tied to a table in memory, or drawn word by word.
  std::shared_ptr<const Linear> unembedding;
  RowVector unembedding_bias;  ///< [vocabulary] The bias of a tied unembedding. Empty if absent or drawn.
  /// The capture that replaces all weights. Null unless ForeignParts::captured is set.
  std::shared_ptr<const CapturedAttention> captured = {};
  bool drawn = true;  ///< Whether the weights come from random_model()

  /// The learned position table of a stack: [ForeignParts::position_rows, E].
  const Matrix& position_rows(Stack which) const;
  /// The relative position table of a layer's self-attention: [H, Architecture::relative_width()], indexed by
  /// relative_column().
  const Matrix& position_biases(Stack which, int layer) const;
};

/// The id under which the parameters of a stage are stored: those of its first head, which hold all heads.
inline StageId part_key(StageId id) {
  id.head = 0;
  return normalized(id);
}

// The parameters of a stage. A model that is not const gets those that it lacks; those of a const model are
// then empty.

template <class Part>
Part& part_of(std::map<StageId, Part>& parts, const StageId& id) {
  return parts[part_key(id)];
}
template <class Part>
const Part& part_of(const std::map<StageId, Part>& parts, const StageId& id) {
  static const Part none;
  const auto found = parts.find(part_key(id));
  return found == parts.end() ? none : found->second;
}

/// The bias of a linear layer or norm, which is the kind behind its weight or gain.
inline StageId bias_behind(StageId id) {
  id.kind = static_cast<StageKind>(static_cast<int>(id.kind) + 1);
  return id;
}

/// The linear layer of a weight or bias. Not for the unembedding, which may be tied.
template <class ModelType>
auto& linear_of(ModelType& model, StageId id) {
  if (info(id.kind).parameter == ParameterKind::bias)
    id.kind = static_cast<StageKind>(static_cast<int>(id.kind) - 1);
  return part_of(model.linears, id);
}
/// A gain or bias of a norm, the sinks of an attention, or a router correction.
template <class ModelType>
auto& vector_of(ModelType& model, const StageId& id) {
  return part_of(model.vectors, id);
}
/// A table of positions, segments or expert biases.
template <class ModelType>
auto& table_of(ModelType& model, const StageId& id) {
  return part_of(model.tables, id);
}

inline const Matrix& Model::position_rows(Stack which) const {
  return table_of(*this, row_table_of(architecture, which));
}
inline const Matrix& Model::position_biases(Stack which, int layer) const {
  return table_of(*this, bias_table_of(architecture, which, layer));
}

/// The embedding table, or that of the layers.
template <class ModelType>
auto& word_table_of(ModelType& model, const StageId& id) {
  return id.kind == StageKind::layer_table ? model.layer_table : model.embedding_table;
}

/// The numbers of a bias, gain or table: [1, width] for all heads, or the entire table. Not for weights of
/// linear layers or vocabulary parameters. The model must have it.
MatrixView numbers_of(const Model& model, const StageId& parameter);

/// A model with random weights, for a valid architecture. Each matrix of each head has its own random stream,
/// named by its path and the seed, so changing the number of heads or layers leaves the others unchanged.
/// Gains are 1 and their biases 0. If `vocabulary` > 0, also draws an embedding table with that many rows,
/// N(0, 1), or N(0, 1/D) if embeddings are scaled by √D, and an untied unembedding, N(0, 1/D), with its bias
/// uniform in ±1/√D. Draws matrices in parallel; if `stop` becomes true, some are left undrawn.
Model random_model(const Architecture& architecture, int vocabulary, ThreadPool& pool,
                   const std::atomic<bool>* stop = nullptr);

/// Draws the embedding of a word, N(0, 1), from the word and the seed alone.
void draw_word_embedding(std::string_view lookup, std::uint64_t seed, std::span<float> row);
/// Draws its column of an untied unembedding, N(0, 1/D).
void draw_word_unembedding(std::string_view lookup, std::uint64_t seed, std::span<float> column);
/// Draws its bias in the unembedding, uniform in ±1/√d_model.
float draw_word_unembedding_bias(std::string_view lookup, std::uint64_t seed, int d_model);

}  // namespace headscope
