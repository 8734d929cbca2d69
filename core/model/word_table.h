#pragma once

#include <memory>
#include <utility>

#include "core/model/linear.h"
#include "core/tensor/matrix.h"
#include "core/tensor/view.h"

namespace headscope {

struct Model;  // core/model/model.h

/// The rows of a table as stored in a file, in any type and layout.
class StoredRows {
 public:
  virtual ~StoredRows() = default;
  /// Rows [first, first + n): in place if they are floats in a mapped file, otherwise converted into `made`.
  /// Thread-safe.
  virtual MatrixView rows(int first, int n, Matrix& made) const = 0;
  /// As in StoredWeights (core/model/linear.h), for the transposed table.
  virtual bool streams() const { return false; }
  virtual void read_rows(int /*first*/, int /*n*/, int /*k*/, int /*n_k*/, float* /*to*/) const {}
};

/// A table with a row for each word of a vocabulary, in memory or in a file. Copies share their numbers.
class WordTable {
 public:
  WordTable() = default;
  explicit WordTable(Matrix numbers)
      : n_rows_(static_cast<int>(numbers.rows())),
        n_cols_(static_cast<int>(numbers.cols())),
        numbers_(std::make_shared<const Matrix>(std::move(numbers))) {}
  WordTable(int n_rows, int n_cols, std::shared_ptr<const StoredRows> stored)
      : n_rows_(n_rows), n_cols_(n_cols), stored_(std::move(stored)) {}

  bool exists() const { return n_rows_ > 0; }
  int n_rows() const { return n_rows_; }
  int n_cols() const { return n_cols_; }
  /// Rows [first, first + n), in place or in `made`. Thread-safe.
  MatrixView rows(int first, int n, Matrix& made) const;
  /// A copy of all rows.
  Matrix all() const;
  /// The rows as stored in a file. Null if they are in memory.
  const StoredRows* stored() const { return stored_.get(); }

 private:
  int n_rows_ = 0;
  int n_cols_ = 0;
  std::shared_ptr<const Matrix> numbers_;     ///< Null if stored in a file
  std::shared_ptr<const StoredRows> stored_;  ///< Null if in memory
};

/// The tied unembedding: its columns are the rows of the embedding table times ForeignParts::output_factor.
/// Packed on first use, and kept packed if the budget allows.
std::shared_ptr<const Linear> tied_unembedding(const Model& model, std::shared_ptr<PackedMemoryBudget> share);

}  // namespace headscope
