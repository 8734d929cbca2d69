#pragma once

#include <algorithm>
#include <cmath>
#include <random>
#include <span>

namespace headscope::monkey {

/// Random choices from one seed.
class Dice {
 public:
  explicit Dice(unsigned seed) : generator_(seed) {}

  int whole(int low, int high) { return std::uniform_int_distribution<int>(low, high)(generator_); }
  float real(float low, float high) { return std::uniform_real_distribution<float>(low, high)(generator_); }
  bool one_in(int n) { return whole(1, n) == 1; }
  bool coin() { return one_in(2); }
  /// A log-uniform number: as likely between 1 and 10 as between 1,000 and 10,000.
  int log_uniform(int low, int high) {
    const float log_low = std::log(static_cast<float>(low));
    const float log_high = std::log(static_cast<float>(high) + 1.0F);
    return std::min(high, static_cast<int>(std::exp(real(log_low, log_high))));
  }
  template <class Items>
  const auto& of(const Items& items) {
    return items[static_cast<std::size_t>(whole(0, static_cast<int>(std::size(items)) - 1))];
  }

 private:
  std::mt19937 generator_;
};

}  // namespace headscope::monkey
