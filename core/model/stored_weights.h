#pragma once

#include <algorithm>
#include <cstddef>
#include <mutex>

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

}  // namespace headscope
