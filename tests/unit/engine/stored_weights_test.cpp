// Engines in different threads compute with the same model, whose weights are packed when a pass uses them.
#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "core/model/linear.h"

namespace headscope {
namespace {

class WeightsInMemory : public StoredWeights {
 public:
  explicit WeightsInMemory(Matrix weight) : weight_(std::move(weight)) {}

  void pack(PackedMatrix& to, ThreadPool& pool) const override {
    const MatrixView all = view_of(weight_);
    to.pack_in_parallel(all.rows, all.cols, pool, [&](int first, int n) {
      const Matrix columns = weight_.middleCols(first, n);
      to.pack_columns(view_of(columns), first);
    });
  }
  Matrix columns(int first, int n) const override { return weight_.middleCols(first, n); }

 private:
  Matrix weight_;
};

TEST(StoredWeights, ArePackedByThreadsAtOnce) {
  const Matrix weight = Matrix::Random(24, 1100);
  const RowVector bias = RowVector::Random(1100);
  const Matrix in = Matrix::Random(5, 24);
  const auto product = [&](const Linear& linear) {
    ThreadPool pool(2);
    Matrix out(in.rows(), weight.cols());
    multiply(view_of(in), linear, out.data(), pool);
    return out;
  };
  const Matrix expected = product(Linear(weight, bias));
  const double bytes = static_cast<double>(weight.size()) * sizeof(float);
  for (const double room : {0.0, 1.5 * bytes, 4.0 * bytes}) {
    const auto share = std::make_shared<PackedMemoryBudget>(room);
    const auto stored = std::make_shared<WeightsInMemory>(weight);
    const std::vector<Linear> layers(2, Linear(24, stored, share, bias));
    const Linear other(24, stored, share, bias);
    std::vector<std::thread> threads;
    std::vector<char> same(4, 0);
    for (std::size_t i = 0; i < same.size(); ++i) {
      threads.emplace_back([&, i] {
        same[i] = static_cast<char>(product(layers[i % 2]) == expected && product(other) == expected &&
                                    layers[i % 2].weight() == weight);
      });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(same, std::vector<char>(4, 1)) << room;
    EXPECT_LE(share->reserved(), room);
  }
}

}  // namespace
}  // namespace headscope
