#include "app/widgets/answer_keys.h"

#include <cstddef>
#include <string_view>

#include "app/imgui/keys.h"
#include "app/ui/ui.h"

namespace headscope {
namespace {

constexpr std::size_t longest_answer = 12;  ///< bytes

/// The letter with this code if numbers are written with it. Empty if they are not. Letters of words count
/// only after a sign or a digit, because they are commands as long as nothing has been typed.
std::string answer_letter(unsigned code, bool begins) {
  constexpr unsigned minus_sign = 0x2212U;
  constexpr unsigned infinity_sign = 0x221EU;
  constexpr unsigned first_beyond_ascii = 0x80U;
  if (code == minus_sign) return "−";
  if (code == infinity_sign) return "∞";
  if (code >= first_beyond_ascii) return {};
  constexpr std::string_view of_numbers = "0123456789.,-+";
  constexpr std::string_view of_words = "einf";
  const char letter = static_cast<char>(code);
  const bool taken = of_numbers.find(letter) != std::string_view::npos ||
                     (!begins && of_words.find(letter) != std::string_view::npos);
  return taken ? std::string(1, letter) : std::string();
}

void erase_last_letter(std::string& typed) {
  const auto continues = [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U; };
  while (!typed.empty() && continues(typed.back())) typed.pop_back();
  if (!typed.empty()) typed.pop_back();
}

}  // namespace

AnswerKeys answer_keys(std::string& typed, bool anew) {
  AnswerKeys keys;
  const ImGuiIO& io = ImGui::GetIO();
  if (text_has_keyboard()) return keys;
  for (int i = 0; i < io.InputQueueCharacters.Size && !io.KeyCtrl && !io.KeyAlt; ++i) {
    const bool begins = typed.empty() || anew;
    const std::string letter = answer_letter(static_cast<unsigned>(io.InputQueueCharacters[i]), begins);
    if (letter.empty()) continue;
    if (anew) typed.clear();
    anew = false;
    if (typed.size() + letter.size() > longest_answer) continue;
    typed += letter;
    keys.changed = true;
  }
  constexpr bool repeats = true;
  if (chord_pressed({Key::backspace}, repeats) && !typed.empty()) {
    erase_last_letter(typed);
    keys.changed = true;
  }
  keys.entered = chord_pressed({Key::enter}) || chord_pressed({Key::keypad_enter});
  return keys;
}

}  // namespace headscope
