#include "core/text/letters.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace headscope {
namespace {

/// How the capitals of a range find their small letters.
enum class Pattern {
  shift,  ///< `offset` further on
  even,   ///< even capitals, the small letter follows
  odd     ///< odd capitals, the small letter follows
};

struct Range {
  char32_t first;
  char32_t last;
  Pattern pattern;
  int offset = 0;
};

constexpr std::array ranges{
    // Latin
    Range{0x0041, 0x005A, Pattern::shift, 32}, Range{0x00C0, 0x00D6, Pattern::shift, 32},
    Range{0x00D8, 0x00DE, Pattern::shift, 32}, Range{0x0100, 0x012F, Pattern::even},
    Range{0x0130, 0x0130, Pattern::shift, 0x69 - 0x130}, Range{0x0132, 0x0137, Pattern::even},
    Range{0x0139, 0x0148, Pattern::odd}, Range{0x014A, 0x0177, Pattern::even},
    Range{0x0178, 0x0178, Pattern::shift, 0xFF - 0x178}, Range{0x0179, 0x017E, Pattern::odd},
    Range{0x01CD, 0x01DC, Pattern::odd}, Range{0x01DE, 0x01EF, Pattern::even},
    Range{0x01F8, 0x021F, Pattern::even}, Range{0x0222, 0x0233, Pattern::even},
    // Greek
    Range{0x0386, 0x0386, Pattern::shift, 38}, Range{0x0388, 0x038A, Pattern::shift, 37},
    Range{0x038C, 0x038C, Pattern::shift, 64}, Range{0x038E, 0x038F, Pattern::shift, 63},
    Range{0x0391, 0x03A1, Pattern::shift, 32}, Range{0x03A3, 0x03AB, Pattern::shift, 32},
    Range{0x03C2, 0x03C2, Pattern::shift, 1},
    // Cyrillic
    Range{0x0400, 0x040F, Pattern::shift, 80}, Range{0x0410, 0x042F, Pattern::shift, 32},
    Range{0x0460, 0x0481, Pattern::even}, Range{0x048A, 0x04BF, Pattern::even},
    Range{0x04C0, 0x04C0, Pattern::shift, 15}, Range{0x04C1, 0x04CE, Pattern::odd},
    Range{0x04D0, 0x052F, Pattern::even},
    // Armenian
    Range{0x0531, 0x0556, Pattern::shift, 48},
    // Latin Extended Additional, full-width Latin
    Range{0x1E00, 0x1E95, Pattern::even}, Range{0x1E9E, 0x1E9E, Pattern::shift, 0xDF - 0x1E9E},
    Range{0x1EA0, 0x1EFF, Pattern::even}, Range{0xFF21, 0xFF3A, Pattern::shift, 32}};

constexpr std::u32string_view separators = U"\u0020\u00A0\u1680\u200B\u2028\u2029\u202F\u205F\u3000\uFEFF";
constexpr std::u32string_view punctuation = U".,!?;:()\"“”„«»—…¿¡";

}  // namespace

bool is_separator(char32_t code_point) {
  const bool is_control = code_point < 0x20 || (code_point >= 0x7F && code_point < 0xA0);
  const bool is_typographic_space = code_point >= 0x2000 && code_point <= 0x200A;
  return is_control || is_typographic_space || separators.find(code_point) != std::u32string_view::npos;
}

bool is_punctuation(char32_t code_point) {
  return punctuation.find(code_point) != std::u32string_view::npos;
}

char32_t lower_case(char32_t code_point) {
  const auto range = std::find_if(ranges.begin(), ranges.end(), [&](const Range& candidate) {
    return code_point >= candidate.first && code_point <= candidate.last;
  });
  if (range == ranges.end()) return code_point;
  if (range->pattern == Pattern::shift)
    return static_cast<char32_t>(static_cast<int>(code_point) + range->offset);
  const bool is_capital = (code_point % 2 == 1) == (range->pattern == Pattern::odd);
  return is_capital ? code_point + 1 : code_point;
}

}  // namespace headscope
