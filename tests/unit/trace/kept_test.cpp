#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "core/engine/engine.h"
#include "core/trace/explain.h"
#include "tests/unit/trace/passes.h"

namespace headscope {
namespace {

using testing::between;
using testing::pass;

bool same_numbers(const MatrixView& a, const MatrixView& b) {
  if (a.rows != b.rows || a.cols != b.cols) return false;
  for (int row = 0; row < a.rows; ++row) {
    if (std::memcmp(a.row(row).data(), b.row(row).data(), a.row(row).size_bytes()) != 0) return false;
  }
  return true;
}

std::string words(int n) {
  std::string text;
  for (int t = 0; t < n; ++t) text += " word" + std::to_string(t * t % 37);
  return text;
}

/// A request whose pass has maps that are many times larger than everything else. A mask hides some cells of
/// each.
Request large_request() {
  Request request;
  request.sentence = words(200);
  request.target = words(150);
  request.architecture.d_model = 32;
  request.architecture.n_heads = 4;
  request.architecture.n_layers = 3;
  request.architecture.d_ff = 48;
  request.architecture.residual = true;
  request.architecture.norm = Norm::pre;
  request.attention.mask.causal = true;
  request.attention.mask.painted = {{3, 0}, {3, 1}, {3, 2}, {3, 3}};
  return request;
}

/// The same request with little memory. Both give the same numbers.
Request frugal(Request request, std::size_t max_bytes) {
  request.max_bytes = max_bytes;
  return request;
}

/// The least memory with which no token of the request is cut off.
std::size_t min_bytes(const Request& request) {
  std::size_t bytes = 1;
  while (max_tokens(frugal(request, bytes)) < 200) bytes += bytes / 16 + 1;
  return bytes;
}

struct Case {
  const char* name;
  Stacks stacks;
  Positions positions;
  Norm norm;
  bool has_dropout;
  void (*make)(Architecture&) = nullptr;  ///< sets whatever else is unusual
};

void make_gemma(Architecture& a) {
  a.norm_kind = NormKind::rms;
  a.activation = Activation::gelu_tanh;
  a.gated = true;
  a.sliding_window = 20;
  a.global_every = 2;
  a.rotary.local_base = 100.0F;
}

void make_gptj(Architecture& a) {
  a.block = Block::parallel_shared;
  a.rotary.fraction = 0.5F;
  a.bias.feed_forward = false;
}

void make_neox(Architecture& a) {
  a.block = Block::parallel;
  a.rotary.pairing = RotaryPairing::halves;
  a.activation = Activation::silu;
  a.gated = true;
}

void make_latent(Architecture& a) {
  a.kv_latent = 10;
  a.rotary.fraction = 0.5F;
}

void make_disentangled(Architecture& a) {
  a.foreign.disentangled = Disentangled{.buckets = 8, .max_distance = 20};
  a.foreign.position_rows = 16;
}

class Frugal : public ::testing::TestWithParam<Case> {
 protected:
  static Request request() {
    Request request = large_request();
    request.architecture.stacks = GetParam().stacks;
    request.architecture.positions = GetParam().positions;
    request.architecture.norm = GetParam().norm;
    request.attention.train = GetParam().has_dropout;
    request.attention.dropout = 0.25F;
    if (GetParam().make != nullptr) GetParam().make(request.architecture);
    return request;
  }
  /// Two passes: one without maps, and one that keeps only the layers' inputs.
  static std::vector<std::shared_ptr<const Trace>> frugal_traces(const Trace& whole) {
    std::vector<std::shared_ptr<const Trace>> traces;
    for (const std::size_t bytes : {std::size_t{5} << 20U, min_bytes(request())}) {
      traces.push_back(pass(frugal(request(), bytes)));
      EXPECT_LE(traces.back()->bytes(), bytes);
      EXPECT_LT(traces.back()->bytes(), whole.bytes() / 2);
      EXPECT_EQ(traces.back()->n_tokens(), whole.n_tokens());
    }
    EXPECT_LT(traces.back()->bytes(), traces.front()->bytes());
    return traces;
  }
};

TEST_P(Frugal, GivesEveryNumberAsIfItHadKeptIt) {
  const auto whole = pass(request());
  for (const auto& trace : frugal_traces(*whole)) {
    ASSERT_EQ(trace->stages(), whole->stages());
    for (const StageId& id : whole->stages()) {
      EXPECT_EQ(trace->extent(id), (Extent{whole->value(id).rows, whole->value(id).cols})) << path(id);
      EXPECT_TRUE(same_numbers(trace->value(id), whole->value(id))) << path(id);
    }
  }
}

TEST_P(Frugal, GivesWindowsStatisticsAndOverviewsOfWhatItDidNotKeep) {
  const auto whole = pass(request());
  std::mt19937 random(3);
  for (const auto& trace : frugal_traces(*whole)) {
    for (const StageId& id : whole->stages()) {
      if (id.head > 1) continue;
      const Extent size = trace->extent(id);
      StageWindow window{between(random, 0, size.rows - 1), between(random, 0, size.cols - 1), 1, 1};
      window.n_rows = between(random, 1, size.rows - window.first_row);
      window.n_cols = between(random, 1, size.cols - window.first_col);
      const StageNumbers some = trace->read(id, window);
      const MatrixView expected =
          whole->value(id).block(window.first_row, window.first_col, window.n_rows, window.n_cols);
      EXPECT_TRUE(same_numbers(some.view, expected)) << path(id);
      const StageStats here = *trace->stats(id);
      const StageStats there = *whole->stats(id);
      EXPECT_EQ(here.minimum, there.minimum) << path(id);
      EXPECT_EQ(here.maximum, there.maximum) << path(id);
      EXPECT_EQ(here.magnitude, there.magnitude) << path(id);
      EXPECT_EQ(here.visible_magnitude, there.visible_magnitude) << path(id);
      EXPECT_EQ(here.n_finite, there.n_finite) << path(id);
      EXPECT_EQ(here.n_hidden, there.n_hidden) << path(id);
    }
  }
}

TEST_P(Frugal, ExplainsCellsOfWhatItDidNotKeep) {
  const auto whole = pass(request());
  std::mt19937 random(4);
  for (const auto& trace : frugal_traces(*whole)) {
    for (const StageId& id : whole->stages()) {
      const Extent size = trace->extent(id);
      const int row = between(random, 0, size.rows - 1);
      const int col = between(random, 0, size.cols - 1);
      const auto here = explain(*trace, id, row, col);
      const auto there = explain(*whole, id, row, col);
      ASSERT_TRUE(here && there) << path(id);
      EXPECT_EQ(to_text(*here), to_text(*there));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Models, Frugal,
    ::testing::Values(
        Case{"encoder", Stacks::encoder, Positions::sinusoidal, Norm::pre, false},
        Case{"rotary", Stacks::decoder, Positions::rotary, Norm::post, true},
        Case{"alibi", Stacks::encoder, Positions::alibi, Norm::none, false},
        Case{"both", Stacks::encoder_decoder, Positions::relative, Norm::pre, true},
        Case{"gemma", Stacks::decoder, Positions::rotary, Norm::pre, true, make_gemma},
        Case{"gptj", Stacks::decoder, Positions::rotary, Norm::pre, false, make_gptj},
        Case{"neox", Stacks::encoder_decoder, Positions::rotary, Norm::pre, false, make_neox},
        Case{"disentangled", Stacks::encoder, Positions::none, Norm::post, false, make_disentangled},
        Case{"latent", Stacks::encoder_decoder, Positions::rotary, Norm::pre, false, make_latent}),
    [](const auto& test) { return std::string(test.param.name); });

TEST(Frugal, KeepsEverythingThatFits) {
  const auto whole = pass(large_request());
  const auto same = pass(frugal(large_request(), default_trace_bytes));
  EXPECT_EQ(same->bytes(), whole->bytes());
}

TEST(Frugal, IsNotCutAtTheMemoryOfItsMapsUnlessSoftmaxNeedsThem) {
  Request request = frugal(large_request(), std::size_t{2} << 20U);
  EXPECT_GE(max_tokens(request), 400);
  request.attention.softmax = SoftmaxAxis::queries;
  EXPECT_LT(max_tokens(request), 120);
}

TEST(Stats, AreCancelledAndTriedAgain) {
  const auto trace = pass(frugal(large_request(), std::size_t{5} << 20U));
  const StageId id{.kind = StageKind::weights};
  const std::atomic<bool> stop{true};
  EXPECT_FALSE(trace->stats(id, &stop));
  ASSERT_TRUE(trace->stats(id));
  EXPECT_EQ(trace->stats(id)->maximum, 1.0);
}

}  // namespace
}  // namespace headscope
