#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace headscope {

/// A portable random stream: SplitMix64 (Steele, Lea and Flood 2014). Distributions are implemented here
/// because those of the standard library differ between vendors.
class RandomStream {
 public:
  explicit RandomStream(std::uint64_t seed) : state_(seed) {}
  /// A separate stream for every pair of seed and name.
  RandomStream(std::uint64_t seed, std::string_view name);

  std::uint64_t bits();
  /// Uniform in [0, 1), a multiple of 2⁻⁵³.
  double uniform();
  /// Uniform in [low, high).
  float uniform(float low, float high);
  /// Drawn from N(0, 1) by inverting its distribution function. Consumes one draw of bits.
  float normal();

  void fill_normal(std::span<float> out, float standard_deviation);
  void fill_uniform(std::span<float> out, float low, float high);

 private:
  std::uint64_t state_;
};

/// Uniform in [0, n), for n > 0. Consumes one draw of bits.
inline std::size_t draw_below(RandomStream& random, std::size_t n) {
  return static_cast<std::size_t>(((random.bits() >> 32U) * static_cast<std::uint64_t>(n)) >> 32U);
}

/// Returns true with the given probability.
inline bool draw_chance(RandomStream& random, double probability) {
  return random.uniform() < probability;
}

template <class T>
const T& draw_one(RandomStream& random, const std::vector<T>& from) {
  return from[draw_below(random, from.size())];
}

/// The quantile function of N(0, 1) for 0 < p < 1, with a relative error of about 1e-16. Wichura 1988,
/// algorithm AS 241 (PPND16).
double normal_quantile(double p);

}  // namespace headscope
