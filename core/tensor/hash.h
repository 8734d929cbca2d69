#pragma once

#include <cstdint>
#include <string_view>

namespace headscope {

/// The 64-bit FNV-1a hash, byte by byte; for short strings.
inline std::uint64_t fnv1a_hash(std::string_view bytes) {
  std::uint64_t h = 0xcbf29ce484222325U;
  for (const char c : bytes) {
    h ^= static_cast<unsigned char>(c);
    h *= 0x100000001b3U;
  }
  return h;
}

/// The XXH64 hash (Collet, xxhash_spec.md), for large blocks of data; the same on every machine. To hash data
/// in several parts, pass the hash of the preceding parts as `seed`.
std::uint64_t xxh64_hash(std::string_view bytes, std::uint64_t seed = 0);

}  // namespace headscope
