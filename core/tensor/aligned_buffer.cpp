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

/// Aligns a large buffer to huge pages and asks the system for them: a pass walks through megabytes of
/// weights and maps, and the hardware prefetches only within a page.
float* allocate(std::size_t n_floats) {
  if (n_floats == 0) return nullptr;
  if (n_floats > std::numeric_limits<std::size_t>::max() / sizeof(float) - huge_page) throw std::bad_alloc();
  const std::size_t bytes = n_floats * sizeof(float);
  const std::size_t alignment = bytes < huge_page ? cache_line : huge_page;
  const std::size_t rounded = (bytes + alignment - 1) / alignment * alignment;
  void* memory = std::aligned_alloc(alignment, rounded);
  if (memory == nullptr) throw std::bad_alloc();
  if (alignment == huge_page) ask_for_huge_pages(memory, bytes);
  return static_cast<float*>(memory);
}

}  // namespace

void AlignedBuffer::Free::operator()(float* pointer) const {
  std::free(pointer);
}

AlignedBuffer::AlignedBuffer(std::size_t n_floats) : data_(allocate(n_floats)), size_(n_floats) {}

std::size_t BufferStore::kept_floats() const {
  std::size_t sum = 0;
  for (const AlignedBuffer& buffer : kept_) sum += buffer.size();
  return sum;
}

AlignedBuffer BufferStore::take(std::size_t n_floats) {
  {
    const std::lock_guard lock(mutex_);
    const auto fits = std::ranges::find_if(kept_, [n_floats](const AlignedBuffer& buffer) {
      return buffer.size() >= n_floats && buffer.size() / 2 <= n_floats;
    });
    if (fits != kept_.end()) {
      AlignedBuffer found = std::move(*fits);
      kept_.erase(fits);
      return found;
    }
    // Buffers of other sizes are freed, so that their memory does not add to what is allocated now.
    kept_.clear();
  }
  return AlignedBuffer(n_floats);
}

void BufferStore::give_back(AlignedBuffer buffer) {
  if (buffer.size() > max_kept_floats) return;
  const std::lock_guard lock(mutex_);
  while (kept_.size() == max_kept || kept_floats() + buffer.size() > max_kept_floats)
    kept_.erase(kept_.begin());
  kept_.push_back(std::move(buffer));
}

}  // namespace headscope
