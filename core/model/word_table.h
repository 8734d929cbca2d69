#pragma once

#include <memory>
#include <utility>

#include "core/model/linear.h"
#include "core/tensor/matrix.h"
#include "core/tensor/view.h"

namespace headscope {

struct Model;  // core/model/model.h

/// The rows of a table as a file stores them, in whatever type and order.
class StoredRows {
 public:
  virtual ~StoredRows() = default;
  /// Returns the rows from `first` on, [n, columns]: in place if they are floats in a mapped file, otherwise
  /// converted into `made`. Any thread may call it.
  virtual MatrixView rows(int first, int n, Matrix& made) const = 0;
};

/// A table with a row for each word of a vocabulary. Copies share their numbers.
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
  /// Returns the rows from `first` on, [n, n_cols], either in place or in `made`. Any thread may call it.
  MatrixView rows(int first, int n, Matrix& made) const;
  /// All rows as a copy.
  Matrix all() const;

 private:
  int n_rows_ = 0;
  int n_cols_ = 0;
  std::shared_ptr<const Matrix> numbers_;     ///< Null if they are stored in a file.
  std::shared_ptr<const StoredRows> stored_;  ///< Null if they are in memory.
};

/// The final linear layer that is tied to the embedding table: its columns are the rows of the table times
/// ForeignParts::output_factor. They are packed when they are first used, and stay packed if the share has
/// room for them.
std::shared_ptr<const Linear> tied_unembedding(const Model& model, std::shared_ptr<PackedShare> share);

}  // namespace headscope
