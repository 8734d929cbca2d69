#include "core/io/base64.h"

#include <array>
#include <cstddef>

namespace headscope {
namespace {

constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

constexpr std::array<signed char, 256> values = [] {
  std::array<signed char, 256> all{};
  all.fill(-1);
  for (std::size_t i = 0; i < digits.size(); ++i)
    all[static_cast<unsigned char>(digits[i])] = static_cast<signed char>(i);
  return all;
}();

}  // namespace

std::string to_base64(std::string_view bytes) {
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    unsigned gathered = 0;
    for (std::size_t k = i; k < i + 3; ++k)
      gathered = gathered << 8U | (k < bytes.size() ? static_cast<unsigned char>(bytes[k]) : 0U);
    for (std::size_t k = 0; k < 4; ++k)
      text += i + k > bytes.size() ? '=' : digits[gathered >> (18 - 6 * k) & 63U];
  }
  return text;
}

std::optional<std::string> from_base64(std::string_view text) {
  if (text.size() % 4 != 0) return std::nullopt;
  const std::size_t n_padding = text.ends_with("==") ? 2 : text.ends_with("=") ? 1 : 0;
  text.remove_suffix(n_padding);
  std::string bytes;
  bytes.reserve(text.size() / 4 * 3 + 3);
  unsigned gathered = 0;
  unsigned n_bits = 0;
  for (const char c : text) {
    const int value = values[static_cast<unsigned char>(c)];
    if (value < 0) return std::nullopt;
    gathered = (gathered << 6U | static_cast<unsigned>(value)) & 0xFFFFU;
    n_bits += 6;
    if (n_bits < 8) continue;
    n_bits -= 8;
    bytes += static_cast<char>(gathered >> n_bits & 0xFFU);
  }
  return bytes;
}

}  // namespace headscope
