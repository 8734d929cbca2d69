#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

namespace headscope {

/// What ImGui's text fields hold in place of a text: one character for each of the text's, of which every
/// version draws and keeps all. A rare character stands for one that a field would lose (above U+FFFF, where
/// ImGui's characters have 16 bits, and for private use) and for marks that are heaped upon one letter, as
/// ImGui cannot draw thousands of letters in one place. Which one stands for which stays the same as long as
/// the object lives; so there are stand-ins for 39,921 different characters, and none for any more of them.
/// Where a text has such a one, fields leave it as it is: what is pasted or typed is not taken, and what
/// would be edited stays.
class WidgetCharacters {
 public:
  /// Those of the current ImGui context.
  static WidgetCharacters& current();

  static constexpr int most_stand_ins = 39'921;

  /// The text as a field holds it. `fits`: whether it holds all of it; a character without a stand-in is
  /// U+FFFD, and must not get back into the text.
  std::string held(std::string_view text, bool* fits = nullptr);
  /// A character as a field holds it; nothing where it has no stand-in.
  std::optional<char32_t> held(char32_t character);
  /// The text that a field shows with what it holds.
  std::string shown(std::string_view held) const;
  char32_t shown(char32_t held) const;

  /// An edit is not taken, as a field could not hold it.
  void refuse() { has_refused_ = true; }
  /// What to say of edits that were not taken since this was asked last; empty where all were.
  std::string take_complaint();

 private:
  std::optional<char32_t> stand_in(char32_t character);

  std::unordered_map<char32_t, char32_t> stand_ins_;  ///< by what they stand for
  std::unordered_map<char32_t, char32_t>
      meanings_;       ///< of rare characters: themselves or what they stand for
  char32_t next_ = 0;  ///< the rare character to be tried next
  bool has_refused_ = false;
};

}  // namespace headscope
