#pragma once

#include <cstddef>

namespace headscope {

/// Hands out parts of one block of memory. Each part is aligned to 64 bytes if the block is. Without a block
/// it only counts, so the same code can first compute the size of the block and then lay it out.
class Carver {
 public:
  explicit Carver(float* block) : block_(block) {}

  float* take(std::size_t n_floats) {
    constexpr std::size_t floats_in_64_bytes = 16;
    float* const part = block_ == nullptr ? nullptr : block_ + used_;
    used_ += (n_floats + floats_in_64_bytes - 1) / floats_in_64_bytes * floats_in_64_bytes;
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
