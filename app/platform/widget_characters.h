#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace headscope {

/// Converts between text and the characters that ImGui's text fields hold in its place: one for each
/// character of the text, all of which every version of ImGui can draw and keep. A rare character stands in
/// for one that a field would lose, which is any above U+FFFF, where ImGui's characters have 16 bits, and any
/// for private use. It also stands in for marks piled on one letter, because ImGui cannot draw thousands of
/// glyphs in one place. The assignment stays the same as long as the object exists, so there are stand-ins
/// for 39,921 different characters and none for any more. Fields leave a text with such a character
/// unchanged: they refuse what is pasted or typed, and edits of the text.
class WidgetCharacters {
 public:
  /// The converter of the current ImGui context.
  static WidgetCharacters& current();

  static constexpr int most_stand_ins = 39'921;

  /// The text as a field holds it. `fits` is set to false if the field cannot hold all of it. A character
  /// without a stand-in becomes U+FFFD and must not get back into the text.
  std::string held(std::string_view text, bool* fits = nullptr);
  /// A character as a field holds it. Empty if there is no stand-in left for it.
  std::optional<char32_t> held(char32_t character);
  /// The text that a field with this content shows.
  std::string shown(std::string_view held) const;
  char32_t shown(char32_t held) const;

  /// Records that an edit was refused, because a field could not hold it or for the reason that is given.
  void refuse(std::string complaint = too_many) { complaint_ = std::move(complaint); }
  /// The message about edits refused since the last call. Empty if there were none.
  std::string take_complaint() { return std::exchange(complaint_, {}); }

 private:
  static constexpr const char* too_many =
      "Not accepted: the fields of this window hold at most 39,921 different characters of that kind. Start the program again to type others.";
  std::optional<char32_t> stand_in(char32_t character);

  std::unordered_map<char32_t, char32_t> stand_ins_;  ///< indexed by the character that they stand for
  std::unordered_map<char32_t, char32_t>
      meanings_;       ///< indexed by rare characters: the character itself, or what it stands for
  char32_t next_ = 0;  ///< the rare character to try next
  std::string complaint_;
};

}  // namespace headscope
