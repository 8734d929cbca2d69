#pragma once

#include <cstdint>
#include <string_view>

namespace headscope {

/// FNV-1a, 64 bit: of a name or a few words, byte by byte.
inline std::uint64_t hash_of(std::string_view bytes) {
  std::uint64_t h = 0xcbf29ce484222325U;
  for (const char c : bytes) {
    h ^= static_cast<unsigned char>(c);
    h *= 0x100000001b3U;
  }
  return h;
}

/// XXH64 (Collet, xxhash_spec.md) of much data, 32 bytes at once. The same on every machine.
/// `seed`: the hash of what comes before, or 0.
std::uint64_t hash_of_blocks(std::string_view bytes, std::uint64_t seed = 0);

}  // namespace headscope
