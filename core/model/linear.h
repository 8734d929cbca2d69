#pragma once

#include <algorithm>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "core/tensor/matrix.h"
#include "core/tensor/packed_product.h"
#include "core/tensor/parallel.h"
#include "core/tensor/view.h"

namespace headscope {

/// The weights of a linear layer as stored in a file, in any type and layout.
class StoredWeights {
 public:
  virtual ~StoredWeights() = default;
  /// Packs all weights [n_in, n_out]. Thread-safe, but must not be called from a task of `pool`.
  virtual void pack(PackedMatrix& to, ThreadPool& pool) const = 0;
  /// Columns [first, first + n), as [n_in, n], reading little else. Thread-safe.
  virtual Matrix columns(int first, int n) const = 0;
  /// How a packed copy keeps the weights: in 16 bits or as levels if the file stores them in this way.
  virtual PackedAs packed_as() const { return PackedAs::floats; }
  /// Whether products can read the weights anew where there is no memory for a packed copy: each column is
  /// stored in one piece.
  virtual bool streams() const { return false; }
  /// Writes columns [first, first + n) at depth [k, k + n_k), as [n, n_k]. Only if streams(). Thread-safe.
  virtual void read_rows(int /*first*/, int /*n*/, int /*k*/, int /*n_k*/, float* /*to*/) const {}
};

/// Weights [n_in, n_out] times a factor.
std::shared_ptr<const StoredWeights> scaled_weights(std::shared_ptr<const StoredWeights> weights,
                                                    float factor, int n_in, int n_out);

/// Reads columns [n_in, n] that are stored as rows. `rows(first, n)` returns [n, n_in].
template <class Rows>
Matrix columns_of_rows(int n_in, int first, int n, const Rows& rows) {
  constexpr int at_once = 512;  // fits into the cache
  Matrix columns(n_in, n);
  for (int col = 0; col < n; col += at_once) {
    const int some = std::min(at_once, n - col);
    columns.middleCols(col, some) = eigen(rows(first + col, some)).transpose();
  }
  return columns;
}

/// A memory budget for packed copies of stored weights, shared by one or more models. The first copies stay;
/// once the budget is exhausted, a copy lives only for one product. (Passes cycle through all layers, so an
/// LRU cache would evict each copy before its next use.) Thread-safe.
class PackedMemoryBudget {
 public:
  explicit PackedMemoryBudget(double bytes) : bytes_(bytes) {}

  double bytes() const { return bytes_; }
  double reserved() const {
    const std::lock_guard lock(mutex_);
    return reserved_;
  }
  /// Reserves memory, or returns false if the budget is exceeded.
  bool try_reserve(double bytes) {
    const std::lock_guard lock(mutex_);
    if (reserved_ + bytes > bytes_) return false;
    reserved_ += bytes;
    return true;
  }
  void release(double bytes) {
    const std::lock_guard lock(mutex_);
    reserved_ -= bytes;
  }

 private:
  double bytes_;
  mutable std::mutex mutex_;
  double reserved_ = 0.0;
};

/// A linear layer y = x W + b with W [in, out]. Copies share their weights.
class Linear {
 public:
  RowVector bias;  ///< [out] Zeros if the layer has no bias.

  Linear() = default;
  Linear(const MatrixIn& weight, RowVector b);
  /// From packed weights.
  Linear(PackedMatrix weight, RowVector b);
  /// From stored weights [n_in, size of b], which are packed on first use and stay packed if the budget
  /// allows.
  Linear(int n_in, std::shared_ptr<const StoredWeights> stored, std::shared_ptr<PackedMemoryBudget> share,
         RowVector b);

  /// The layers that this one concatenates, by columns or rows, so that a pass can multiply by some of them
  /// alone. Usually empty.
  std::vector<Linear> parts;

  bool exists() const { return n_in_ > 0; }
  int n_in() const { return n_in_; }
  int n_out() const { return n_out_; }
  /// W, packed or, if the budget has no room for it, streamed from its file. The layer must exist. No other
  /// copy is made while the result is alive. Thread-safe, but must not be called from a task of `pool`.
  std::shared_ptr<const PackedMatrix> packed(ThreadPool& pool) const;
  /// What a packed copy of W saves because it keeps weights of 16 bits, or levels, as they are. Counts the
  /// parts of a joined layer.
  double saved_bytes() const;
  /// A copy of columns [first, first + n) of W, [in, n]. Does not pack the weights. Thread-safe.
  Matrix columns(int first, int n) const;
  /// A copy of W [in, out]. Empty if the layer does not exist.
  Matrix weight() const { return exists() ? columns(0, n_out_) : Matrix(); }
  /// Reserves memory for the packed weights in advance, for a layer that passes use last, when the others
  /// have filled the budget.
  void reserve_packed_memory() const;

 private:
  struct Weights;

  int n_in_ = 0;
  int n_out_ = 0;
  std::shared_ptr<Weights> weights_;  ///< Null if the layer does not exist.
};

/// Concatenates layers of equal size by columns, or by rows if `in_rows`, into a layer without a bias.
/// Multiplying by its parts does not pack it.
Linear joined(std::vector<Linear> parts, bool in_rows, std::shared_ptr<PackedMemoryBudget> share);

/// out [T, n_out] = in [T, n_in] · W + b, in cache-sized blocks of rows; parallel over rows if there are
/// many, otherwise over columns.
void multiply(const MatrixView& in, const Linear& linear, float* out, ThreadPool& pool);

struct Model;  // core/model/model.h

/// The rows of a table as stored in a file, in any type and layout.
class StoredRows {
 public:
  virtual ~StoredRows() = default;
  /// Rows [first, first + n): in place if they are floats in a mapped file, otherwise converted into `made`.
  /// Thread-safe.
  virtual MatrixView rows(int first, int n, Matrix& made) const = 0;
  /// Packs the rows [first, first + n) as columns. Thread-safe.
  virtual void pack_rows(int first, int n, PackedMatrix& to) const = 0;
  // As in StoredWeights, for the transposed table.
  virtual PackedAs packed_as() const { return PackedAs::floats; }
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
