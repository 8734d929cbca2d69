#include "core/tensor/aligned_buffer.h"

#include <algorithm>
#include <new>
#include <utility>

namespace headscope {
namespace {
constexpr std::align_val_t alignment{64};
}

void AlignedBuffer::Free::operator()(float* pointer) const {
  ::operator delete[](pointer, alignment);
}

AlignedBuffer::AlignedBuffer(std::size_t n_floats)
    : data_(static_cast<float*>(::operator new[](n_floats * sizeof(float), alignment))), size_(n_floats) {}

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
    // Nothing fits: memory that other sizes hold must not add up with what is taken now.
    if (kept_.size() == max_kept) kept_.clear();
  }
  return AlignedBuffer(n_floats);
}

void BufferStore::give_back(AlignedBuffer buffer) {
  const std::lock_guard lock(mutex_);
  if (kept_.size() == max_kept) kept_.erase(kept_.begin());
  kept_.push_back(std::move(buffer));
}

}  // namespace headscope
