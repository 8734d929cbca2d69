#include "core/model/experts.h"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <vector>

namespace headscope {
namespace {

/// Weights that say whether they were read.
class Watched : public StoredWeights {
 public:
  explicit Watched(Matrix weights) : weights_(std::move(weights)) {}

  void pack(PackedMatrix& to, ThreadPool& /*pool*/) const override {
    was_read = true;
    to.pack(view_of(weights_));
  }
  Matrix columns(int first, int n) const override { return weights_.middleCols(first, n); }

  mutable bool was_read = false;

 private:
  Matrix weights_;
};

constexpr int d_model = 3;
const Experts three_of_different_widths{
    .count = 3, .top_k = 1, .width = 2, .renormalizes = false, .shared_width = 4};

struct Layers {
  std::vector<std::shared_ptr<Watched>> watched;
  Linear joined;
};

/// Layers into the experts, or out of them.
Layers layers(const Experts& experts, bool in_rows) {
  Layers made;
  std::vector<Linear> parts;
  const auto share = std::make_shared<PackedMemoryBudget>(1e6);
  for (int expert = 0; expert < experts.all(); ++expert) {
    const int width = experts.width_of(expert);
    const int n_in = in_rows ? width : d_model, n_out = in_rows ? d_model : width;
    Matrix weights(n_in, n_out);
    for (int i = 0; i < weights.size(); ++i)
      weights.data()[i] = static_cast<float>((7 * i + 5 * expert) % 11) - 5.0F;
    made.watched.push_back(std::make_shared<Watched>(std::move(weights)));
    parts.emplace_back(n_in, made.watched.back(), share, RowVector::Zero(n_out));
  }
  made.joined = joined(std::move(parts), in_rows, share);
  return made;
}

TEST(Experts, ThatNoTokenTakesAreNotRead) {
  const Experts& experts = three_of_different_widths;
  const Matrix shares{{0.0F, 0.5F, 0.0F, 0.25F}, {0.0F, 0.75F, 0.0F, 1.0F}};
  const Matrix x{{1.0F, -2.0F, 3.0F}, {0.5F, 4.0F, -1.0F}};
  ThreadPool pool(1);
  const Layers in = layers(experts, false), out = layers(experts, true);
  Matrix hidden(2, experts.hidden()), weighted(2, experts.hidden()), y(2, d_model);
  multiply_into_experts(experts, view_of(shares), view_of(x), in.joined, hidden.data(), pool);
  weigh_experts(experts, view_of(shares), view_of(hidden), weighted.data());
  multiply_from_experts(experts, view_of(shares), view_of(weighted), out.joined, {}, y.data(), pool);
  for (const Layers* each : {&in, &out}) {
    for (int expert = 0; expert < experts.all(); ++expert)
      EXPECT_EQ(each->watched[static_cast<std::size_t>(expert)]->was_read, shares(0, expert) != 0.0F)
          << expert;
  }
  Matrix dense = x * in.joined.weight();
  for (int token = 0; token < dense.rows(); ++token) {
    for (int i = 0; i < dense.cols(); ++i) {
      const float share = shares(token, experts.expert_of(i));
      EXPECT_EQ(hidden(token, i), share == 0.0F ? 0.0F : dense(token, i));
      dense(token, i) *= share;
    }
  }
  EXPECT_TRUE(y.isApprox(dense * out.joined.weight(), 1e-6F));
}

TEST(Experts, AreTakenByTheirLogits) {
  Experts experts{.count = 4, .top_k = 2, .width = 1};
  const Matrix logits{{1.0F, 3.0F, 3.0F, 2.0F}, {-1.0F, -1.0F, -1.0F, -1.0F}};
  Matrix shares(2, 4);
  route(experts, view_of(logits), nullptr, {}, {}, shares.data());
  const double sum = std::exp(-2.0) + 2.0 + std::exp(-1.0);
  EXPECT_NEAR(shares(0, 1), 1.0 / sum, 1e-6);
  EXPECT_NEAR(shares(0, 2), 1.0 / sum, 1e-6);
  EXPECT_EQ(shares(0, 0), 0.0F);
  EXPECT_EQ(shares(0, 3), 0.0F);
  EXPECT_EQ(shares(1, 1), 0.25F) << "of equal logits, the first are taken";
  EXPECT_EQ(shares(1, 2), 0.0F);
  experts.renormalizes = true;
  route(experts, view_of(logits), nullptr, {}, {}, shares.data());
  EXPECT_EQ(shares(0, 1), 0.5F);
  experts.shared_width = 1;
  Matrix with_shared(2, 5);
  const float shared[]{0.125F, 0.5F};
  route(experts, view_of(logits), shared, {}, {}, with_shared.data());
  EXPECT_EQ(with_shared(1, 4), 0.5F);
}

}  // namespace
}  // namespace headscope
