#pragma once

#include <array>
#include <span>
#include <vector>

#include "core/tensor/view.h"

namespace headscope {

/// Which dimensions form a pair: 2i and 2i + 1 (Su et al. 2021, Llama's original code), or i and i + n/2 of
/// the n rotated dimensions (GPT-NeoX, Hugging Face). The two differ only by a permutation of the columns of
/// W_Q and W_K.
enum class RotaryPairing { interleaved, halves };

/// Context extension: how angles are reduced beyond the training length; see rotary_frequencies().
enum class RotaryScaling { none, linear, ntk, yarn, llama3 };

/// Parameters of rotary positions (RoPE). A plain value.
struct Rotary {
  float base = 10000.0F;  ///< b in the wavelengths b^(2i/n)
  /// The fraction of a head's dimensions that is rotated, from the first on.
  float fraction = 1.0F;
  RotaryPairing pairing = RotaryPairing::interleaved;
  RotaryScaling scaling = RotaryScaling::none;
  float factor = 1.0F;  ///< s, by which the context is extended
  /// L of YaRN and Llama 3: the training length in positions.
  int original_length = 4096;
  /// The base in layers with a sliding window, which then have no scaling, as in Gemma 3. 0 means `base` with
  /// its scaling.
  float local_base = 0.0F;
  /// LongRoPE's divisor of each pair's frequency, which replaces the scaling. Set only for models from other
  /// programs.
  std::vector<float> divisors = {};
  bool rounds = true;  ///< Whether YaRN's bounds are rounded to whole pairs (all models but gpt-oss)
  /// Whether all dimensions form pairs whose wavelengths are those of the whole head, and those beyond
  /// `fraction` have an angle of 0, as in Gemma 4.
  bool is_proportional = false;
  bool operator==(const Rotary&) const = default;
};

namespace rotary_limits {
inline constexpr float min_base = 1.5F, max_base = 1e12F;
inline constexpr float min_fraction = 0.001F, max_fraction = 1.0F;
inline constexpr float min_factor = 1.0F, max_factor = 1000.0F;
inline constexpr int min_length = 1, max_length = 1 << 26;
}  // namespace rotary_limits

/// The number of rotated dimensions of a head: the largest even number within the fraction.
constexpr int rotated_width(const Rotary& rotary, int d_head) {
  // Tolerates inexact fractions: 0.3 of 20 dimensions is 6.
  constexpr double rounding = 1e-4;
  if (rotary.is_proportional) return d_head / 2 * 2;
  return 2 * static_cast<int>((static_cast<double>(rotary.fraction) * d_head + rounding) / 2.0);
}

/// The rotation of each pair of a head's dimensions.
struct RotaryFrequencies {
  RotaryPairing pairing = RotaryPairing::interleaved;
  std::vector<double> frequencies;  ///< Radians per position, for each pair
  double amplitude = 1.0;           ///< m, the factor of cosines and sines in YaRN and LongRoPE

  int n_pairs() const { return static_cast<int>(frequencies.size()); }
  double angle(int position, int pair) const {
    return position * frequencies[static_cast<std::size_t>(pair)];
  }
  /// The two dimensions of a pair.
  std::array<int, 2> dimensions(int pair) const {
    if (pairing == RotaryPairing::halves) return {pair, pair + n_pairs()};
    return {2 * pair, 2 * pair + 1};
  }
  /// The pair of a dimension, or −1 if it is not rotated.
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
/// - proportional: θ_i with n = d_head, and 0 for the pairs beyond the fraction.
/// - LongRoPE: θ_i / λ_i with a divisor λ_i of each pair that comes with the model, and cosines and sines
///   times m = √(1 + ln s / ln L) (Ding et al. 2024, section 3, and Phi-3's code).
/// With a latent of keys and values, cosines and sines are not multiplied by m; score_amplitude() is used
/// instead.
RotaryFrequencies rotary_frequencies(const Rotary& rotary, int d_head, bool has_latent = false);

/// YaRN's factor of all scores with a key-value latent, where most dimensions are not rotated: m², as in the
/// code of DeepSeek-V2 and V3 and of Hugging Face (mscale_all_dim), with m = 0.1 ln s + 1 as in V3; V2 has
/// 0.0707 instead of 0.1. Without YaRN, 1.
double score_amplitude(const Rotary& rotary);

/// The fraction of YaRN's interpolated frequency θ_i / s in that of pair i: 0 for fast pairs, 1 for slow
/// ones.
double yarn_share(const Rotary& rotary, int turned, int pair);

/// The fraction of the interpolated frequency in that of pair i with Llama 3's scaling.
double llama3_share(const Rotary& rotary, int turned, int pair);

/// Rotates one row of concatenated heads: out (a, b) = (a cos − b sin, a sin + b cos) for each pair. Copies
/// dimensions outside of pairs. `out` may alias `in`.
void rotate_row(const float* in, int n_heads, int d_head, const RotaryFrequencies& turns,
                std::span<const float> cosines, std::span<const float> sines, float* out);

/// Rotates row t of `in` [T, H·K] by the angles of position first + t. `out` [T, H·K] is contiguous.
void rotate(const MatrixView& in, int d_head, const RotaryFrequencies& turns, int first, float* out);

}  // namespace headscope
