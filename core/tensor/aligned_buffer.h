#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <vector>

namespace headscope {

/// An array of uninitialised floats, aligned to 64 bytes.
class AlignedBuffer {
 public:
  AlignedBuffer() = default;
  /// Throws std::bad_alloc if the memory cannot be allocated.
  explicit AlignedBuffer(std::size_t n_floats);

  float* data() const { return data_.get(); }
  std::size_t size() const { return size_; }

 private:
  struct Free {
    void operator()(float* pointer) const;
  };
  std::unique_ptr<float[], Free> data_;
  std::size_t size_ = 0;
};

/// A pool of reusable buffers for passes; unlike a fresh allocation, their pages are already mapped.
/// Thread-safe.
class BufferPool {
 public:
  /// Returns a new buffer, or a pooled one of at most about twice `n_floats`.
  AlignedBuffer take(std::size_t n_floats);
  void release(AlignedBuffer buffer);

 private:
  static constexpr std::size_t max_free = 2;
  static constexpr std::size_t max_free_floats = std::size_t{1} << 28U;  ///< 1 GiB.

  std::size_t free_floats() const;

  std::mutex mutex_;
  std::vector<AlignedBuffer> free_;
};

/// A bump allocator over one block of memory. Allocations are aligned to 64 bytes if the block is. Without a
/// block it only counts, so the same code can first compute the size of the block and then lay it out.
class Arena {
 public:
  explicit Arena(float* block) : block_(block) {}

  /// Rounds up to a multiple of 64 bytes.
  static std::size_t rounded(std::size_t n_floats) {
    constexpr std::size_t floats_in_64_bytes = 16;
    return (n_floats + floats_in_64_bytes - 1) / floats_in_64_bytes * floats_in_64_bytes;
  }
  float* take(std::size_t n_floats) {
    float* const part = block_ == nullptr ? nullptr : block_ + used_;
    used_ += rounded(n_floats);
    return part;
  }
  float* take(int rows, int cols) {
    return take(static_cast<std::size_t>(rows) * static_cast<std::size_t>(cols));
  }
  std::size_t used() const { return used_; }

 private:
  float* block_;
  std::size_t used_ = 0;
};

}  // namespace headscope
