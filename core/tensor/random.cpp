#include "core/tensor/random.h"

#include <array>
#include <bit>
#include <cmath>

#include "core/tensor/hash.h"

// CMakeLists.txt compiles this file without fused multiply-add, which would make the last bits depend on the
// processor.

namespace headscope {
namespace {

std::uint64_t mix(std::uint64_t z) {
  z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
  return z ^ (z >> 31U);
}

/// The logarithm of a positive normal number, using only +, −, × and ÷, because std::log differs in the last
/// bit between C libraries: x = m · 2^e, ln m = 2 artanh((m − 1) / (m + 1)).
double portable_log(double x) {
  constexpr double ln2 = 0.693147180559945309417;
  const auto bits = std::bit_cast<std::uint64_t>(x);
  int exponent = static_cast<int>(bits >> 52U) - 1023;
  double m = std::bit_cast<double>((bits & 0x000fffffffffffffU) | 0x3ff0000000000000U);
  if (m > 1.41421356237309504880) {
    m *= 0.5;
    ++exponent;
  }
  const double s = (m - 1.0) / (m + 1.0);
  const double s2 = s * s;
  double sum = 0.0;
  for (int k = 23; k >= 1; k -= 2) sum = sum * s2 + 1.0 / k;
  return 2.0 * s * sum + exponent * ln2;
}

template <std::size_t N>
double polynomial(const std::array<double, N>& coefficients, double x) {
  double sum = 0.0;
  for (std::size_t i = N; i-- > 0;) sum = sum * x + coefficients[i];
  return sum;
}

}  // namespace

RandomStream::RandomStream(std::uint64_t seed, std::string_view name)
    : state_(mix(seed + 0x9e3779b97f4a7c15U) ^ mix(fnv1a_hash(name))) {}

std::uint64_t RandomStream::bits() {
  state_ += 0x9e3779b97f4a7c15U;
  return mix(state_);
}

double RandomStream::uniform() {
  return static_cast<double>(bits() >> 11U) * 0x1p-53;
}

float RandomStream::uniform(float low, float high) {
  const double share = uniform();
  const auto value = static_cast<float>(low + (static_cast<double>(high) - low) * share);
  return value < high ? value : low;
}

float RandomStream::normal() {
  // The centre of one of 2⁵² equal cells, which is never 0 or 1, where the quantile is infinite.
  const double p = (static_cast<double>(bits() >> 12U) + 0.5) * 0x1p-52;
  return static_cast<float>(normal_quantile(p));
}

void RandomStream::fill_normal(std::span<float> out, float standard_deviation) {
  for (float& value : out) value = normal() * standard_deviation;
}

void RandomStream::fill_uniform(std::span<float> out, float low, float high) {
  for (float& value : out) value = uniform(low, high);
}

double normal_quantile(double p) {
  constexpr std::array a{3.3871328727963666080e0, 1.3314166789178437745e2, 1.9715909503065514427e3,
                         1.3731693765509461125e4, 4.5921953931549871457e4, 6.7265770927008700853e4,
                         3.3430575583588128105e4, 2.5090809287301226727e3};
  constexpr std::array b{1.0,
                         4.2313330701600911252e1,
                         6.8718700749205790830e2,
                         5.3941960214247511077e3,
                         2.1213794301586595867e4,
                         3.9307895800092710610e4,
                         2.8729085735721942674e4,
                         5.2264952788528545610e3};
  constexpr std::array c{1.42343711074968357734e0,  4.63033784615654529590e0, 5.76949722146069140550e0,
                         3.64784832476320460504e0,  1.27045825245236838258e0, 2.41780725177450611770e-1,
                         2.27238449892691845833e-2, 7.74545014278341407640e-4};
  constexpr std::array d{1.0,
                         2.05319162663775882187e0,
                         1.67638483018380384940e0,
                         6.89767334985100004550e-1,
                         1.48103976427480074590e-1,
                         1.51986665636164571966e-2,
                         5.47593808499534494600e-4,
                         1.05075007164441684324e-9};
  constexpr std::array e{6.65790464350110377720e0,  5.46378491116411436990e0,  1.78482653991729133580e0,
                         2.96560571828504891230e-1, 2.65321895265761230930e-2, 1.24266094738807843860e-3,
                         2.71155556874348757815e-5, 2.01033439929228813265e-7};
  constexpr std::array f{1.0,
                         5.99832206555887937690e-1,
                         1.36929880922735805310e-1,
                         1.48753612908506148525e-2,
                         7.86869131145613259100e-4,
                         1.84631831751005468180e-5,
                         1.42151175831644588870e-7,
                         2.04426310338993978564e-15};
  const double q = p - 0.5;
  if (std::abs(q) <= 0.425) {
    const double r = 0.180625 - q * q;
    return q * polynomial(a, r) / polynomial(b, r);
  }
  double r = std::sqrt(-portable_log(q < 0.0 ? p : 1.0 - p));
  double value = 0.0;
  if (r <= 5.0) {
    r -= 1.6;
    value = polynomial(c, r) / polynomial(d, r);
  } else {
    r -= 5.0;
    value = polynomial(e, r) / polynomial(f, r);
  }
  return q < 0.0 ? -value : value;
}

}  // namespace headscope
