#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace headscope {

/// A stream of random bits that is the same on every machine: SplitMix64 (Steele, Lea and Flood 2014). The
/// distributions below are our own because the standard library's differ between vendors.
class RandomStream {
 public:
  explicit RandomStream(std::uint64_t seed) : state_(seed) {}
  /// A stream of its own for every (seed, name).
  RandomStream(std::uint64_t seed, std::string_view name);

  std::uint64_t bits();
  /// In [0, 1), a multiple of 2⁻⁵³.
  double uniform();
  /// Uniform in [low, high).
  float uniform(float low, float high);
  /// N(0, 1), by the inverse of its distribution function: one draw of bits per number.
  float normal();

  void fill_normal(std::span<float> out, float standard_deviation);
  void fill_uniform(std::span<float> out, float low, float high);

 private:
  std::uint64_t state_;
};

/// The inverse of the standard normal distribution function for 0 < p < 1: Wichura 1988, algorithm AS 241
/// (PPND16), relative error about 1e-16.
double normal_quantile(double p);

}  // namespace headscope
