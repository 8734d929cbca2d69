#include "core/model/model.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace headscope {
namespace {

Architecture wide(Init init) {
  Architecture a;
  a.d_model = 256;
  a.n_heads = 2;
  a.d_value = 64;
  a.init = init;
  return a;
}

double variance(const Matrix& matrix) {
  return matrix.cast<double>().array().square().mean();
}

TEST(RandomModel, HasTheShapesOfItsArchitecture) {
  Architecture a;
  a.d_model = 24;
  a.n_heads = 3;
  a.d_head = 5;
  a.d_value = 7;
  const Model model = random_model(a, 11);
  EXPECT_EQ(model.attention.qkv.rows(), 24);
  EXPECT_EQ(model.attention.qkv.cols(), 3 * (5 + 5 + 7));
  EXPECT_EQ(model.attention.qkv_bias.size(), 3 * (5 + 5 + 7));
  EXPECT_EQ(model.attention.out.rows(), 21);
  EXPECT_EQ(model.attention.out.cols(), 24);
  EXPECT_EQ(model.embedding_table.rows(), 11);
  a.output_projection = false;
  EXPECT_EQ(random_model(a).attention.out.size(), 0);
  EXPECT_EQ(random_model(a).embedding_table.size(), 0);
}

TEST(RandomModel, PackedColumnsTileTheProduct) {
  Architecture a;
  a.d_model = 24;
  a.n_heads = 3;
  a.d_head = 5;
  a.d_value = 7;
  std::vector<int> covered(51, 0);
  for (int head = 0; head < 3; ++head) {
    const PackedColumns columns = packed_columns(a, head);
    for (int i = 0; i < 5; ++i) ++covered[static_cast<std::size_t>(columns.query + i)];
    for (int i = 0; i < 5; ++i) ++covered[static_cast<std::size_t>(columns.key + i)];
    for (int i = 0; i < 7; ++i) ++covered[static_cast<std::size_t>(columns.value + i)];
  }
  EXPECT_EQ(covered, std::vector<int>(51, 1));
}

TEST(RandomModel, InitialisationsHaveTheirVariance) {
  EXPECT_NEAR(variance(random_model(wide(Init::normal)).attention.qkv), 1.0, 0.02);
  EXPECT_NEAR(variance(random_model(wide(Init::scaled)).attention.qkv), 1.0 / 256.0, 0.0001);
  const Model xavier = random_model(wide(Init::xavier));
  const PackedColumns columns = packed_columns(xavier.architecture, 0);
  const Matrix query = xavier.attention.qkv.middleCols(columns.query, 128);
  const double limit = std::sqrt(6.0 / (256 + 128));
  EXPECT_NEAR(variance(query), limit * limit / 3.0, 0.0002);
  EXPECT_LE(query.cwiseAbs().maxCoeff(), limit);
  const Matrix& out = xavier.attention.out;
  EXPECT_LE(out.cwiseAbs().maxCoeff(), std::sqrt(6.0 / (128 + 256)));
}

TEST(RandomModel, BiasesAreThereOnlyWhereTheyAreWanted) {
  Architecture a = wide(Init::xavier);
  a.bias = {true, false, true, false};
  const Model model = random_model(a);
  const PackedColumns columns = packed_columns(a, 1);
  const RowVector& bias = model.attention.qkv_bias;
  EXPECT_GT(bias.segment(columns.query, 128).cwiseAbs().minCoeff(), 0.0F);
  EXPECT_EQ(bias.segment(columns.key, 128).cwiseAbs().maxCoeff(), 0.0F);
  EXPECT_GT(bias.segment(columns.value, 64).cwiseAbs().minCoeff(), 0.0F);
  EXPECT_EQ(model.attention.out_bias.cwiseAbs().maxCoeff(), 0.0F);
  EXPECT_LE(bias.cwiseAbs().maxCoeff(), 1.0F / 16.0F);
}

TEST(RandomModel, TurningABiasOffChangesNoOtherNumber) {
  Architecture a = wide(Init::normal);
  const Model with = random_model(a);
  a.bias.key = false;
  const Model without = random_model(a);
  EXPECT_EQ(with.attention.qkv, without.attention.qkv);
  EXPECT_EQ(with.attention.out, without.attention.out);
  EXPECT_EQ(with.attention.out_bias, without.attention.out_bias);
}

TEST(RandomModel, HeadsDifferFromEachOther) {
  const Model model = random_model(wide(Init::normal));
  const PackedColumns first = packed_columns(model.architecture, 0);
  const PackedColumns second = packed_columns(model.architecture, 1);
  EXPECT_NE(model.attention.qkv.middleCols(first.query, 128),
            model.attention.qkv.middleCols(second.query, 128));
  EXPECT_NE(model.attention.qkv.middleCols(first.query, 128), model.attention.qkv.middleCols(first.key, 128));
}

TEST(WordEmbedding, DependsOnTheWordAndTheSeedAlone) {
  std::vector<float> a(64);
  std::vector<float> b(64);
  word_embedding("cat", 1, a);
  word_embedding("cat", 1, b);
  EXPECT_EQ(a, b);
  word_embedding("cat", 2, b);
  EXPECT_NE(a, b);
  word_embedding("cats", 1, b);
  EXPECT_NE(a, b);
  std::vector<float> wider(128);
  word_embedding("cat", 1, wider);
  EXPECT_TRUE(std::equal(a.begin(), a.end(), wider.begin()));
}

TEST(SinusoidalPositions, AreTheFormula) {
  for (const int width : {8, 9, 64}) {
    Matrix positions(50, width);
    sinusoidal_positions(positions);
    for (int p = 0; p < 50; ++p) {
      for (int dim = 0; dim < width; ++dim) {
        const double angle = p / std::pow(10000.0, 2.0 * (dim / 2) / width);
        const double expected = dim % 2 == 0 ? std::sin(angle) : std::cos(angle);
        ASSERT_NEAR(positions(p, dim), expected, 1e-6) << p << ", " << dim;
      }
    }
  }
}

}  // namespace
}  // namespace headscope
