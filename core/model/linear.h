#pragma once

#include <algorithm>
#include <memory>
#include <mutex>
#include <vector>

#include "core/tensor/matrix.h"
#include "core/tensor/packed_product.h"
#include "core/tensor/parallel.h"

namespace headscope {

/// The weights of a linear layer as a file stores them, in whatever type and order.
class StoredWeights {
 public:
  virtual ~StoredWeights() = default;
  /// Packs all weights [n_in, n_out]. Several threads may call it at once, but a task of the pool must not.
  virtual void pack(PackedMatrix& to, TaskPool& pool) const = 0;
  /// The columns from `first` on, [n_in, n]. Reads little more than these columns. Several threads may call
  /// it at once.
  virtual Matrix columns(int first, int n) const = 0;
};

/// Columns [n_in, n] whose numbers are stored as rows. `rows(first, n)` returns some of them, [n, n_in].
template <class Rows>
Matrix columns_of_rows(int n_in, int first, int n, const Rows& rows) {
  constexpr int at_once = 512;  // so that what is transposed stays in the cache
  Matrix columns(n_in, n);
  for (int col = 0; col < n; col += at_once) {
    const int some = std::min(at_once, n - col);
    columns.middleCols(col, some) = eigen(rows(first + col, some)).transpose();
  }
  return columns;
}

/// The memory that may be filled with packed copies of stored weights, by one model or by several. The copies
/// that were made first stay; once there is no room left, a copy is dropped after each product. Passes use
/// all layers in turn, so dropping the least recently used copies instead would drop each of them before its
/// next use. Thread-safe.
class PackedShare {
 public:
  explicit PackedShare(double bytes) : bytes_(bytes) {}

  double bytes() const { return bytes_; }
  double taken() const {
    const std::lock_guard lock(mutex_);
    return taken_;
  }
  /// Takes this many bytes, or returns false if less room is left.
  bool take(double bytes) {
    const std::lock_guard lock(mutex_);
    if (taken_ + bytes > bytes_) return false;
    taken_ += bytes;
    return true;
  }
  void give_back(double bytes) {
    const std::lock_guard lock(mutex_);
    taken_ -= bytes;
  }

 private:
  double bytes_;
  mutable std::mutex mutex_;
  double taken_ = 0.0;
};

/// A linear layer y = x W + b with W [in, out]. Copies share their weights.
class Linear {
 public:
  RowVector bias;  ///< [out] Zeros if the layer has no bias.

  Linear() = default;
  Linear(const MatrixIn& weight, RowVector b);
  /// Takes weights that are already packed.
  Linear(PackedMatrix weight, RowVector b);
  /// Takes weights [n_in, size of b] that are packed when they are first used, and that stay packed if the
  /// share has room for them.
  Linear(int n_in, std::shared_ptr<const StoredWeights> stored, std::shared_ptr<PackedShare> share,
         RowVector b);

  /// Layers that stand side by side in this one, in its columns or in its rows, so that a pass can multiply
  /// by some of them alone. Usually none.
  std::vector<Linear> parts;

  bool exists() const { return n_in_ > 0; }
  int n_in() const { return n_in_; }
  int n_out() const { return n_out_; }
  /// W in the order in which a pass multiplies by it. The layer must exist. As long as the result is held, no
  /// other copy is made. Any thread may call it except a task of the pool.
  std::shared_ptr<const PackedMatrix> packed(TaskPool& pool) const;
  /// The columns of W from `first` on, [in, n], as a copy. If the weights are not packed, this does not pack
  /// them. Any thread may call it.
  Matrix columns(int first, int n) const;
  /// All of W [in, out], as a copy. Empty if there is no such layer.
  Matrix weight() const { return exists() ? columns(0, n_out_) : Matrix(); }
  /// Takes the room that its packed weights need before it is used, if there is enough: for a layer that
  /// passes use last, when the others have filled the share.
  void reserve_room() const;

 private:
  struct Weights;

  int n_in_ = 0;
  int n_out_ = 0;
  std::shared_ptr<Weights> weights_;  ///< Null if there is no such layer.
};

/// A layer without a bias whose columns, or with `in_rows` whose rows, are those of the parts, one after
/// another. All parts have as many rows, or columns. A pass need not pack the layer to multiply by its parts.
Linear joined(std::vector<Linear> parts, bool in_rows, std::shared_ptr<PackedShare> share);

/// Computes out [T, n_out] = in [T, n_in] · W + b in blocks of rows that stay in the cache. The pool divides
/// the work by rows if there are many, and otherwise by columns.
void multiply(const MatrixView& in, const Linear& linear, float* out, TaskPool& pool);

}  // namespace headscope
