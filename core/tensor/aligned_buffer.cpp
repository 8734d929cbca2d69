#include "core/tensor/aligned_buffer.h"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <new>
#include <utility>

#include "core/system/machine_memory.h"

namespace headscope {
namespace {

constexpr std::size_t cache_line = 64;

/// Aligns large buffers to huge pages and requests them: a pass streams megabytes of weights and maps, and
/// hardware prefetching stops at page boundaries.
float* allocate(std::size_t n_floats) {
  if (n_floats == 0) return nullptr;
  if (n_floats > std::numeric_limits<std::size_t>::max() / sizeof(float) - huge_page_bytes)
    throw std::bad_alloc();
  const std::size_t bytes = n_floats * sizeof(float);
  const std::size_t alignment = bytes < huge_page_bytes ? cache_line : huge_page_bytes;
  const std::size_t rounded = (bytes + alignment - 1) / alignment * alignment;
  void* memory = std::aligned_alloc(alignment, rounded);
  if (memory == nullptr) throw std::bad_alloc();
  if (alignment == huge_page_bytes) advise_huge_pages(memory, bytes);
  return static_cast<float*>(memory);
}

}  // namespace

void AlignedBuffer::Free::operator()(float* pointer) const {
  std::free(pointer);
}

AlignedBuffer::AlignedBuffer(std::size_t n_floats) : data_(allocate(n_floats)), size_(n_floats) {}

std::size_t BufferPool::free_floats() const {
  std::size_t sum = 0;
  for (const AlignedBuffer& buffer : free_) sum += buffer.size();
  return sum;
}

AlignedBuffer BufferPool::take(std::size_t n_floats) {
  {
    const std::lock_guard lock(mutex_);
    const auto fits = std::ranges::find_if(free_, [n_floats](const AlignedBuffer& buffer) {
      return buffer.size() >= n_floats && buffer.size() / 2 <= n_floats;
    });
    if (fits != free_.end()) {
      AlignedBuffer found = std::move(*fits);
      free_.erase(fits);
      return found;
    }
    // Free buffers of other sizes, so that memory does not accumulate.
    free_.clear();
  }
  return AlignedBuffer(n_floats);
}

void BufferPool::release(AlignedBuffer buffer) {
  if (buffer.size() > max_free_floats) return;
  const std::lock_guard lock(mutex_);
  while (free_.size() == max_free || free_floats() + buffer.size() > max_free_floats)
    free_.erase(free_.begin());
  free_.push_back(std::move(buffer));
}

}  // namespace headscope
