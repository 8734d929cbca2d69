#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace headscope {

/// Converts between text and what ImGui's text fields hold in its place: one character for each, which every
/// version of ImGui can draw and store. A rare character stands in for one that a field would lose: any above
/// U+FFFF, where ImGui's characters have 16 bits, and any for private use. It also stands in for marks piled
/// on one letter, because ImGui cannot draw thousands of glyphs in one place. Assignments last as long as the
/// object, and there are 39,921 stand-ins; fields reject edits that need more.
class WidgetCharacters {
 public:
  /// The converter of the current ImGui context.
  static WidgetCharacters& current();

  static constexpr int max_stand_ins = 39'921;

  /// The text as a field holds it. `fits` is set to false if the field cannot hold all of it. A character
  /// without a stand-in becomes U+FFFD and must not get back into the text.
  std::string held(std::string_view text, bool* fits = nullptr);
  /// A character as a field holds it. Empty if there is no stand-in left for it.
  std::optional<char32_t> held(char32_t character);
  /// The text that a field with this content shows.
  std::string shown(std::string_view held) const;
  char32_t shown(char32_t held) const;

  /// Records that an edit was rejected, by default because the stand-ins are used up.
  void refuse(std::string complaint = too_many) { complaint_ = std::move(complaint); }
  /// The message about edits rejected since the last call. Empty if there were none.
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
