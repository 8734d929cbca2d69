#pragma once

#include <span>
#include <vector>

#include "core/model/architecture.h"
#include "core/model/rotary.h"
#include "core/tensor/matrix.h"
#include "core/tensor/view.h"
#include "core/text/tokenizer.h"

namespace headscope {

/// Writes position encodings [T, D] from position `first` on. Sinusoidal: PE(p, 2i) = sin(p / 10000^(2i/D)),
/// PE(p, 2i+1) = cos(same), Vaswani et al. 2017, section 3.5; with ForeignParts::sines_first, all sines
/// precede the cosines. Split halves, as in Tensor2Tensor: PE(p, i) = sin(p / 10000^(i/(h − 1))) for i < h =
/// ⌈D/2⌉, PE(p, h + i) = cos(same).
void wave_positions(const Architecture& architecture, MatrixOut out, int first = 0);

/// The sine or cosine in one column of such a table.
struct PositionWave {
  int numerator = 0, denominator = 1;
  double divisor = 1.0;  ///< 10000^(numerator / denominator)
  bool is_sine = true;
  int first = 0;  ///< ForeignParts::first_position, the position of the first token

  double angle(int position) const { return static_cast<double>(first + position) / divisor; }
};
PositionWave position_wave(const Architecture& architecture, int dimension, int width);

/// The rows of the learned position table for tokens that begin at position `first`.
std::vector<int> position_rows(const Architecture& architecture, std::span<const Token> tokens, int first);

/// The ALiBi slope of a head (Press et al. 2022), times ForeignParts::slope_factor: 2^(−8/n), 2^(−16/n), …
/// for n heads if n is a power of two; otherwise those of the next lower power of two, followed by every
/// other slope of the next higher one.
double alibi_slope(const Architecture& architecture, int head);

/// The factor of all scores of an attention: YaRN's m² with a key-value latent, otherwise 1.
double score_amplitude(const Architecture& architecture, AttentionKind kind, int layer);

/// The column of the relative position table for key − query = distance. Buckets are those of T5's
/// _relative_position_bucket(): in an encoder, half for keys before the query and half for keys after it; in
/// a decoder, all for keys before it. The first half of each group has one bucket per distance; the others
/// widen logarithmically up to max_bucket_distance.
int relative_column(const Architecture& architecture, Stack stack, int distance);

/// The row of the table of disentangled attention for key − query = distance: that of DeBERTa-v2's
/// make_log_bucket_position(query − key), counted from the first.
int disentangled_row(const Disentangled& positions, int distance);

/// The position biases of a head in a stack's self-attention, added to scaled scores. Element i is for key −
/// query = i − (T − 1), so the biases of query q start at element T − 1 − q. ALiBi gives −slope · |distance|;
/// relative positions use `table`.
std::vector<float> distance_biases(const Architecture& architecture, const Matrix& table, Stack stack,
                                   int head, int n_tokens);

// Position tables of any size, for display. Row 0 is position 0.

/// Sinusoidal or split positions: [n_positions, width].
OwnedMatrix wave_table(const Architecture& architecture, int n_positions, int width);

/// The rotary angles of each pair of dimensions in radians: [n_positions, pairs].
OwnedMatrix rotary_angles(int n_positions, const RotaryFrequencies& turns);

/// The position biases of each head: [H, 2n − 1], for distances −(n − 1) … n − 1. `relative` is the learned
/// table [H, 2·max + 1]; unused for ALiBi.
OwnedMatrix bias_table(const Architecture& architecture, const MatrixView& relative, Stack stack,
                       int n_positions);

/// The dot products of all pairs of rows: [rows, rows].
OwnedMatrix row_products(const MatrixView& rows);

/// The analogue for rotary positions: [n_positions, n_positions]. A cell is the product of a query at s and a
/// key at t with the same unit vector in every rotated pair: Σ over pairs of cos(angle of s − angle of t),
/// times YaRN's squared amplitude.
OwnedMatrix rotary_products(int n_positions, const RotaryFrequencies& turns);

}  // namespace headscope
