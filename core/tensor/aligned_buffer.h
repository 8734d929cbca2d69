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

/// A pool of buffers for passes to reuse. The system has already mapped their memory, whereas it would have
/// to map a fresh allocation page by page. Thread-safe.
class BufferStore {
 public:
  /// Returns a used or new buffer of at least `n_floats` and, if it is a used one, at most about twice that.
  AlignedBuffer take(std::size_t n_floats);
  void give_back(AlignedBuffer buffer);

 private:
  static constexpr std::size_t max_kept = 2;
  static constexpr std::size_t max_kept_floats = std::size_t{1} << 28U;  ///< 1 GiB.

  std::size_t kept_floats() const;

  std::mutex mutex_;
  std::vector<AlignedBuffer> kept_;
};

/// Hands out parts of one block of memory. Each part is aligned to 64 bytes if the block is. Without a block
/// it only counts, so the same code can first compute the size of the block and then lay it out.
class Carver {
 public:
  explicit Carver(float* block) : block_(block) {}

  /// The floats that a part of this size takes.
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
