// Sessions that consist of a person's own attention. Queries, keys and values are compared with the
// definition in double precision, and modules with the pass of core/engine/module_trace.h.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/engine/engine.h"
#include "core/engine/module_trace.h"
#include "core/tensor/random.h"
#include "tests/unit/engine/passes.h"

namespace headscope {
namespace {

int between(RandomStream& random, int low, int high) {
  return low + static_cast<int>(random.bits() % static_cast<std::uint64_t>(high - low + 1));
}

ModuleRows random_rows(RandomStream& random, const char* name, int n_heads, int n_rows, int width) {
  ModuleRows rows{name, OwnedMatrix(n_heads * n_rows, width), n_heads};
  random.fill_normal(rows.rows.values, 1.0F);
  return rows;
}

double at(const ModuleRows& rows, int head, int row, int col) {
  return static_cast<double>(rows.rows.at(head * rows.rows_of_head() + row, col));
}

/// The output of one head for one query. If `causal`, the query sees the keys up to its own position.
std::vector<double> output_of(const ModuleInputs& core, int head, int query, bool causal, int offset) {
  const int key_head = head / (core.query.n_heads / core.key->n_heads);
  std::vector<double> output(static_cast<std::size_t>(core.value->rows.cols));
  std::vector<double> exponents;
  double greatest = -INFINITY;
  const int seen = causal ? std::min(query + offset + 1, core.key->rows_of_head()) : core.key->rows_of_head();
  std::vector<double> scores;
  for (int key = 0; key < seen; ++key) {
    double score = 0.0;
    for (int i = 0; i < core.key->rows.cols; ++i)
      score += at(core.query, head, query, i) * at(*core.key, key_head, key, i);
    scores.push_back(score / std::sqrt(core.key->rows.cols));
    greatest = std::max(greatest, scores.back());
  }
  double sum = 0.0;
  for (const double score : scores) sum += std::exp(score - greatest);
  for (int key = 0; key < seen; ++key) {
    const double weight = std::exp(scores[static_cast<std::size_t>(key)] - greatest) / sum;
    for (int i = 0; i < core.value->rows.cols; ++i)
      output[static_cast<std::size_t>(i)] += weight * at(*core.value, key_head, key, i);
  }
  return output;
}

SharedTrace trace_of(const Session& session) {
  Engine engine;
  auto trace = engine.compute(request_of(session), TooLong::refuse);
  EXPECT_TRUE(trace) << (trace ? "" : trace.error().message);
  return trace ? *trace : nullptr;
}

StageId stage_of(const Session& session, StageKind kind, int head = 0) {
  const Architecture& a = session.architecture;
  const AttentionKind attention = a.has_cross() ? AttentionKind::cross : AttentionKind::self;
  return normalized({kind, a.last_stack(), 0, attention, head});
}

TEST(OwnAttention, OfQueriesKeysAndValuesIsTheDefinition) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    RandomStream random(seed, "core");
    const int groups = between(random, 1, 4);
    const int n_heads = groups * between(random, 1, 3);
    const int n_queries = between(random, 1, 9);
    const int n_keys = between(random, 0, 1) == 0 ? n_queries : between(random, 1, 12);
    const int width = between(random, 1, 20);
    ModuleInputs core{random_rows(random, "q", n_heads, n_queries, width),
                      random_rows(random, "k", groups, n_keys, width),
                      random_rows(random, "v", groups, n_keys, between(random, 1, 9))};
    Session base = default_session();
    const bool causal = between(random, 0, 1) == 1;
    base.attention.query_offset = between(random, 0, 4);
    base.attention.mask.causal = base.attention.cross_mask.causal = causal;
    const auto session = with_core(base, core);
    ASSERT_TRUE(session) << session.error().message;
    EXPECT_EQ(session->architecture.has_self(), n_queries == n_keys && base.attention.query_offset == 0);
    const SharedTrace trace = trace_of(*session);
    ASSERT_TRUE(trace);
    EXPECT_FALSE(trace->is_untrained()) << "nothing that was drawn is in it";
    for (int head = 0; head < n_heads; ++head) {
      const MatrixView output = trace->value(stage_of(*session, StageKind::output, head));
      for (int query = 0; query < n_queries; ++query) {
        const auto expected = output_of(core, head, query, causal, base.attention.query_offset);
        for (int i = 0; i < output.cols; ++i)
          ASSERT_NEAR(static_cast<double>(output.row(query)[static_cast<std::size_t>(i)]),
                      expected[static_cast<std::size_t>(i)], 1e-5)
              << seed;
      }
    }
  }
}

std::string refused(const ModuleInputs& core) {
  const auto session = with_core(default_session(), core);
  EXPECT_FALSE(session);
  return session ? "" : session.error().message;
}

TEST(OwnAttention, RefusesRowsThatDoNotGoTogether) {
  RandomStream random(1, "core");
  const auto rows = [&](const char* name, int heads, int n, int width) {
    return random_rows(random, name, heads, n, width);
  };
  EXPECT_NE(refused({rows("q", 2, 3, 4), rows("k", 2, 3, 5), rows("v", 2, 3, 4)}).find("same width"),
            std::string::npos);
  EXPECT_NE(refused({rows("q", 2, 3, 4), rows("k", 2, 3, 4), rows("v", 2, 4, 4)}).find("number of rows"),
            std::string::npos);
  EXPECT_NE(refused({rows("q", 4, 3, 4), rows("k", 3, 3, 4), rows("v", 3, 3, 4)}).find("must divide"),
            std::string::npos);
  EXPECT_NE(refused({rows("q", 4, 3, 4), rows("k", 2, 3, 4), rows("v", 1, 3, 4)}).find("as many heads"),
            std::string::npos);
  EXPECT_NE(refused({rows("q", 2000, 1, 4), rows("k", 2000, 1, 4), rows("v", 2000, 1, 4)}).find("heads 2000"),
            std::string::npos);
}

Linear random_linear(RandomStream& random, int n_in, int n_out, bool has_bias) {
  Matrix weight(n_in, n_out);
  random.fill_normal({weight.data(), static_cast<std::size_t>(weight.size())}, 0.5F);
  RowVector bias = RowVector::Zero(n_out);
  if (has_bias) random.fill_normal({bias.data(), static_cast<std::size_t>(n_out)}, 1.0F);
  return {std::move(weight), std::move(bias)};
}

TEST(OwnAttention, OfAModuleIsItsPass) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    RandomStream random(seed, "module");
    const int n_heads = between(random, 1, 4);
    const int width = between(random, 1, 12);
    const int keys = n_heads * between(random, 1, 5);
    const int values = n_heads * between(random, 1, 5);
    ModuleWeights weights;
    const auto coin = [&] { return between(random, 0, 1) == 1; };
    weights.bias = {coin(), coin(), coin(), coin()};
    weights.attention.query = random_linear(random, width, keys, weights.bias.query);
    weights.attention.key = random_linear(random, width, keys, weights.bias.key);
    weights.attention.value = random_linear(random, width, values, weights.bias.value);
    if (coin()) weights.attention.out = random_linear(random, values, width, weights.bias.output);
    ModuleInputs inputs;
    const auto rows = [&](const char* name) {
      ModuleRows made{name, OwnedMatrix(between(random, 1, 8), width)};
      random.fill_normal(made.rows.values, 1.0F);
      return made;
    };
    inputs.query = rows("x");
    if (coin()) inputs.key = rows("y");
    const auto session = with_module(default_session(), weights, inputs, n_heads);
    ASSERT_TRUE(session) << session.error().message;
    const auto pass = module_forward(std::move(weights), inputs, n_heads, {});
    ASSERT_TRUE(pass) << pass.error().message;
    const SharedTrace trace = trace_of(*session);
    ASSERT_TRUE(trace);
    for (int head = 0; head < n_heads; ++head) {
      const MatrixView own = trace->value(stage_of(*session, StageKind::weights, head));
      const AttentionBuffers& b = pass->buffers;
      const float* first = b.weights + static_cast<std::size_t>(head) * b.shape.map_floats();
      for (int row = 0; row < own.rows; ++row) {
        for (int col = 0; col < own.cols; ++col)
          ASSERT_EQ(own.row(row)[static_cast<std::size_t>(col)], first[row * b.shape.n_keys + col]) << seed;
      }
    }
    const MatrixView projected = trace->value(stage_of(*session, StageKind::projected));
    for (int row = 0; row < projected.rows; ++row) {
      for (int col = 0; col < projected.cols; ++col)
        ASSERT_EQ(projected.row(row)[static_cast<std::size_t>(col)],
                  pass->buffers.projected[row * projected.cols + col]);
    }
  }
}

TEST(OwnAttention, SaysWhichModulesNoModelCanBe) {
  RandomStream random(2, "module");
  ModuleWeights weights;
  weights.bias = {false, false, false, false};
  weights.attention.query = random_linear(random, 4, 4, false);
  weights.attention.key = random_linear(random, 6, 4, false);
  weights.attention.value = random_linear(random, 4, 4, false);
  const auto session = with_module(default_session(), weights, std::nullopt, 2);
  ASSERT_FALSE(session);
  EXPECT_NE(session.error().message.find("headscope trace --weights"), std::string::npos);
}

}  // namespace
}  // namespace headscope
