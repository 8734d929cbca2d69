#pragma once

#include <span>
#include <vector>

#include "core/model/architecture.h"
#include "core/model/rotary.h"
#include "core/tensor/matrix.h"
#include "core/tensor/view.h"
#include "core/text/tokenizer.h"

namespace headscope {

/// Writes waves [T, D], with the position `first` in the first row. Sinusoidal ones are interleaved: PE(p,
/// 2i) = sin(p / 10000^(2i/D)), PE(p, 2i+1) = cos(same), Vaswani et al. 2017, section 3.5; with
/// ForeignParts::sines_first, the cosines follow all sines. Split halves are as in Tensor2Tensor and the
/// pictures drawn from it: PE(p, i) = sin(p / 10000^(i/(h − 1))) for i < h = ⌈D/2⌉, PE(p, h + i) = cos(same).
void wave_positions(const Architecture& architecture, MatrixOut out, int first = 0);

/// The angle whose sine or cosine a cell of such a table holds, and which of the two it is.
struct PositionWave {
  int numerator = 0, denominator = 1;
  double divisor = 1.0;  ///< 10000^(numerator / denominator)
  bool is_sine = true;
  int first = 0;  ///< ForeignParts::first_position, the p of the first token

  double angle(int position) const { return static_cast<double>(first + position) / divisor; }
};
PositionWave position_wave(const Architecture& architecture, int dimension, int width);

/// The rows of the table of learned positions that tokens have, the first of which is at position `first`.
std::vector<int> position_rows(const Architecture& architecture, std::span<const Token> tokens, int first);

/// The slope of a head of a model (Press et al. 2022), times ForeignParts::slope_factor. The slopes are
/// 2^(−8/n), 2^(−16/n), … for n heads if n is a power of two. Otherwise they are those of the next lower
/// power of two, followed by every other slope of the next higher one.
double alibi_slope(const Architecture& architecture, int head);

/// The factor that positions give to all scores of an attention: YaRN's m² if keys are made from a latent,
/// otherwise 1.
double score_amplitude(const Architecture& architecture, AttentionKind kind, int layer);

/// The column of the table of relative positions for key − query = distance. Buckets are assigned as in T5's
/// _relative_position_bucket(): in an encoder, half of them are for keys before the query and half for keys
/// after it; in a decoder, all are for keys before it. The first half of each such group has one bucket per
/// distance; the ranges of the others grow logarithmically up to max_bucket_distance.
int relative_column(const Architecture& architecture, Stack stack, int distance);

/// What a head adds to the scaled scores of a stack's self-attention, by distance. Element i is for key −
/// query = i − (T − 1), so the biases of query q start at element T − 1 − q. ALiBi adds −slope · |distance|;
/// relative positions add the biases of `table`, which is the stack's.
std::vector<float> distance_biases(const Architecture& architecture, const Matrix& table, Stack stack,
                                   int head, int n_tokens);

// Positions as tables of any size, for display; no pass needs them. The first row is position 0.

/// The rows that sinusoidal or split positions add: [n_positions, width].
OwnedMatrix wave_table(const Architecture& architecture, int n_positions, int width);

/// The angles, in radians, by which rotary positions rotate each pair of dimensions: [n_positions, pairs].
OwnedMatrix rotary_angles(int n_positions, const RotaryTurns& turns);

/// What each head adds to its scores by distance: [H, 2n − 1], for the distances −(n − 1) … n − 1. `relative`
/// is the learned table [H, 2·max + 1] of relative positions; it is not read for ALiBi.
OwnedMatrix bias_table(const Architecture& architecture, const MatrixView& relative, Stack stack,
                       int n_positions);

/// The dot products of all pairs of rows: [rows, rows].
OwnedMatrix row_products(const MatrixView& rows);

/// The counterpart for rotary positions: [n_positions, n_positions]. A cell is the product of a query at s
/// and a key at t that have length 1 and the same direction in every pair that is rotated: the sum over pairs
/// of cos(angle of s − angle of t), times YaRN's amplitude of both.
OwnedMatrix rotary_products(int n_positions, const RotaryTurns& turns);

}  // namespace headscope
