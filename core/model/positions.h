#pragma once

#include <vector>

#include "core/model/architecture.h"
#include "core/tensor/matrix.h"

namespace headscope {

/// Interleaved: PE(p, 2i) = sin(p / 10000^(2i/D)), PE(p, 2i+1) = cos(same). Vaswani et al. 2017, section 3.5.
/// Writes [T, D], the rows of the positions from `first` on.
void sinusoidal_positions(MatrixOut out, int first = 0);

/// Split halves, as in Tensor2Tensor and the pictures drawn from it: the sines of all ⌈D/2⌉ wave lengths,
/// then the cosines: PE(p, i) = sin(p / 10000^(i/(h − 1))) for i < h = ⌈D/2⌉, PE(p, h + i) = cos(same).
void split_positions(MatrixOut out, int first = 0);

/// The angle whose sine or cosine a cell of either table holds, and which of the two.
struct PositionWave {
  double divisor;  ///< angle = position / divisor
  bool is_sine;
};
PositionWave position_wave(Positions kind, int dimension, int d_model);

/// Press et al. 2022: the slopes of the heads are 2^(−8/n), 2^(−16/n), … for n heads where n is a power of
/// two; otherwise those of the power below, then every other one of the power above.
double alibi_slope(int head, int n_heads);

/// What positions multiply all scores of an attention by: YaRN's m² where keys are made from a latent,
/// else 1.
double score_amplitude(const Architecture& architecture, AttentionKind kind, int layer);

/// The column of the table of relative positions for key − query = distance. With buckets, as T5's
/// _relative_position_bucket(): in an encoder, half of them are for keys before the query, half for those
/// after it; in a decoder, all are for those before it. Of each half, the first half are distances of their
/// own, the others grow like logarithms up to max_bucket_distance.
int relative_column(const Architecture& architecture, Stack stack, int distance);

/// What a head adds to the scaled scores of a stack's self-attention, by distance: number i is for
/// key − query = i − (T − 1), so that the biases of query q start at number T − 1 − q.
/// ALiBi: −slope · |distance|. Relative: those of `table`, which is the stack's.
std::vector<float> distance_biases(const Architecture& architecture, const Matrix& table, Stack stack,
                                   int head, int n_tokens);

}  // namespace headscope
