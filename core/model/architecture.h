#pragma once

#include <cstdint>
#include <optional>

#include "core/result.h"

namespace headscope {

enum class Positions { none, sinusoidal };

/// How random weights are drawn. Biases are uniform in ±1/√d_model, as in PyTorch's nn.Linear.
enum class Init {
  normal,  ///< N(0, 1)
  xavier,  ///< uniform ±√(6 / (fan_in + fan_out)), Glorot and Bengio 2010
  scaled   ///< N(0, 1/fan_in)
};

/// Which of the four projections carry a bias.
struct Biases {
  bool query = true;
  bool key = true;
  bool value = true;
  bool output = true;
  bool operator==(const Biases&) const = default;
};

/// The shape of one attention layer and how its weights are drawn. A plain value: it holds no weights.
struct Architecture {
  int d_model = 64;
  int n_heads = 4;
  std::optional<int> d_head;   ///< K; automatic is d_model / n_heads, which must then divide
  std::optional<int> d_value;  ///< V; automatic is d_head
  Biases bias;
  bool output_projection = true;
  Positions positions = Positions::sinusoidal;
  Init init = Init::xavier;
  std::uint64_t seed = 0;

  int head_width() const { return d_head ? *d_head : d_model / n_heads; }
  int value_width() const { return d_value ? *d_value : head_width(); }
  int concat_width() const { return n_heads * value_width(); }
  bool operator==(const Architecture&) const = default;
};

/// Rows of the embedding table of the seeds/1 preset.
inline constexpr int seed1_vocabulary = 100;

/// The limits of the controls and of the command line alike.
struct ArchitectureLimits {
  static constexpr int min_d_model = 8, max_d_model = 1024;
  static constexpr int min_heads = 1, max_heads = 16;
  static constexpr int min_head_width = 1, max_head_width = 1024;
};

/// Whether the sizes hold together; the message names the size, what it is and the nearest that would fit
/// ("d_model 65 is not divisible by 8 heads: 64 or 72").
Result<void> validate(const Architecture& architecture);

/// The d_model nearest to the wished one that the heads divide and the limits allow.
int nearest_d_model(int wished, int n_heads);

}  // namespace headscope
