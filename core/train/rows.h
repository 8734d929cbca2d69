#pragma once

#include <algorithm>
#include <cstddef>
#include <new>
#include <vector>

namespace headscope {

/// Allocates memory aligned to cache lines.
template <class T>
struct CacheLineAllocator {
  using value_type = T;
  static constexpr std::align_val_t alignment{64};

  CacheLineAllocator() = default;
  template <class Other>
  explicit CacheLineAllocator(const CacheLineAllocator<Other>&) {}

  T* allocate(std::size_t n) { return static_cast<T*>(::operator new(n * sizeof(T), alignment)); }
  void deallocate(T* pointer, std::size_t) { ::operator delete(pointer, alignment); }
  bool operator==(const CacheLineAllocator&) const { return true; }
};

template <class Scalar>
using AlignedVector = std::vector<Scalar, CacheLineAllocator<Scalar>>;

/// Floats in the widest SIMD vector.
inline constexpr int vector_width = 16;

/// Rounds up to a multiple of vector_width.
constexpr int padded(int n) {
  return (n + vector_width - 1) / vector_width * vector_width;
}

/// A contiguous row-major matrix that reuses its memory when resized.
template <class Scalar>
class RowMatrix {
 public:
  /// Contents are undefined afterwards.
  void resize(int rows, int cols) {
    rows_ = rows;
    cols_ = cols;
    const std::size_t n = size();
    if (numbers_.size() < n) numbers_.resize(n);
  }
  void set_zero() { std::fill_n(numbers_.data(), size(), Scalar{0}); }

  int rows() const { return rows_; }
  int cols() const { return cols_; }
  std::size_t size() const { return static_cast<std::size_t>(rows_) * static_cast<std::size_t>(cols_); }
  Scalar* data() { return numbers_.data(); }
  const Scalar* data() const { return numbers_.data(); }
  Scalar* row(int index) { return numbers_.data() + static_cast<std::ptrdiff_t>(index) * cols_; }
  const Scalar* row(int index) const { return numbers_.data() + static_cast<std::ptrdiff_t>(index) * cols_; }

 private:
  AlignedVector<Scalar> numbers_;
  int rows_ = 0;
  int cols_ = 0;
};

}  // namespace headscope
