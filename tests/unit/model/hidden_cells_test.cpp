#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <random>

#include "core/model/attention.h"

namespace headscope {
namespace {

constexpr int n_tokens = 330;  // A multiple neither of a vector's length nor of a panel's.

Architecture of_the_test() {
  Architecture architecture;
  architecture.d_model = 32;
  architecture.n_heads = 4;
  return architecture;
}

/// One attention over the same input and mask, with or without the scores of hidden cells.
struct Computed {
  AlignedBuffer memory;
  AttentionBuffers buffers;

  Computed(const Model& model, const Matrix& input, const AttentionPlan& plan, bool keeps_scores) {
    AttentionShape shape;
    shape.n_queries = n_tokens;
    shape.n_keys = n_tokens;
    shape.d_model = model.architecture.d_model;
    shape.n_heads = model.architecture.n_heads;
    shape.n_kv_heads = shape.n_heads;
    shape.d_head = model.architecture.head_width(no_layer);
    shape.d_value = model.architecture.value_width(no_layer);
    shape.mask_changes_scores = true;
    shape.keeps_scores = keeps_scores;
    Arena counter(nullptr);
    static_cast<void>(AttentionBuffers(shape, counter));
    memory = AlignedBuffer(counter.used());
    std::fill_n(memory.data(), memory.size(), std::numeric_limits<float>::quiet_NaN());
    Arena arena(memory.data());
    buffers = AttentionBuffers(shape, arena);
    ThreadPool pool(2);
    const MatrixView rows = view_of(input);
    const AttentionWeights weights{
        linear_of(model, {StageKind::w_query}), linear_of(model, {StageKind::w_key}),
        linear_of(model, {StageKind::w_value}), linear_of(model, {StageKind::w_output})};
    EXPECT_TRUE(attention_forward(weights, {rows, rows, rows}, plan, buffers, pool));
  }

  std::vector<float> maps(const float* part) const {
    return {part, part + static_cast<std::size_t>(buffers.shape.n_heads) * buffers.shape.map_floats()};
  }
};

bool same_bits(const std::vector<float>& a, const std::vector<float>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

class HiddenCells : public ::testing::TestWithParam<MaskSpec> {};

TEST_P(HiddenCells, AreLeftOutWithoutChangingAnyOtherNumber) {
  ThreadPool pool(1);
  const Model model = random_model(of_the_test(), 0, pool);
  std::mt19937 random(5);
  std::normal_distribution<float> normal;
  Matrix input(n_tokens, 32);
  for (float& x : input.reshaped()) x = normal(random);
  const AttentionOptions options;
  const auto mask = combine(GetParam(), MaskValue::minus_infinity, {n_tokens, n_tokens, 4});
  ASSERT_TRUE(mask);
  const AttentionPlan plan{options, *mask, nullptr, {}};
  const Computed whole(model, input, plan, true);
  const Computed sparing(model, input, plan, false);
  ASSERT_TRUE(should_stream_maps(whole.buffers.shape));
  EXPECT_LT(sparing.memory.size(), whole.memory.size() * 3 / 4);
  EXPECT_EQ(sparing.buffers.raw, nullptr);
  EXPECT_TRUE(same_bits(sparing.maps(sparing.buffers.masked), whole.maps(whole.buffers.masked)));
  EXPECT_TRUE(same_bits(sparing.maps(sparing.buffers.weights), whole.maps(whole.buffers.weights)));
  const auto projected = [](const Computed& of) {
    return std::vector<float>(of.buffers.projected, of.buffers.projected + n_tokens * 32);
  };
  EXPECT_TRUE(same_bits(projected(sparing), projected(whole)));
  std::vector<float> raw(static_cast<std::size_t>(n_tokens) * n_tokens);
  HeadMaps(plan, sparing.buffers, 2).rows(Op::scores, 0, n_tokens, raw.data());
  const auto all = whole.maps(whole.buffers.raw);
  EXPECT_TRUE(std::equal(raw.begin(), raw.end(), all.begin() + 2 * static_cast<std::ptrdiff_t>(raw.size())));
}

MaskSpec spec(bool causal, std::optional<int> window, std::vector<Cell> painted) {
  MaskSpec mask;
  mask.causal = causal;
  mask.window = window;
  mask.painted = std::move(painted);
  return mask;
}

/// The cells of the first `n` queries, so that whole blocks of queries see nothing, as in a mask file with
/// blank rows.
std::vector<Cell> first_rows(int n) {
  std::vector<Cell> cells;
  for (int query = 0; query < n; ++query) {
    for (int key = 0; key <= query; ++key) cells.push_back({query, key});
  }
  return cells;
}

/// The masks are a causal one, a window, and a causal one with one query or with many that see nothing.
INSTANTIATE_TEST_SUITE_P(Masks, HiddenCells,
                         ::testing::Values(spec(true, {}, {}), spec(false, 20, {}), spec(true, {}, {{0, 0}}),
                                           spec(true, {}, first_rows(150))));

TEST(KeyVisibility, CountsToTheLastThatIsVisible) {
  MaskSpec mask;
  mask.causal = true;
  mask.painted = {{0, 0}, {2, 2}};
  const auto combined = combine(mask, MaskValue::minus_infinity, {4, 4, 2});
  ASSERT_TRUE(combined);
  AttentionShape shape;
  shape.n_queries = shape.n_keys = 4;
  EXPECT_EQ(visible_key_counts(*combined, shape), (std::vector<int>{0, 2, 2, 4}));
  shape.n_queries = 2;
  shape.n_keys = 3;
  shape.first_query = 2;
  shape.first_key = 1;
  EXPECT_EQ(visible_key_counts(*combined, shape), (std::vector<int>{1, 3})) << "of the keys after the first";
  EXPECT_TRUE(visible_key_counts(CombinedMask{}, shape).empty());
}

}  // namespace
}  // namespace headscope
