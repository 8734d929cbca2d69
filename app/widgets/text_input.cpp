#include "app/widgets/text_input.h"

#include <algorithm>
#include <utility>

#include "app/imgui/keys.h"
#include "app/platform/clipboard.h"

namespace headscope {
namespace {

struct Edit {
  std::string* held;
  const std::string* from_outside;  ///< the text to take over; null if there is none
  bool caret_to_end;                ///< when the keyboard enters, where ImGui would select everything
  int* moved;
};

/// The last position up to `at` that is not inside a character.
int between_characters(const std::string& text, int at) {
  const auto is_inner = [&](int i) {
    const auto byte = static_cast<unsigned char>(text[static_cast<std::size_t>(i)]);
    return (byte & 0xC0U) == 0x80U;
  };
  at = std::min(at, static_cast<int>(text.size()));
  while (at > 0 && at < static_cast<int>(text.size()) && is_inner(at)) --at;
  return at;
}

int on_edit(ImGuiInputTextCallbackData* data) {
  auto& edit = *static_cast<Edit*>(data->UserData);
  if (data->EventFlag == ImGuiInputTextFlags_CallbackResize) {
    edit.held->resize(static_cast<std::size_t>(data->BufTextLen));
    data->Buf = edit.held->data();
  } else if (data->EventFlag == ImGuiInputTextFlags_CallbackHistory) {
    *edit.moved += data->EventKey == ImGuiKey_UpArrow ? -1 : 1;
  } else if (data->EventFlag == ImGuiInputTextFlags_CallbackAlways && edit.from_outside != nullptr) {
    const int caret = data->CursorPos;
    data->DeleteChars(0, data->BufTextLen);
    // The capacity belongs to the string that is passed. ImGui's buffer may be smaller and must grow first.
    // Since 1.92, ImGui checks its own size and needs the old value back.
    const int size = std::exchange(data->BufSize, 0);
    data->InsertChars(0, edit.from_outside->c_str());
    if (data->BufSize == 0) data->BufSize = size;
    data->CursorPos = between_characters(*edit.from_outside, caret);
    data->ClearSelection();
    edit.from_outside = nullptr;
  } else if (data->EventFlag == ImGuiInputTextFlags_CallbackAlways && edit.caret_to_end) {
    data->ClearSelection();
    data->CursorPos = data->BufTextLen;
  }
  return 0;
}

/// Before 1.92.3, long lines scroll with the caret.
#if IMGUI_VERSION_NUM >= 19230
constexpr ImGuiInputTextFlags wraps_lines = ImGuiInputTextFlags_WordWrap;
#else
constexpr ImGuiInputTextFlags wraps_lines = ImGuiInputTextFlags_None;
#endif

bool has_long_characters(const std::string& text) {
  return std::ranges::any_of(text, [](char c) { return static_cast<unsigned char>(c) >= 0x80; });
}

}  // namespace

bool text_input(Ui& ui, const char* id, std::string& text, const TextInputLook& look) {
  ui.fonts.need(text);
  ImGui::PushID(id);
  const ImGuiID key = ImGui::GetID("##field");
  bool fits = true;
  const std::string before = ui.characters().held(text, &fits);
  std::string held = before;
  // Up to 1.91, ImGui stores characters but counts in bytes how much room a new text needs, so a text that
  // replaces one with longer characters would be cut off. In that case, another field takes over the place
  // and the keyboard focus.
  int& successor = *ImGui::GetStateStorage()->GetIntRef(key);
  const auto edited = ui.field_texts.find(key);
  const bool is_replaced =
      edited != ui.field_texts.end() && edited->second != before && has_long_characters(edited->second);
  if (is_replaced) {
    ui.field_texts.erase(edited);
    ++successor;
    ui.give_keyboard_to_next_item();
  }
  const int number = successor;
  const auto last = ui.field_texts.find(key);
  const bool was_active = last != ui.field_texts.end();
  const bool enters_by_keyboard = !was_active && !ImGui::IsMouseDown(ImGuiMouseButton_Left);
  Edit edit{&held, was_active && last->second != before ? &before : nullptr,
            enters_by_keyboard && (is_replaced || !look.selects_all), look.moved};
  const bool escape = ImGui::IsKeyPressed(native_key(Key::escape), false);
  ImGui::PushID(number);
  const ImGuiInputTextFlags flags =
      ImGuiInputTextFlags_CallbackResize | ImGuiInputTextFlags_CallbackAlways |
      ImGuiInputTextFlags_NoUndoRedo |
      (look.read_only ? ImGuiInputTextFlags_ReadOnly : ImGuiInputTextFlags_None) |
      (look.selects_all ? ImGuiInputTextFlags_AutoSelectAll : ImGuiInputTextFlags_None) |
      (look.moved != nullptr ? ImGuiInputTextFlags_CallbackHistory : ImGuiInputTextFlags_None);
  if (look.height > 0.0F) {
    Clipboard* const clipboard = Clipboard::current();
    if (clipboard != nullptr) clipboard->keep_lines(true);
    ImGui::InputTextMultiline("##field", held.data(), held.capacity() + 1, {0.0F, look.height},
                              flags | wraps_lines, on_edit, &edit);
    if (clipboard != nullptr) clipboard->keep_lines(false);
  } else {
    ImGui::InputTextWithHint("##field", look.hint, held.data(), held.capacity() + 1, flags, on_edit, &edit);
  }
  ImGui::PopID();
  ImGui::PopID();
  held.resize(std::char_traits<char>::length(held.c_str()));
  // Escape leaves the field. ImGui would also undo everything typed since the field was entered.
  if (escape) held = before;
  if (ImGui::IsItemActive()) {
    ui.field_texts[key] = held;
  } else {
    ui.field_texts.erase(key);
  }
  if (held == before) return false;
  if (!fits) {
    ui.characters().refuse();
    return false;
  }
  text = ui.characters().shown(std::string_view(held));
  if (text.size() > look.most_bytes)
    text.resize(static_cast<std::size_t>(between_characters(text, static_cast<int>(look.most_bytes))));
  return true;
}

}  // namespace headscope
