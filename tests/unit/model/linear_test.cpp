#include "core/model/linear.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace headscope {
namespace {

/// Weights in memory that count how often they are packed.
class CountedWeights : public StoredWeights {
 public:
  explicit CountedWeights(Matrix weight) : weight_(std::move(weight)) {}

  void pack(PackedMatrix& to, ThreadPool&) const override {
    ++packed;
    to.pack(view_of(weight_));
  }
  Matrix columns(int first, int n) const override { return weight_.middleCols(first, n); }

  mutable int packed = 0;

 private:
  Matrix weight_;
};

TEST(Linear, KeepsPackedWeightsAsLongAsThereIsRoom) {
  std::mt19937 random(7);
  for (int i = 0; i < 50; ++i) {
    const auto size = [&] { return std::uniform_int_distribution(1, 70)(random); };
    const int n_in = size();
    const int n_out = size();
    const Matrix weight = Matrix::Random(n_in, n_out);
    const RowVector bias = RowVector::Random(n_out);
    const Matrix in = Matrix::Random(size(), n_in);
    const auto product = [&](const Linear& linear) {
      ThreadPool pool(2);
      Matrix out(in.rows(), n_out);
      multiply(view_of(in), linear, out.data(), pool);
      return out;
    };
    const double bytes = static_cast<double>(weight.size()) * sizeof(float);
    const auto share = std::make_shared<PackedMemoryBudget>(1.5 * bytes);
    const auto first = std::make_shared<CountedWeights>(weight);
    const auto second = std::make_shared<CountedWeights>(weight);
    const Linear kept(n_in, first, share, bias);
    const Linear dropped(n_in, second, share, bias);
    EXPECT_EQ(share->reserved(), 0.0) << "before they are used";
    const Matrix expected = product(Linear(weight, bias));
    for (int use = 1; use <= 3; ++use) {
      EXPECT_TRUE(product(kept) == expected);
      EXPECT_TRUE(product(dropped) == expected);
      EXPECT_EQ(first->packed, 1);
      EXPECT_EQ(second->packed, use);
      EXPECT_EQ(share->reserved(), bytes);
    }
    EXPECT_TRUE(dropped.weight() == weight);
    for (int col = 0; col < n_out; ++col) {
      const int n = std::min(3, n_out - col);
      EXPECT_TRUE(kept.columns(col, n) == weight.middleCols(col, n));
      EXPECT_TRUE(dropped.columns(col, n) == weight.middleCols(col, n));
    }
    EXPECT_EQ(dropped.n_out(), n_out);
  }
}

TEST(Linear, MayReserveItsRoomAndGivesItBack) {
  const Matrix weight = Matrix::Random(6, 40);
  const double bytes = static_cast<double>(weight.size()) * sizeof(float);
  const auto share = std::make_shared<PackedMemoryBudget>(bytes);
  {
    const auto used_first = std::make_shared<CountedWeights>(weight);
    const auto used_last = std::make_shared<CountedWeights>(weight);
    const Linear first(6, used_first, share, RowVector::Zero(40));
    const Linear last(6, used_last, share, RowVector::Zero(40));
    last.reserve_packed_memory();
    last.reserve_packed_memory();
    EXPECT_EQ(share->reserved(), bytes);
    ThreadPool pool(1);
    for (int use = 1; use <= 3; ++use) {
      first.packed(pool);
      last.packed(pool);
      EXPECT_EQ(used_first->packed, use) << "there is no room for it";
      EXPECT_EQ(used_last->packed, 1);
    }
  }
  EXPECT_EQ(share->reserved(), 0.0);
}

TEST(Linear, IsNotPackedToBeLookedAt) {
  const Matrix weight = Matrix::Random(6, 40);
  const auto share = std::make_shared<PackedMemoryBudget>(1e6);
  const auto stored = std::make_shared<CountedWeights>(weight);
  const Linear linear(6, stored, share, RowVector::Zero(40));
  EXPECT_TRUE(linear.weight() == weight);
  EXPECT_TRUE(linear.columns(3, 5) == weight.middleCols(3, 5));
  EXPECT_EQ(stored->packed, 0);
  EXPECT_EQ(share->reserved(), 0.0);
}

TEST(Linear, HasNoWeightsBeforeThereAreAny) {
  EXPECT_FALSE(Linear().exists());
  EXPECT_EQ(Linear().weight().size(), 0);
}

}  // namespace
}  // namespace headscope
