// Query heads that share keys and values in groups.
#include <gtest/gtest.h>

#include "core/model/parameters.h"
#include "core/model/pass_edits.h"
#include "core/trace/explain.h"
#include "tests/unit/engine/random_given.h"
#include "tests/unit/engine/transformers.h"

namespace headscope {
namespace {

/// A request with several groups.
Request shared_pass(std::uint64_t seed) {
  RandomStream random(seed, "shared");
  Request request = random_transformer(seed, static_cast<Stacks>(seed % 3));
  Architecture& a = request.architecture;
  a.n_heads = 4;
  a.d_model = 4 * pick(random, 2, 6) * 2;
  a.n_kv_heads = pick(random, 0, 1) == 0 ? 1 : 2;
  return request;
}

OwnedMatrix owned(const MatrixView& view) {
  OwnedMatrix copy(view.rows, view.cols);
  copy.values = numbers(view);
  return copy;
}

TEST(SharedHeads, AreHeadsWithTheSameKeysAndValues) {
  Engine engine;
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    const Request request = shared_pass(seed);
    const SharedTrace shared = computed(engine, request);
    ASSERT_TRUE(shared);
    Request apart = request;
    apart.architecture.n_kv_heads.reset();
    const SharedTrace plain = computed(engine, apart);
    for (const StageId& id : plain->stages()) {
      const bool is_tied =
          id.kind == StageKind::w_logits && apart.architecture.output_layer == OutputLayer::tied;
      if (info(id.kind).is_parameter() && !is_tied) give(apart, path(id), owned(shared->value(id)));
    }
    const SharedTrace repeated = computed(engine, apart);
    ASSERT_TRUE(repeated);
    for (const StageId& id : repeated->stages()) {
      const std::vector<float> a = numbers(shared->value(id));
      const std::vector<float> b = numbers(repeated->value(id));
      ASSERT_EQ(a.size(), b.size()) << path(id);
      for (std::size_t i = 0; i < a.size(); ++i) {
        if (a[i] == b[i]) continue;  // This covers −∞ as well.
        ASSERT_NEAR(a[i], b[i], 1e-4F + 1e-4F * std::abs(b[i])) << seed << ' ' << path(id);
      }
    }
    EXPECT_LT(shared->bytes(), repeated->bytes());
  }
}

TEST(SharedHeads, EveryHeadsPathMeansWhatItsGroupHas) {
  Engine engine;
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    const SharedTrace trace = computed(engine, shared_pass(seed));
    ASSERT_TRUE(trace);
    const Architecture& a = trace->architecture();
    int n_shared = 0;
    for (const StageId& id : trace->stages()) {
      EXPECT_EQ(id, canonical(a, id)) << path(id);
      if (!info(id.kind).is_per_group) continue;
      ++n_shared;
      for (StageId other = id; other.head < id.head + a.group_size(no_layer); ++other.head) {
        ASSERT_TRUE(trace->has(other)) << path(other);
        EXPECT_TRUE(same_bits(numbers(trace->value(other)), numbers(trace->value(id)))) << path(other);
        const auto sheet = explain(*trace, other, 0, 0);
        ASSERT_TRUE(sheet);
        EXPECT_EQ(sheet->stage, id);
        EXPECT_NE(sheet->formula.find("shared by " + group_text(a, id.head, no_layer)), std::string::npos)
            << sheet->formula;
      }
    }
    EXPECT_GT(n_shared, 0);
  }
}

TEST(SharedHeads, TheirParametersAreCountedOnce) {
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    const Architecture a = shared_pass(seed).architecture;
    double size = 0.0;
    for (const NamedParameter& parameter : layout_of(a, 0).named)
      size += static_cast<double>(parameter.rows) * parameter.cols;
    EXPECT_EQ(count_parameters(a), size) << seed;
  }
}

TEST(SharedHeads, GivenNumbersAndPatchesReachTheWholeGroup) {
  Engine engine;
  Request request = request_for("one two three", 8, 4);
  request.architecture.n_kv_heads = 2;
  give(request, "encoder.layers.0.self.heads.2.key", OwnedMatrix(3, 2));
  request.interventions.patches = {{{.kind = StageKind::value, .head = 1}, 1, PatchSource::zero}};
  const SharedTrace trace = computed(engine, request);
  ASSERT_TRUE(trace);
  for (const int head : {2, 3}) {
    for (const float score : numbers(stage(*trace, StageKind::raw, head))) EXPECT_EQ(score, 0.0F);
  }
  for (const int head : {0, 1}) {
    EXPECT_EQ(stage(*trace, StageKind::value, head)(1, 0), 0.0F);
    const auto sheet = explain(*trace, {.kind = StageKind::value, .head = head}, 1, 1);
    ASSERT_TRUE(sheet);
    EXPECT_EQ(sheet->value, 0.0);
    EXPECT_EQ(sheet->stored, 0.0);
  }
  give(request, "encoder.layers.0.self.heads.3.key", OwnedMatrix(3, 2));
  const auto refused = engine.compute(request);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("is the same as encoder.layers.0.self.heads.2.key"),
            std::string::npos)
      << refused.error().message;
}

}  // namespace
}  // namespace headscope
