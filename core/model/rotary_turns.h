#pragma once

#include <array>
#include <span>
#include <vector>

#include "core/model/rotary.h"
#include "core/tensor/view.h"

namespace headscope {

/// How the pairs of a head's dimensions rotate from one position to the next.
struct RotaryTurns {
  RotaryPairing pairing = RotaryPairing::interleaved;
  std::vector<double> frequencies;  ///< For each pair, in radians per position.
  double amplitude = 1.0;           ///< m, by which YaRN and LongRoPE multiply cosines and sines.

  int n_pairs() const { return static_cast<int>(frequencies.size()); }
  double angle(int position, int pair) const {
    return position * frequencies[static_cast<std::size_t>(pair)];
  }
  /// The two dimensions of a pair.
  std::array<int, 2> dimensions(int pair) const {
    if (pairing == RotaryPairing::halves) return {pair, pair + n_pairs()};
    return {2 * pair, 2 * pair + 1};
  }
  /// The pair of a dimension. −1 if the dimension is not rotated.
  int pair_of(int dimension) const;
};

/// The rotation of each pair. Of the n rotated dimensions, pair i has the frequency θ_i = b^(−2i/n) (Su et
/// al. 2021, equation 15). A scaling by s changes it:
/// - linear: θ_i / s (Chen et al. 2023, position interpolation).
/// - ntk: (b · s^(n/(n − 2)))^(−2i/n), which slows the last pair by s and leaves the first unchanged
///   (NTK-aware, as in Peng et al. 2023, section 3.2). A single pair is left unchanged.
/// - yarn: θ_i / s for pairs that turn less than once in the original length L, θ_i for those that turn more
///   than 32 times, and a mix of both in between (Peng et al. 2023, section 3.2). In the paper, the mix is
///   linear in the number of turns. Here it is linear in i, between bounds that are rounded to whole pairs,
///   as in the authors' code and in Hugging Face's models (of these only gpt-oss does not round: its
///   `truncate` is false). Cosines and sines are multiplied by m = 0.1 ln s + 1 (section 3.4), so the part of
///   a score that comes from rotated dimensions is multiplied by m².
/// - llama3: θ_i / s for pairs that turn less than once in the original length, θ_i for those that turn more
///   than four times, and in between a mix of both that is linear in the number of turns (Llama 3.1's
///   rotary_embedding; low_freq_factor 1 and high_freq_factor 4, as in all of its models).
/// - LongRoPE: θ_i / λ_i with a divisor λ_i of each pair that comes with the model, and cosines and sines
///   times m = √(1 + ln s / ln L) (Ding et al. 2024, section 3, and Phi-3's code).
/// With a latent of keys and values, cosines and sines are not multiplied by m; score_amplitude() is used
/// instead.
RotaryTurns rotary_turns(const Rotary& rotary, int d_head, bool has_latent = false);

/// YaRN's factor for all scores if keys and values are made from a latent, where most dimensions are not
/// rotated. It is m², as in the code of DeepSeek-V2 and V3 and in Hugging Face's code for both
/// (mscale_all_dim), with m = 0.1 ln s + 1 as in V3; V2 has 0.0707 in place of 0.1. Without YaRN, the factor
/// is 1.
double score_amplitude(const Rotary& rotary);

/// The share of YaRN's interpolated frequency θ_i / s in the frequency of pair i: 0 for fast pairs, 1 for
/// slow ones.
double yarn_share(const Rotary& rotary, int turned, int pair);

/// The same for Llama 3's scaling.
double llama3_share(const Rotary& rotary, int turned, int pair);

/// Rotates one row of several heads side by side, each d_head wide, by the cosines and sines of its pairs:
/// out (a, b) = (a cos − b sin, a sin + b cos). Dimensions that belong to no pair are copied. `out` may be
/// `in`.
void turn_row(const float* in, int n_heads, int d_head, const RotaryTurns& turns,
              std::span<const float> cosines, std::span<const float> sines, float* out);

/// Rotates row t of `in` [T, H·K] by the angles of position first + t. `out` [T, H·K] is contiguous.
void rotate(const MatrixView& in, int d_head, const RotaryTurns& turns, int first, float* out);

}  // namespace headscope
