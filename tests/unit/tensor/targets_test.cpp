// Tests every kernel with every instruction set that it is compiled for and this processor has. The results
// must be close to double precision, and identical on all instruction sets with fused multiply-add.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <span>
#include <vector>

#include "core/tensor/elementwise.h"
#include "core/tensor/norm.h"
#include "core/tensor/packed_product.h"
#include "core/tensor/random.h"
#include "core/tensor/softmax.h"
#include "core/trace/summary.h"
#include "tests/unit/each_target.h"
#include "tests/unit/tensor/key_masks.h"

namespace headscope {
namespace {

using Floats = std::vector<float>;
using Doubles = std::vector<double>;

/// The result of a kernel, and the result in double precision.
struct Outcome {
  Floats quick;
  Doubles exact;
};

std::size_t size(int rows, int cols) {
  return static_cast<std::size_t>(rows) * static_cast<std::size_t>(cols);
}

Floats normal_numbers(std::size_t n, RandomStream& random) {
  Floats numbers(n);
  random.fill_normal(numbers, 1.0F);
  return numbers;
}

Doubles exactly(const Floats& numbers) {
  return {numbers.begin(), numbers.end()};
}

int between(RandomStream& random, int low, int high) {
  return low + static_cast<int>(random.bits() % static_cast<std::uint64_t>(high - low + 1));
}

/// Checks that the results agree on every instruction set. `make` draws its shape and its numbers from the
/// given stream.
void expect_agreement(const std::function<Outcome(RandomStream&)>& make, double tolerance) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE(seed);
    Floats fused;
    for_each_target([&](std::int64_t target) {
      RandomStream random(seed, "targets");
      const Outcome outcome = make(random);
      ASSERT_EQ(outcome.quick.size(), outcome.exact.size());
      for (std::size_t i = 0; i < outcome.quick.size(); ++i) {
        ASSERT_NEAR(outcome.quick[i], outcome.exact[i], tolerance * (1.0 + std::abs(outcome.exact[i]))) << i;
      }
      if (!is_fused(target)) return;
      if (fused.empty()) fused = outcome.quick;
      ASSERT_EQ(fused, outcome.quick);
    });
  }
}

/// Adds a [rows, depth] · b [depth, cols] to `out`.
void add_product(const Floats& a, const Floats& b, int rows, int depth, int cols, Doubles& out) {
  for (int r = 0; r < rows; ++r) {
    for (int c = 0; c < cols; ++c) {
      for (int k = 0; k < depth; ++k) {
        out[size(r, cols) + static_cast<std::size_t>(c)] +=
            static_cast<double>(a[size(r, depth) + static_cast<std::size_t>(k)]) *
            static_cast<double>(b[size(k, cols) + static_cast<std::size_t>(c)]);
      }
    }
  }
}

Floats transposed(const Floats& numbers, int rows, int cols) {
  Floats turned;
  for (int c = 0; c < cols; ++c) {
    for (int r = 0; r < rows; ++r) turned.push_back(numbers[size(r, cols) + static_cast<std::size_t>(c)]);
  }
  return turned;
}

TEST(Targets, MultiplyAlike) {
  expect_agreement(
      [](RandomStream& random) {
        const int rows = between(random, 1, 30);
        const int depth = between(random, 1, 900);
        const int cols = between(random, 1, 70);
        const Floats a = normal_numbers(size(rows, depth), random);
        const Floats b = normal_numbers(size(depth, cols), random);
        const Floats bias = normal_numbers(static_cast<std::size_t>(cols), random);
        Outcome outcome;
        outcome.exact.resize(size(rows, cols));
        for (std::size_t i = 0; i < outcome.exact.size(); ++i) {
          outcome.exact[i] = static_cast<double>(bias[i % bias.size()]);
        }
        add_product(a, b, rows, depth, cols, outcome.exact);
        outcome.quick.resize(outcome.exact.size());
        PackedMatrix packed;
        if (random.bits() % 2 == 0) {
          packed.borrow({b.data(), depth, cols, cols});
        } else {
          packed.pack({b.data(), depth, cols, cols});
        }
        packed.multiply({a.data(), rows, depth, depth}, bias.data(), outcome.quick.data(), cols);
        return outcome;
      },
      1e-4);
}

TEST(Targets, AddTransposedProductsAlike) {
  expect_agreement(
      [](RandomStream& random) {
        const int rows = between(random, 1, 40);
        const int depth = between(random, 1, 60);
        const int cols = between(random, 1, 70);
        const Floats a = normal_numbers(size(rows, depth), random);
        const Floats b = normal_numbers(size(depth, cols), random);
        Outcome outcome;
        outcome.quick = normal_numbers(size(rows, cols), random);
        outcome.exact = exactly(outcome.quick);
        add_product(a, b, rows, depth, cols, outcome.exact);
        PackedMatrix packed;
        const Floats turned = transposed(b, depth, cols);
        packed.pack_transposed({turned.data(), cols, depth, depth});
        const Floats left = transposed(a, rows, depth);
        packed.multiply_add_transposed({left.data(), depth, rows, rows}, outcome.quick.data(), cols);
        return outcome;
      },
      1e-4);
}

/// The softmax of `n` numbers that lie `step` apart, and of a sink, or zeros if no number is visible.
void exact_softmax(const Floats& scores, std::size_t first, std::size_t n, std::size_t step, Doubles& out,
                   float sink = no_sink) {
  auto maximum = static_cast<double>(sink);
  double sum = 0.0;
  for (std::size_t i = 0; i < n; ++i) maximum = std::max<double>(maximum, scores[first + i * step]);
  for (std::size_t i = 0; i < n; ++i) sum += std::exp(scores[first + i * step] - maximum);
  if (sink != no_sink) sum += std::exp(static_cast<double>(sink) - maximum);
  for (std::size_t i = 0; i < n; ++i) {
    out[first + i * step] = std::isinf(maximum) ? 0.0 : std::exp(scores[first + i * step] - maximum) / sum;
  }
}

Outcome softmax_of_random_scores(RandomStream& random, bool over_keys, bool has_sink = false) {
  const int rows = between(random, 1, 30);
  const int cols = between(random, 1, 90);
  Floats scores = normal_numbers(size(rows, cols), random);
  for (float& score : scores) {
    score = random.bits() % 4 == 0 ? -std::numeric_limits<float>::infinity() : 6.0F * score;
  }
  Outcome outcome{Floats(scores.size()), Doubles(scores.size())};
  ScoreBlock block;
  block.rows = rows;
  block.cols = cols;
  block.masked = scores.data();
  block.weights = outcome.quick.data();
  if (has_sink) block.sink = 8.0F * random.normal();
  const auto n_rows = static_cast<std::size_t>(rows);
  const auto n_cols = static_cast<std::size_t>(cols);
  if (over_keys) {
    softmax_over_keys(block);
    for (std::size_t r = 0; r < n_rows; ++r)
      exact_softmax(scores, r * n_cols, n_cols, 1, outcome.exact, block.sink);
  } else {
    softmax_over_queries(block);
    for (std::size_t c = 0; c < n_cols; ++c) exact_softmax(scores, c, n_rows, n_cols, outcome.exact);
  }
  return outcome;
}

TEST(Targets, TakeTheSoftmaxAlike) {
  expect_agreement([](RandomStream& random) { return softmax_of_random_scores(random, true); }, 1e-6);
  expect_agreement([](RandomStream& random) { return softmax_of_random_scores(random, false); }, 1e-6);
}

TEST(Targets, TakeTheSoftmaxWithASinkAlike) {
  expect_agreement([](RandomStream& random) { return softmax_of_random_scores(random, true, true); }, 1e-6);
}

TEST(Targets, CapAlike) {
  expect_agreement(
      [](RandomStream& random) {
        const float cap = random.uniform(0.5F, 60.0F);
        Floats scores = normal_numbers(static_cast<std::size_t>(between(random, 1, 300)), random);
        for (float& score : scores) score *= random.bits() % 2 == 0 ? 0.01F : 2.0F * cap;
        Outcome outcome{Floats(scores.size()), Doubles(scores.size())};
        softcap(scores.data(), scores.size(), cap, outcome.quick.data());
        softcap(exactly(scores).data(), scores.size(), static_cast<double>(cap), outcome.exact.data());
        for (std::size_t i = 0; i < scores.size(); ++i) {
          EXPECT_LE(std::abs(outcome.quick[i]), cap);
          EXPECT_NEAR(outcome.quick[i], outcome.exact[i], 1e-6 * std::abs(outcome.exact[i])) << scores[i];
        }
        return outcome;
      },
      1e-4);
}

TEST(Softcap, EndsAreTheCap) {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  Floats scores{0.0F, infinity, -infinity, 1e30F, std::numeric_limits<float>::quiet_NaN()};
  softcap(scores.data(), scores.size(), 5.0F, scores.data());
  EXPECT_EQ(scores[0], 0.0F);
  EXPECT_EQ(scores[1], 5.0F);
  EXPECT_EQ(scores[2], -5.0F);
  EXPECT_EQ(scores[3], 5.0F);
  EXPECT_TRUE(std::isnan(scores[4]));
}

TEST(Targets, GateAlikeForwardAndBackward) {
  expect_agreement(
      [](RandomStream& random) {
        const auto n = static_cast<std::size_t>(between(random, 1, 200));
        Floats x = normal_numbers(n, random);
        for (float& number : x) number *= 20.0F;
        const Floats y = normal_numbers(n, random);
        const Floats d = normal_numbers(n, random);
        Outcome outcome{Floats(4 * n), Doubles(4 * n)};
        const auto run = [n](const auto* in, const auto* other, const auto* d_out, auto* out) {
          apply(Elementwise::logistic, in, n, out);
          apply(Elementwise::multiply, out, other, n, out + n);
          apply(Elementwise::multiply, out, d_out, n, out + 3 * n);
          apply(Elementwise::multiply, other, d_out, n, out + 2 * n);
          apply(Elementwise::logistic_backward, out, out + 2 * n, n, out + 2 * n);
        };
        run(x.data(), y.data(), d.data(), outcome.quick.data());
        run(exactly(x).data(), exactly(y).data(), exactly(d).data(), outcome.exact.data());
        for (std::size_t i = 0; i < n; ++i)
          EXPECT_NEAR(outcome.exact[i], 1.0 / (1.0 + std::exp(-static_cast<double>(x[i]))), 1e-15);
        return outcome;
      },
      1e-5);
}

TEST(Targets, TakeTheExponentialsOfARowAlike) {
  expect_agreement(
      [](RandomStream& random) {
        Outcome outcome;
        outcome.quick = normal_numbers(static_cast<std::size_t>(between(random, 1, 400)), random);
        outcome.exact = exactly(outcome.quick);
        const int n = static_cast<int>(outcome.quick.size());
        const auto quick = exp_row_in_place(outcome.quick.data(), n);
        const auto exact = exp_row_in_place(outcome.exact.data(), n);
        outcome.quick.insert(outcome.quick.end(), {quick.first, quick.second});
        outcome.exact.insert(outcome.exact.end(), {exact.first, exact.second});
        return outcome;
      },
      1e-6);
}

TEST(Targets, ScaleAndMaskAlike) {
  expect_agreement(
      [](RandomStream& random) {
        const int rows = between(random, 1, 20);
        const int cols = between(random, 1, 40);
        Floats raw = normal_numbers(size(rows, cols), random);
        const Floats added = normal_numbers(raw.size(), random);
        const Floats biases = normal_numbers(size(1, rows + cols), random);
        Floats scaled(raw.size());
        std::vector<std::uint8_t> visible(raw.size());
        for (auto& cell : visible) cell = random.bits() % 3 == 0 ? 0 : 1;
        const KeyMask mask = mask_of(visible, cols);
        Outcome outcome{Floats(raw.size()), Doubles(raw.size())};
        const float* of_first_row = biases.data() + rows;
        scale_and_mask({rows, cols, raw.data(), scaled.data(), outcome.quick.data(), nullptr, &mask, 0, 0,
                        added.data(), of_first_row},
                       0.3F, -9.0F);
        for (std::size_t i = 0; i < raw.size(); ++i) {
          const int row = static_cast<int>(i) / cols;
          const int col = static_cast<int>(i) % cols;
          outcome.exact[i] = visible[i] == 0 ? -9.0
                                             : static_cast<double>(raw[i]) * static_cast<double>(0.3F) +
                                                   static_cast<double>(added[i]) +
                                                   static_cast<double>(of_first_row[col - row]);
        }
        return outcome;
      },
      1e-6);
}

TEST(Targets, NormaliseAlikeForwardAndBackward) {
  expect_agreement(
      [](RandomStream& random) {
        const int rows = between(random, 1, 12);
        const int width = between(random, 2, 100);
        const std::size_t n = size(rows, width);
        const auto w = static_cast<std::size_t>(width);
        const Floats x = normal_numbers(n, random);
        const Floats gain = normal_numbers(w, random);
        const Floats bias = normal_numbers(w, random);
        const Floats d_out = normal_numbers(n, random);
        // `all` has the output and the gradients with respect to x, the gain and the bias.
        const auto run = [&]<class Scalar>(std::vector<Scalar>& all) {
          const auto as = [](const Floats& f) { return std::vector<Scalar>(f.begin(), f.end()); };
          all.assign(2 * n + 2 * w, Scalar{0});
          std::vector<RowMoments<Scalar>> moments(static_cast<std::size_t>(rows));
          const auto in = as(x);
          const auto gains = as(gain);
          Scalar* d_x = all.data() + n;
          norm_rows(in.data(), rows, width, gains.data(), as(bias).data(), Scalar{1e-5F}, all.data(),
                    moments.data());
          norm_rows_backward(in.data(), moments.data(), rows, width, gains.data(), as(d_out).data(), d_x,
                             d_x + n, d_x + n + w);
        };
        Outcome outcome;
        run(outcome.quick);
        run(outcome.exact);
        Floats alone(n);
        norm_rows(x.data(), rows, width, gain.data(), bias.data(), 1e-5F, alone.data());
        EXPECT_TRUE(std::equal(alone.begin(), alone.end(), outcome.quick.begin()));
        return outcome;
      },
      2e-4);
}

TEST(Targets, AgreeOnLoopsOverNumbers) {
  expect_agreement(
      [](RandomStream& random) {
        const auto n = static_cast<std::size_t>(between(random, 1, 200));
        const Floats x = normal_numbers(n, random);
        const Floats y = normal_numbers(n, random);
        Outcome outcome{Floats(4 * n), Doubles(4 * n)};
        const auto run = [&](const auto* a, const auto* b, auto* out) {
          add(a, b, n, out);
          apply(Elementwise::relu, a, n, out + n);
          apply(Elementwise::relu_backward, a, b, n, out + 2 * n);
          std::copy_n(a, n, out + 3 * n);
          scale(out + 3 * n, n, static_cast<std::remove_cvref_t<decltype(*a)>>(0.5));
        };
        run(x.data(), y.data(), outcome.quick.data());
        run(exactly(x).data(), exactly(y).data(), outcome.exact.data());
        Floats copied(n + 3, 7.0F);
        stream_copy(x.data(), n, copied.data() + 1);
        stream_fence();
        outcome.quick.insert(outcome.quick.end(), copied.begin(), copied.end());
        outcome.exact.push_back(7.0);
        for (const float number : x) outcome.exact.push_back(static_cast<double>(number));
        outcome.exact.insert(outcome.exact.end(), {7.0, 7.0});
        double squares = 0.0;
        for (const float number : x) squares += static_cast<double>(number) * static_cast<double>(number);
        EXPECT_NEAR(sum_of_squares(x.data(), n), squares, 1e-12 * squares);
        return outcome;
      },
      1e-7);
}

}  // namespace
}  // namespace headscope
