#include "core/tensor/hash.h"

// Inlined: no library has to be linked, or named by programs that use core/.
#define XXH_INLINE_ALL
#include <xxhash.h>

namespace headscope {

std::uint64_t hash_of_blocks(std::string_view bytes, std::uint64_t seed) {
  return XXH64(bytes.data(), bytes.size(), seed);
}

}  // namespace headscope
