#pragma once

#include <array>
#include <span>
#include <vector>

#include "core/tensor/view.h"

namespace headscope {

/// Which dimensions rotary positions rotate together: the neighbours 2i and 2i + 1, as in Su et al. 2021 and
/// Llama's original code, or i and i + n/2 of the n rotated dimensions, as in GPT-NeoX and Hugging Face's
/// models. The two differ only in the order of the columns of W_Q and W_K.
enum class RotaryPairing { interleaved, halves };

/// How angles are reduced for contexts longer than those that a model was trained on. The formulas are at
/// rotary_turns().
enum class RotaryScaling { none, linear, ntk, yarn, llama3 };

/// How rotary positions rotate queries and keys. A plain value.
struct Rotary {
  float base = 10000.0F;  ///< The base of the wavelengths, b in b^(2i/n).
  /// The fraction of a head's leading dimensions that is rotated; the others are left unchanged.
  float fraction = 1.0F;
  RotaryPairing pairing = RotaryPairing::interleaved;
  RotaryScaling scaling = RotaryScaling::none;
  float factor = 1.0F;  ///< s of the scaling: how many times as long the context becomes.
  /// L of YaRN and Llama 3: the number of positions that the model was trained on.
  int original_length = 4096;
  /// The base in layers with a sliding window, which then have no scaling, as in Gemma 3. 0 stands for
  /// `base`, with its scaling.
  float local_base = 0.0F;
  /// LongRoPE's divisor for the frequency of each pair, in place of a scaling. Only models from other
  /// programs have divisors. Empty if there are none.
  std::vector<float> divisors = {};
  bool rounds = true;  ///< Whether YaRN's bounds are whole pairs. Only gpt-oss does not round them.
  bool operator==(const Rotary&) const = default;
};

struct RotaryLimits {
  static constexpr float min_base = 1.5F, max_base = 1e12F;
  static constexpr float min_fraction = 0.001F, max_fraction = 1.0F;
  static constexpr float min_factor = 1.0F, max_factor = 1000.0F;
  static constexpr int min_length = 1, max_length = 10'000'000;
};

/// How many of a head's dimensions are rotated: the largest even number within the fraction. With a fraction
/// of 1 and an odd d_head, this is d_head − 1.
constexpr int turned_width(const Rotary& rotary, int d_head) {
  // The fraction may not be exact as a float; this makes 0.3 of 20 dimensions 6.
  constexpr double rounding = 1e-4;
  return 2 * static_cast<int>((static_cast<double>(rotary.fraction) * d_head + rounding) / 2.0);
}

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
