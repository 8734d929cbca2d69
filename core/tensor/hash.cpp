#include "core/tensor/hash.h"

// XXH_INLINE_ALL makes xxhash header-only, so neither core/ nor programs that use it link a library for it.
#define XXH_INLINE_ALL
#include <xxhash.h>

namespace headscope {

std::uint64_t xxh64_hash(std::string_view bytes, std::uint64_t seed) {
  return XXH64(bytes.data(), bytes.size(), seed);
}

}  // namespace headscope
