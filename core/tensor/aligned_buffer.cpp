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
    kept_.clear();  // of other sizes: their memory must not add up with what is taken now
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
