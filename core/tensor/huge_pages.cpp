#include "core/tensor/huge_pages.h"

#include <sys/mman.h>

#include <memory>

namespace headscope {

void ask_for_huge_pages(void* memory, std::size_t bytes) {
#if defined(MADV_HUGEPAGE)
  void* first = memory;
  std::size_t room = bytes;
  if (std::align(huge_page, huge_page, first, room) == nullptr) return;
  ::madvise(first, room / huge_page * huge_page, MADV_HUGEPAGE);
#endif
}

}  // namespace headscope
