#pragma once

#include <cstdint>
#include <string_view>

namespace headscope {

/// FNV-1a, 64 bit: of the bytes after those that gave `before`.
inline std::uint64_t hash_of(std::string_view bytes, std::uint64_t before = 0xcbf29ce484222325U) {
  std::uint64_t h = before;
  for (const char c : bytes) {
    h ^= static_cast<unsigned char>(c);
    h *= 0x100000001b3U;
  }
  return h;
}

}  // namespace headscope
