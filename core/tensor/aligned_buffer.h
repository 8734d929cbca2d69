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

}  // namespace headscope
