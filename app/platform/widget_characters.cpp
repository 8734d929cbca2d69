#include "app/platform/widget_characters.h"

#include <algorithm>
#include <array>
#include <utility>

#include "app/imgui/imgui_compat.h"
#include "core/text/letters.h"
#include "core/text/utf8.h"

namespace headscope {
namespace {

using Range = std::pair<char32_t, char32_t>;

/// The ranges of stand-ins, the rarest first. ImGui does not accept private-use characters, and surrogates
/// are not characters.
constexpr std::array rare{Range{0x3400, 0x4DBF}, Range{0xA000, 0xA48C}, Range{0xAC00, 0xD7A3},
                          Range{0x4E00, 0x9FFF}};
static_assert(
    [] {
      int n = 0;
      for (const auto& [first, last] : rare) n += static_cast<int>(last - first) + 1;
      return n;
    }() == WidgetCharacters::max_stand_ins,
    "as many as the header and the complaint say");
constexpr char32_t replacement = 0xFFFD;
constexpr int max_marks = 6;  ///< the most combining marks that a field shows on one letter

bool is_rare(char32_t c) {
  return std::ranges::any_of(rare, [c](const Range& range) { return c >= range.first && c <= range.second; });
}

/// The rare character after `c`. 0 after the last one.
char32_t rare_after(char32_t c) {
  for (std::size_t i = 0; i < rare.size(); ++i) {
    if (c < rare[i].first || c > rare[i].second) continue;
    if (c < rare[i].second) return c + 1;
    return i + 1 < rare.size() ? rare[i + 1].first : 0;
  }
  return 0;
}

bool is_ascii(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

}  // namespace

WidgetCharacters& WidgetCharacters::current() {
  return *static_cast<WidgetCharacters*>(ImGui::GetIO().UserData);
}

std::optional<char32_t> WidgetCharacters::stand_in(char32_t character) {
  if (const auto known = stand_ins_.find(character); known != stand_ins_.end()) return known->second;
  if (next_ == 0 && stand_ins_.empty()) next_ = rare.front().first;
  while (next_ != 0 && meanings_.contains(next_)) next_ = rare_after(next_);
  if (next_ == 0) return std::nullopt;
  meanings_[next_] = character;
  stand_ins_[character] = next_;
  return next_;
}

std::optional<char32_t> WidgetCharacters::held(char32_t character) {
  constexpr char32_t greatest = IM_UNICODE_CODEPOINT_MAX;
  const bool is_private = character >= 0xE000 && character <= 0xF8FF;
  if (character > greatest || is_private) return stand_in(character);
  if (!is_rare(character)) return character;
  const auto meaning = meanings_.try_emplace(character, character).first->second;
  return meaning == character ? character : stand_in(character);
}

std::string WidgetCharacters::held(std::string_view text, bool* fits) {
  if (is_ascii(text)) return std::string(text);
  std::string held_text;
  held_text.reserve(text.size());
  int marks = 0;
  for (const char32_t c : code_points(text)) {
    marks = is_zero_width(c) ? marks + 1 : 0;
    const std::optional<char32_t> there = marks > max_marks ? stand_in(c) : held(c);
    if (!there && fits != nullptr) *fits = false;
    held_text += to_utf8(there.value_or(replacement));
  }
  return held_text;
}

char32_t WidgetCharacters::shown(char32_t held) const {
  const auto meaning = meanings_.find(held);
  return meaning == meanings_.end() ? held : meaning->second;
}

std::string WidgetCharacters::shown(std::string_view held) const {
  if (is_ascii(held)) return std::string(held);
  std::string text;
  text.reserve(held.size());
  for (const char32_t c : code_points(held)) text += to_utf8(shown(c));
  return text;
}

}  // namespace headscope
