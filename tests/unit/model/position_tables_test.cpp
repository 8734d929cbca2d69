#include <gtest/gtest.h>

#include <cmath>

#include "core/model/positions.h"
#include "tests/unit/model/with_positions.h"

namespace headscope {
namespace {

TEST(PositionTables, TheDocumentsTableIsThatOfThePass) {
  for (const Positions kind : {Positions::sinusoidal, Positions::split}) {
    const OwnedMatrix table = wave_table(with_positions(kind), 20, 512);
    ASSERT_EQ(table.rows, 20);
    ASSERT_EQ(table.cols, 512);
    Matrix rows(20, 512);
    wave_positions(with_positions(kind), rows);
    for (int row = 0; row < 20; ++row) {
      for (int col = 0; col < 512; ++col) EXPECT_EQ(table.at(row, col), rows(row, col));
    }
  }
}

TEST(PositionTables, SplitRowsHaveSinesAtTheLeftAndCosinesAtTheRight) {
  const OwnedMatrix table = wave_table(with_positions(Positions::split), 3, 8);
  for (int col = 0; col < 4; ++col) {
    EXPECT_EQ(table.at(0, col), 0.0F);
    EXPECT_EQ(table.at(0, col + 4), 1.0F);
  }
  EXPECT_FLOAT_EQ(table.at(1, 0), static_cast<float>(std::sin(1.0)));
  EXPECT_FLOAT_EQ(table.at(1, 4), static_cast<float>(std::cos(1.0)));
  EXPECT_FLOAT_EQ(table.at(2, 3), static_cast<float>(std::sin(2.0 / 10000.0)));
}

TEST(PositionTables, AnglesGrowWithThePosition) {
  const OwnedMatrix angles = rotary_angles(5, rotary_frequencies({}, 8));
  ASSERT_EQ(angles.cols, 4);
  for (int position = 0; position < 5; ++position) {
    EXPECT_FLOAT_EQ(angles.at(position, 0), static_cast<float>(position));
    EXPECT_FLOAT_EQ(angles.at(position, 2), static_cast<float>(position / 100.0));
  }
}

TEST(PositionTables, BiasesOfAlibiFallWithTheDistance) {
  Architecture a;
  a.positions = Positions::alibi;
  a.n_heads = 4;
  const OwnedMatrix table = bias_table(a, {}, Stack::encoder, 4);
  ASSERT_EQ(table.rows, 4);
  ASSERT_EQ(table.cols, 7);
  EXPECT_FLOAT_EQ(table.at(0, 0), -0.75F);
  EXPECT_EQ(table.at(0, 3), 0.0F);
  EXPECT_FLOAT_EQ(table.at(1, 6), -3.0F / 16.0F);
}

TEST(PositionTables, RelativeBiasesAreTheTablesAndClipped) {
  Architecture a;
  a.positions = Positions::relative;
  a.n_heads = 2;
  OwnedMatrix learned(2, 2 * max_relative_distance + 1);
  for (int head = 0; head < 2; ++head) {
    for (int i = 0; i < learned.cols; ++i) learned.at(head, i) = static_cast<float>(100 * head + i);
  }
  const int n = max_relative_distance + 4;
  const OwnedMatrix table = bias_table(a, learned.view(), Stack::encoder, n);
  ASSERT_EQ(table.cols, 2 * n - 1);
  EXPECT_EQ(table.at(1, 0), 100.0F);
  EXPECT_EQ(table.at(1, 3), 100.0F);
  EXPECT_EQ(table.at(1, 4), 101.0F);
  EXPECT_EQ(table.at(0, n - 1), static_cast<float>(max_relative_distance));
  EXPECT_EQ(table.at(0, 2 * n - 2), static_cast<float>(2 * max_relative_distance));
}

TEST(PositionTables, ProductsOfRowsAreDotProducts) {
  OwnedMatrix rows(2, 3);
  rows.values = {1.0F, 2.0F, 3.0F, 4.0F, 5.0F, 6.0F};
  const OwnedMatrix products = row_products(rows.view());
  EXPECT_EQ(products.values, (std::vector<float>{14.0F, 32.0F, 32.0F, 77.0F}));
}

TEST(PositionTables, ProductsOfWavesAndOfTurnsDependOnTheDistanceAlone) {
  for (const OwnedMatrix& products :
       {row_products(wave_table(with_positions(Positions::sinusoidal), 12, 64).view()),
        row_products(wave_table(with_positions(Positions::split), 12, 64).view()),
        rotary_products(12, rotary_frequencies({}, 64))}) {
    EXPECT_NEAR(products.at(3, 3), 32.0F, 1e-4F);
    for (int s = 1; s < 12; ++s) {
      for (int t = 1; t < 12; ++t) EXPECT_NEAR(products.at(s, t), products.at(s - 1, t - 1), 1e-4F);
    }
  }
}

/// If two vectors have length 1 in every pair and are rotated by two positions, their product must be the one
/// in the table.
TEST(PositionTables, ProductsOfTurnsAreThoseOfTurnedVectors) {
  constexpr int n = 7;
  constexpr int d_head = 6;
  OwnedMatrix same(n, d_head);
  for (int row = 0; row < n; ++row) {
    for (int col = 0; col < d_head; col += 2) same.at(row, col) = 1.0F;
  }
  OwnedMatrix turned(n, d_head);
  rotate(same.view(), d_head, rotary_frequencies({}, d_head), 0, turned.values.data());
  const OwnedMatrix expected = row_products(turned.view());
  const OwnedMatrix products = rotary_products(n, rotary_frequencies({}, d_head));
  for (std::size_t i = 0; i < expected.values.size(); ++i) {
    EXPECT_NEAR(products.values[i], expected.values[i], 1e-5F);
  }
}

}  // namespace
}  // namespace headscope
