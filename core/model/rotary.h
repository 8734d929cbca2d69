#pragma once

#include <vector>

namespace headscope {

/// Which dimensions rotary positions rotate together: the neighbours 2i and 2i + 1, as in Su et al. 2021 and
/// Llama's original code, or i and i + n/2 of the n rotated dimensions, as in GPT-NeoX and Hugging Face's
/// models. The two differ only in the order of the columns of W_Q and W_K.
enum class RotaryPairing { interleaved, halves };

/// How angles are reduced for contexts longer than those that a model was trained on. The formulas are in
/// core/model/rotary_turns.h.
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

}  // namespace headscope
