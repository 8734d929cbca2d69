#pragma once

#include <cstdint>
#include <string_view>

namespace headscope {

/// Computes the 64-bit FNV-1a hash of a name or a few words, byte by byte.
inline std::uint64_t hash_of(std::string_view bytes) {
  std::uint64_t h = 0xcbf29ce484222325U;
  for (const char c : bytes) {
    h ^= static_cast<unsigned char>(c);
    h *= 0x100000001b3U;
  }
  return h;
}

/// Computes the XXH64 hash (Collet, xxhash_spec.md) of a large block of data, 32 bytes at a time. The result
/// is the same on every machine. To hash data in several parts, pass the hash of the preceding parts as
/// `seed`.
std::uint64_t hash_of_blocks(std::string_view bytes, std::uint64_t seed = 0);

}  // namespace headscope
