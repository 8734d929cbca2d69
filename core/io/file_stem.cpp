#include "core/io/file_stem.h"

#include <cctype>
#include <utility>

namespace headscope {

std::string file_stem(const std::string& title) {
  constexpr int max_characters = 60;
  constexpr unsigned char beyond_ascii = 0x80;
  std::string stem;
  bool is_apart = false;
  int n = 0;
  for (const char each : title) {
    const auto byte = static_cast<unsigned char>(each);
    constexpr unsigned char first_of_character = 0xC0;
    if (byte >= beyond_ascii && byte < first_of_character) {  // a continuation byte of the previous character
      if (n > 0 && !is_apart) stem += each;
      continue;
    }
    if (byte < beyond_ascii && std::isalnum(byte) == 0) {
      is_apart = !stem.empty();
      continue;
    }
    if (++n > max_characters) break;
    if (std::exchange(is_apart, false)) stem += "-";
    stem += byte < beyond_ascii ? static_cast<char>(std::tolower(byte)) : each;
  }
  return stem;
}

}  // namespace headscope
