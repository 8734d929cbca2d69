#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace headscope {

/// A stream of random bits that is the same on every machine: SplitMix64 (Steele, Lea and Flood 2014). The
/// distributions are implemented here because those of the standard library differ between vendors.
class RandomStream {
 public:
  explicit RandomStream(std::uint64_t seed) : state_(seed) {}
  /// Starts a separate stream for every pair of seed and name.
  RandomStream(std::uint64_t seed, std::string_view name);

  std::uint64_t bits();
  /// Uniform in [0, 1), a multiple of 2⁻⁵³.
  double uniform();
  /// Uniform in [low, high).
  float uniform(float low, float high);
  /// Drawn from N(0, 1) by the inverse of its distribution function. Each number takes one draw of bits.
  float normal();

  void fill_normal(std::span<float> out, float standard_deviation);
  void fill_uniform(std::span<float> out, float low, float high);

 private:
  std::uint64_t state_;
};

/// The inverse of the standard normal distribution function for 0 < p < 1, with a relative error of about
/// 1e-16. Wichura 1988, algorithm AS 241 (PPND16).
double normal_quantile(double p);

}  // namespace headscope
