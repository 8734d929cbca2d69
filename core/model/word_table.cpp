#include "core/model/word_table.h"

#include "core/model/model.h"

namespace headscope {
namespace {

/// The transposed table, times a factor.
class TiedWeights : public StoredWeights {
 public:
  TiedWeights(WordTable table, float factor) : table_(std::move(table)), factor_(factor) {}

  void pack(PackedMatrix& to, ThreadPool& pool) const override {
    to.pack_in_parallel(table_.n_cols(), table_.n_rows(), pool, [&](int first, int n) {
      Matrix made;
      const MatrixView rows = table_.rows(first, n, made);
      if (factor_ == 1.0F) return to.pack_transposed_columns(rows, first);
      const Matrix scaled = factor_ * eigen(rows);
      to.pack_transposed_columns(view_of(scaled), first);
    });
  }
  Matrix columns(int first, int n) const override {
    Matrix made;
    return factor_ * columns_of_rows(table_.n_cols(), first, n,
                                     [&](int row, int some) { return table_.rows(row, some, made); });
  }
  bool streams() const override { return table_.stored() != nullptr && table_.stored()->streams(); }
  void read_rows(int first, int n, int k, int n_k, float* to) const override {
    table_.stored()->read_rows(first, n, k, n_k, to);
    if (factor_ == 1.0F) return;
    std::transform(to, to + std::ptrdiff_t{n} * n_k, to, [&](float number) { return factor_ * number; });
  }

 private:
  WordTable table_;
  float factor_;
};

}  // namespace

MatrixView WordTable::rows(int first, int n, Matrix& made) const {
  if (numbers_) return view_of(*numbers_).block(first, 0, n, n_cols_);
  return stored_->rows(first, n, made);
}

Matrix WordTable::all() const {
  Matrix made;
  return exists() ? Matrix(eigen(rows(0, n_rows_, made))) : Matrix(0, n_cols_);
}

std::shared_ptr<const Linear> tied_unembedding(const Model& model,
                                               std::shared_ptr<PackedMemoryBudget> share) {
  const WordTable& table = model.embedding_table;
  RowVector bias = model.unembedding_bias;
  if (bias.size() == 0) bias = RowVector::Zero(table.n_rows());
  const auto factor = static_cast<float>(model.architecture.foreign.output_factor);
  return std::make_shared<const Linear>(table.n_cols(), std::make_shared<const TiedWeights>(table, factor),
                                        std::move(share), std::move(bias));
}

}  // namespace headscope
