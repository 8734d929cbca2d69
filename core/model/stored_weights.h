#pragma once

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
  /// Packs all weights [n_in, n_out]. Several threads may call it at once, but none that is itself a task of
  /// the pool.
  virtual void pack(PackedMatrix& to, TaskPool& pool) const = 0;
  /// The columns from `first` on, [n_in, n]. Only they are read. Several threads may call it at once.
  virtual Matrix columns(int first, int n) const = 0;
};

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
  /// Returns false, and takes nothing, if there is less room than that.
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
