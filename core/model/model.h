#pragma once

#include <span>

#include "core/model/architecture.h"
#include "core/tensor/matrix.h"
#include "core/tensor/packed_product.h"
#include "core/text/tokenizer.h"

namespace headscope {

/// Weights of one multi-head attention, packed so that one product makes the queries, keys and values of all
/// heads. D d_model, H heads, K d_head, V d_value.
struct AttentionWeights {
  Matrix qkv;          ///< [D, H·K + H·K + H·V]: all heads' W_Q side by side, then W_K, then W_V
  RowVector qkv_bias;  ///< [H·K + H·K + H·V]; zeros where a projection carries no bias
  Matrix out;          ///< [H·V, D] W_O; empty without an output projection
  RowVector out_bias;  ///< [D]; zeros where it carries no bias
};

/// The same weights in the order in which a pass multiplies by them.
struct PackedAttention {
  PackedMatrix qkv;
  RowVector qkv_bias;
  PackedMatrix out;  ///< unused without an output projection
  RowVector out_bias;
};
PackedAttention pack(const AttentionWeights& weights);

/// An architecture with its weights. Immutable once made.
struct Model {
  Architecture architecture;
  AttentionWeights attention;
  PackedAttention packed;  ///< pack(attention)
  Matrix embedding_table;  ///< [vocabulary, D]; empty where each word's row is drawn from the word itself
};

/// Random weights for a valid architecture. Every matrix of every head is drawn from a stream of its own,
/// named by its path and the seed: changing the number of heads does not change head 0's weights while its
/// sizes stay. `vocabulary` > 0 also draws an embedding table of that many rows, N(0, 1).
Model random_model(const Architecture& architecture, int vocabulary = 0);

/// The row of one word, N(0, 1), drawn from the word itself and the seed: it depends on no other word.
void word_embedding(std::string_view lookup, std::uint64_t seed, std::span<float> row);

/// Sinusoidal positions, interleaved: PE(p, 2i) = sin(p / 10000^(2i/D)), PE(p, 2i+1) = cos(same).
/// Vaswani et al. 2017, section 3.5. Writes [T, D].
void sinusoidal_positions(MatrixOut out);

/// Column of head h's query, key or value in the packed product.
struct PackedColumns {
  int query, key, value;
};
PackedColumns packed_columns(const Architecture& architecture, int head);

}  // namespace headscope
