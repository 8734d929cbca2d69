#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace headscope {

/// The number in up to eight bytes, the lowest first.
inline std::uint64_t little_endian(std::string_view bytes) {
  std::uint64_t number = 0;
  for (std::size_t i = bytes.size(); i-- > 0;) number = number << 8U | static_cast<unsigned char>(bytes[i]);
  return number;
}

}  // namespace headscope
