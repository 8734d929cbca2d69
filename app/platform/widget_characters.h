#pragma once

#include <string>
#include <string_view>
#include <unordered_map>

namespace headscope {

/// What ImGui's text fields hold in place of a text: one character for each of the text's, of which every
/// version draws and keeps all. A rare character stands for one that a field would lose (above U+FFFF, where
/// ImGui's characters have 16 bits, and for private use) and for marks that are heaped upon one letter, as
/// ImGui cannot draw thousands of letters in one place. Which one stands for which stays the same as long as
/// the object lives.
class WidgetCharacters {
 public:
  /// Those of the current ImGui context.
  static WidgetCharacters& current();

  /// The text as a field holds it.
  std::string held(std::string_view text);
  /// A character as a field holds it.
  char32_t held(char32_t character);
  /// The text that a field shows with what it holds.
  std::string shown(std::string_view held) const;
  char32_t shown(char32_t held) const;

 private:
  char32_t stand_in(char32_t character);

  std::unordered_map<char32_t, char32_t> stand_ins_;  ///< by what they stand for
  std::unordered_map<char32_t, char32_t>
      meanings_;       ///< of rare characters: themselves or what they stand for
  char32_t next_ = 0;  ///< the rare character to be tried next
};

}  // namespace headscope
