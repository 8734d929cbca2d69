#include "tests/gui/monkey/random_text.h"

#include <algorithm>
#include <array>
#include <cstdio>

#include "core/text/utf8.h"

namespace headscope::monkey {
namespace {

constexpr std::array<const char*, 24> known{"it ",      "the animal ",
                                            "___ ",     "cat moon egg ",
                                            "[begin] ", "tired",
                                            " ",        ".",
                                            "\n",       "\t",
                                            "0",        "-1",
                                            "1e9",      "##id",
                                            "%s%n",     "###",
                                            "피곤",     "e\u0301\u0301",
                                            "\u202E",   "\u200B",
                                            "😀",        "ﷺ",
                                            "שלום",     "naïve "};

char32_t random_character(Dice& dice) {
  constexpr std::array<std::pair<int, int>, 12> ranges{{{0x20, 0x7E},
                                                        {0x80, 0x24F},
                                                        {0x300, 0x36F},
                                                        {0x370, 0x58F},
                                                        {0x590, 0x6FF},
                                                        {0x900, 0xDFF},
                                                        {0x2000, 0x2BFF},
                                                        {0x3000, 0x9FFF},
                                                        {0xE000, 0xFFFF},
                                                        {0x10000, 0x1FFFF},
                                                        {0x20000, 0x10FFFF},
                                                        {0x1, 0x1F}}};
  const auto [first, last] = dice.of(ranges);
  return static_cast<char32_t>(dice.whole(first, last));
}

std::string random_bytes(Dice& dice, int n) {
  std::string bytes;
  for (int i = 0; i < n; ++i) bytes.push_back(static_cast<char>(dice.whole(1, 255)));
  return bytes;
}

}  // namespace

std::string random_text(Dice& dice) {
  if (!dice.one_in(3)) return dice.of(known);
  std::string text;
  const int n = dice.whole(1, 3);
  for (int i = 0; i < n; ++i) text += to_utf8(random_character(dice));
  return text;
}

std::string random_paste(Dice& dice) {
  std::string text;
  switch (dice.whole(0, 11)) {
    case 0:
      return random_bytes(dice, dice.log_uniform(1, 200));
    case 1:
      return std::string(static_cast<std::size_t>(dice.log_uniform(1, 100'000)), dice.coin() ? 'x' : ' ');
    case 2:
      for (int i = dice.log_uniform(1, 300); i > 0; --i)
        text += "w" + std::to_string(dice.whole(0, 99)) + " ";
      return text;
    case 3:
      for (int i = dice.log_uniform(1, 60); i > 0; --i) text += to_utf8(random_character(dice));
      return text;
    case 4:
      return "";
    default:
      for (int i = dice.whole(1, 8); i > 0; --i) text += std::string(dice.of(known)) + " ";
      return text;
  }
}

std::string readable(const std::string& text) {
  constexpr std::size_t longest = 40;
  std::string result;
  for (const char32_t c : code_points(valid_utf8(text.substr(0, longest)))) {
    if (c >= 0x20 && c < 0x7F) {
      result.push_back(static_cast<char>(c));
      continue;
    }
    std::array<char, 16> number{};
    std::snprintf(number.data(), number.size(), "<%X>", static_cast<unsigned>(c));
    result += number.data();
  }
  return text.size() > longest ? result + "… of " + std::to_string(text.size()) + " bytes" : result;
}

}  // namespace headscope::monkey
