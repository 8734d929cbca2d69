// Compares the steps from raw scores to weights with what GPT-2 small computed, as published with
// poloclub/transformer-explainer: raw, scaled, masked and softmax scores [layers, heads, T, T] of 144 heads.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "core/io/npy.h"
#include "core/model/attention.h"
#include "core/tensor/aligned_buffer.h"

namespace headscope {
namespace {

const std::filesystem::path published =
    std::filesystem::path(HEADSCOPE_SOURCE_DIR) / "../shared/reference/attention/gpt2-small";

constexpr float gpt2_root_d_head = 8.0F;

class Gpt2Attention : public testing::TestWithParam<int> {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(published)) GTEST_SKIP() << "no reference data at " << published;
  }

  static NpyArray load(const char* stage) {
    auto array = read_npy(published / ("ex" + std::to_string(GetParam()) + "_attn" + stage + ".npy"));
    if (!array) throw std::runtime_error(array.error().message);
    return std::move(*array);
  }
};

/// An attention layer whose raw scores are given numbers. The input has the raw scores of all heads side by
/// side, and then the identity. The query of head h is its scores, and the key of each head is the identity.
struct GivenScores {
  AttentionWeights weights;
  Matrix input;  ///< [T, (H + 1) · T]

  GivenScores(const float* raw, int n_heads, int n_tokens) {
    const Eigen::Index t = n_tokens;
    const Eigen::Index width = (n_heads + 1) * t;
    const Matrix identity = Matrix::Identity(t, t);
    input.setZero(t, width);
    Matrix queries = Matrix::Zero(width, n_heads * t);
    Matrix keys = Matrix::Zero(width, n_heads * t);
    for (Eigen::Index head = 0; head < n_heads; ++head) {
      input.middleCols(head * t, t) = Eigen::Map<const Matrix>(raw + head * t * t, t, t);
      queries.block(head * t, head * t, t, t) = identity;
      keys.block(n_heads * t, head * t, t, t) = identity;
    }
    input.rightCols(t) = identity;
    weights.query = {std::move(queries), RowVector::Zero(n_heads * t)};
    weights.key = {std::move(keys), RowVector::Zero(n_heads * t)};
    weights.value = {Matrix::Zero(width, n_heads), RowVector::Zero(n_heads)};
  }
};

TEST_P(Gpt2Attention, ScoresBecomeThePublishedWeights) {
  const NpyArray raw = load("");
  const NpyArray scaled = load("_scaled");
  const NpyArray masked = load("_masked");
  const NpyArray softmax = load("_softmax");
  ASSERT_EQ(raw.shape.size(), 4U);
  const int n_layers = raw.shape[0];
  const int n_heads = raw.shape[1];
  const int n_tokens = raw.shape[2];

  AttentionOptions options;
  options.mask.causal = true;
  options.temperature = gpt2_root_d_head / std::sqrt(static_cast<float>(n_tokens));
  const auto mask = combine(options.mask, options.mask_value, {n_tokens, n_tokens, n_heads});
  ASSERT_TRUE(mask);
  const AttentionPlan plan{options, *mask, nullptr, {}};
  AttentionShape shape;
  shape.n_queries = shape.n_keys = shape.d_head = n_tokens;
  shape.d_model = (n_heads + 1) * n_tokens;
  shape.n_heads = n_heads;
  shape.n_kv_heads = shape.n_heads;
  shape.d_value = 1;
  shape.output_projection = false;
  shape.mask_changes_scores = true;
  Arena counter(nullptr);
  const AttentionBuffers count_text(shape, counter);
  ThreadPool pool(1);
  const std::size_t per_layer = raw.values.size() / static_cast<std::size_t>(n_layers);
  for (std::size_t first = 0; first < raw.values.size(); first += per_layer) {
    const GivenScores layer(&raw.values[first], n_heads, n_tokens);
    AlignedBuffer memory(counter.used());
    Arena arena(memory.data());
    AttentionBuffers buffers(shape, arena);
    const MatrixView input = view_of(layer.input);
    ASSERT_TRUE(attention_forward(layer.weights, {input, input, input}, plan, buffers, pool));
    for (std::size_t i = 0; i < per_layer; ++i) {
      ASSERT_EQ(buffers.raw[i], raw.values[first + i]);
      ASSERT_NEAR(buffers.scaled[i], scaled.values[first + i], 1e-5F);
      ASSERT_NEAR(buffers.weights[i], softmax.values[first + i], 1e-5F);
      if (std::isinf(masked.values[first + i])) {
        ASSERT_EQ(buffers.masked[i], masked.values[first + i]);
        ASSERT_EQ(buffers.weights[i], 0.0F);
      } else {
        ASSERT_NEAR(buffers.masked[i], masked.values[first + i], 1e-5F);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Prompts, Gpt2Attention, testing::Range(0, 3));

}  // namespace
}  // namespace headscope
