#include "core/model/rotary.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace headscope {
namespace {

/// β and α of Peng et al. 2023: pairs that rotate at least `often` times within the original length keep
/// their frequency; those that rotate at most `seldom` times are interpolated.
constexpr double often = 32.0;
constexpr double seldom = 1.0;

/// The (fractional) pair that rotates this many times within the original length: L θ_i = 2π · times.
double pair_turning(const Rotary& rotary, int turned, double times) {
  return turned * std::log(rotary.original_length / (times * 2.0 * std::numbers::pi)) /
         (2.0 * std::log(static_cast<double>(rotary.base)));
}

/// m of YaRN and of LongRoPE; 1 without them.
double turn_amplitude(const Rotary& rotary) {
  if (!rotary.divisors.empty()) {
    const double s = std::log(static_cast<double>(rotary.factor));
    const double length = std::log(static_cast<double>(rotary.original_length));
    return s > 0.0 && length > 0.0 ? std::sqrt(1.0 + s / length) : 1.0;
  }
  if (rotary.scaling != RotaryScaling::yarn) return 1.0;
  return 0.1 * std::log(static_cast<double>(rotary.factor)) + 1.0;
}

}  // namespace

int RotaryFrequencies::pair_of(int dimension) const {
  const int turned = 2 * n_pairs();
  if (dimension >= turned) return -1;
  return pairing == RotaryPairing::halves ? dimension % n_pairs() : dimension / 2;
}

double yarn_share(const Rotary& rotary, int turned, int pair) {
  const double first = pair_turning(rotary, turned, often), last = pair_turning(rotary, turned, seldom);
  const double low = std::max(rotary.rounds ? std::floor(first) : first, 0.0);
  double high = std::min(rotary.rounds ? std::ceil(last) : last, turned - 1.0);
  if (low == high) high += 0.001;  // As in the authors' code, avoids a ramp of length 0
  return std::clamp((pair - low) / (high - low), 0.0, 1.0);
}

double llama3_share(const Rotary& rotary, int turned, int pair) {
  constexpr double low_turns = 1.0;
  constexpr double high_turns = 4.0;
  const double frequency = std::pow(static_cast<double>(rotary.base), -2.0 * pair / turned);
  const double turns = rotary.original_length * frequency / (2.0 * std::numbers::pi);
  return std::clamp((high_turns - turns) / (high_turns - low_turns), 0.0, 1.0);
}

double score_amplitude(const Rotary& rotary) {
  const double m = turn_amplitude(rotary);
  return m * m;
}

RotaryFrequencies rotary_frequencies(const Rotary& rotary, int d_head, bool has_latent) {
  const int turned = rotated_width(rotary, d_head);
  const auto factor = static_cast<double>(rotary.factor);
  auto base = static_cast<double>(rotary.base);
  if (rotary.scaling == RotaryScaling::ntk && turned > 2) base *= std::pow(factor, turned / (turned - 2.0));
  RotaryFrequencies turns;
  turns.pairing = rotary.pairing;
  turns.frequencies.reserve(static_cast<std::size_t>(turned) / 2);
  const int n_turning = static_cast<int>(static_cast<double>(rotary.fraction) * d_head / 2.0 + 1e-4);
  for (int pair = 0; 2 * pair < turned; ++pair) {
    if (rotary.is_proportional && pair >= n_turning) {
      turns.frequencies.push_back(0.0);
      continue;
    }
    const double frequency = std::pow(base, -2.0 * pair / turned);
    double scaled = frequency;
    const auto i = static_cast<std::size_t>(pair);
    if (i < rotary.divisors.size()) scaled = frequency / static_cast<double>(rotary.divisors[i]);
    if (rotary.scaling == RotaryScaling::linear) scaled = frequency / factor;
    const bool is_yarn = rotary.scaling == RotaryScaling::yarn;
    if (is_yarn || rotary.scaling == RotaryScaling::llama3) {
      const double share = is_yarn ? yarn_share(rotary, turned, pair) : llama3_share(rotary, turned, pair);
      scaled = frequency / factor * share + frequency * (1.0 - share);
    }
    turns.frequencies.push_back(scaled);
  }
  if (!has_latent) turns.amplitude = turn_amplitude(rotary);
  return turns;
}

void rotate_row(const float* in, int n_heads, int d_head, const RotaryFrequencies& turns,
                std::span<const float> cosines, std::span<const float> sines, float* out) {
  const int n_pairs = turns.n_pairs();
  const bool interleaved = turns.pairing == RotaryPairing::interleaved;
  const int step = interleaved ? 2 : 1;
  const int apart = interleaved ? 1 : n_pairs;
  for (int head = 0; head < n_heads; ++head, in += d_head, out += d_head) {
    for (int pair = 0; pair < n_pairs; ++pair) {
      const float cosine = cosines[static_cast<std::size_t>(pair)];
      const float sine = sines[static_cast<std::size_t>(pair)];
      const float first = in[pair * step];
      const float second = in[pair * step + apart];
      out[pair * step] = first * cosine - second * sine;
      out[pair * step + apart] = first * sine + second * cosine;
    }
    if (in != out) std::copy(in + 2 * n_pairs, in + d_head, out + 2 * n_pairs);
  }
}

void rotate(const MatrixView& in, int d_head, const RotaryFrequencies& turns, int first, float* out) {
  const auto n_pairs = static_cast<std::size_t>(turns.n_pairs());
  std::vector<float> cosines(n_pairs);
  std::vector<float> sines(n_pairs);
  for (int t = 0; t < in.rows; ++t) {
    for (std::size_t pair = 0; pair < n_pairs; ++pair) {
      const double angle = turns.angle(first + t, static_cast<int>(pair));
      cosines[pair] = static_cast<float>(turns.amplitude * std::cos(angle));
      sines[pair] = static_cast<float>(turns.amplitude * std::sin(angle));
    }
    rotate_row(in.data + t * in.stride, in.cols / d_head, d_head, turns, cosines, sines,
               out + static_cast<std::ptrdiff_t>(t) * in.cols);
  }
}

}  // namespace headscope
