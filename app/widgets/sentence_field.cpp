#include "app/widgets/sentence_field.h"

#include <algorithm>
#include <utility>

#include "app/imgui/keys.h"
#include "app/imgui/native_key.h"
#include "app/widgets/paint.h"
#include "app/widgets/text.h"
#include "core/text/utf8.h"

namespace headscope {
namespace {

struct Edit {
  std::string* text;
  const std::string* from_outside;  ///< to be taken over; null: nothing
  bool caret_to_end;                ///< just entered by the keyboard: ImGui would select everything
  int* moved = nullptr;  ///< counts the arrows down less those up; null: they are not for the field
};

int on_edit(ImGuiInputTextCallbackData* data) {
  auto& edit = *static_cast<Edit*>(data->UserData);
  if (data->EventFlag == ImGuiInputTextFlags_CallbackResize) {
    edit.text->resize(static_cast<std::size_t>(data->BufTextLen));
    data->Buf = edit.text->data();
  } else if (data->EventFlag == ImGuiInputTextFlags_CallbackHistory) {
    *edit.moved += data->EventKey == ImGuiKey_UpArrow ? -1 : 1;
  } else if (data->EventFlag == ImGuiInputTextFlags_CallbackAlways && edit.from_outside != nullptr) {
    const int caret = data->CursorPos;
    data->DeleteChars(0, data->BufTextLen);
    // The size is that of the string that is passed; ImGui's own may have less room, and is to make it. From
    // 1.92 it looks at its own, and wants the size back as it was.
    const int size = std::exchange(data->BufSize, 0);
    data->InsertChars(0, edit.from_outside->c_str());
    if (data->BufSize == 0) data->BufSize = size;
    data->CursorPos = std::min(caret, data->BufTextLen);
    data->ClearSelection();
    edit.from_outside = nullptr;
  } else if (data->EventFlag == ImGuiInputTextFlags_CallbackAlways && edit.caret_to_end) {
    data->ClearSelection();
    data->CursorPos = data->BufTextLen;
  }
  return 0;
}

bool has_long_characters(const std::string& text) {
  return std::ranges::any_of(text, [](char c) { return static_cast<unsigned char>(c) >= 0x80; });
}

/// How ImGui represents a text while it is edited: with 16-bit characters it cannot hold the others.
std::string as_imgui_holds(const std::string& text) {
  std::string held;
  for (const char32_t c : code_points(valid_utf8(text))) {
    held += to_utf8(c <= IM_UNICODE_CODEPOINT_MAX ? c : U'\uFFFD');
  }
  return held;
}

/// InputText on a string that grows. True when `text` was edited. `moved`: as of Edit.
bool input(Ui& ui, const char* id, const char* hint, std::string& text, int* moved = nullptr) {
  ui.fonts.need(text);
  ImGui::PushID(id);
  const ImGuiID key = ImGui::GetID("##field");
  const std::string before = text;
  // ImGui up to 1.91 keeps characters, but counts in bytes how much room another text needs: in place of one
  // with longer characters, its end would be cut off. Another field takes such a one's place, and the
  // keyboard.
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
  Edit edit{&text, was_active && last->second != before ? &before : nullptr,
            !was_active && !ImGui::IsMouseDown(ImGuiMouseButton_Left), moved};
  const bool escape = ImGui::IsKeyPressed(native_key(Key::escape), false);
  ImGui::PushID(number);
  const ImGuiInputTextFlags flags =
      ImGuiInputTextFlags_CallbackResize | ImGuiInputTextFlags_CallbackAlways |
      ImGuiInputTextFlags_NoUndoRedo |
      (moved != nullptr ? ImGuiInputTextFlags_CallbackHistory : ImGuiInputTextFlags_None);
  ImGui::InputTextWithHint("##field", hint, text.data(), text.capacity() + 1, flags, on_edit, &edit);
  ImGui::PopID();
  ImGui::PopID();
  text.resize(std::char_traits<char>::length(text.c_str()));
  // Escape leaves the field; ImGui would also take back everything since the field was entered.
  if (escape || (text != before && text == as_imgui_holds(before))) text = before;
  if (ImGui::IsItemActive()) {
    ui.field_texts[key] = text;
  } else {
    ui.field_texts.erase(key);
  }
  return text != before;
}

/// Below the item that was drawn last: a line under a part of its text.
void underline(Ui& ui, const std::string& text, const TextSpan& part, float width) {
  if (part.begin >= part.end || part.end > text.size()) return;
  const bool may_scroll = ImGui::IsItemActive() && ImGui::CalcTextSize(text.c_str()).x > width;
  if (may_scroll) return;
  const char* begin = text.c_str();
  const ImVec2 corner = ImGui::GetItemRectMin();
  const float from = ImGui::CalcTextSize(begin, begin + part.begin).x;
  const float to = ImGui::CalcTextSize(begin, begin + part.end).x;
  const float y = ImGui::GetItemRectMax().y - ui.px(3.0F);
  const float thickness = ui.px(2.0F);
  if (from >= width) return;
  ImGui::GetWindowDrawList()->AddRectFilled(
      {corner.x + from, y}, {corner.x + std::min(to, width), y + thickness}, paint::ink(ui.theme().accent));
}

}  // namespace

bool sentence_field(Ui& ui, const char* id, std::string& text, const SentenceFieldLook& look) {
  const ImVec4 clear(0.0F, 0.0F, 0.0F, 0.0F);
  ImGui::PushStyleColor(ImGuiCol_FrameBg, clear);
  ImGui::PushStyleColor(ImGuiCol_Border, clear);
  ImGui::PushStyleColor(keyboard_focus_color, clear);  // the caret says enough
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, ImVec2(0.0F, ui.px(4)));
  ImGui::SetNextItemWidth(look.width > 0.0F ? look.width : ImGui::GetContentRegionAvail().x);
  if (look.take_focus) ui.give_keyboard_to_next_item();
  bool edited = false;
  {
    const FontScope font(ui, Font::sans, look.size);
    edited = input(ui, id, look.hint, text);
    underline(ui, text, look.underlined, ImGui::GetItemRectSize().x);
  }
  ImGui::PopStyleVar();
  ImGui::PopStyleColor(3);
  return edited;
}

FieldExit field_exit() {
  if (tab_goes_to_every_item) return FieldExit::none;
  if (!ImGui::IsItemActive() || !ImGui::IsKeyPressed(native_key(Key::tab), false)) return FieldExit::none;
  return ImGui::GetIO().KeyShift ? FieldExit::backwards : FieldExit::forwards;
}

SearchEntry search_entry(Ui& ui, const char* id, std::string& text, const char* hint) {
  SearchEntry entry;
  if (!ImGui::IsAnyItemActive()) ui.give_keyboard_to_next_item();
  ImGui::SetNextItemWidth(ImGui::GetContentRegionAvail().x);
  const FontScope font(ui, Font::sans, text_size::title);
  entry.edited = input(ui, id, hint, text, &entry.moved);
  entry.confirmed = ImGui::IsItemDeactivated() && key_held(Key::enter);
  return entry;
}

bool text_entry(Ui& ui, const char* id, std::string& text, const char* hint, const char* tooltip) {
  ImGui::SetNextItemWidth(ImGui::GetContentRegionAvail().x);
  input(ui, id, hint, text);
  const bool confirmed = ImGui::IsItemDeactivated() && key_held(Key::enter);
  tooltip_for_item(ui, tooltip);
  return confirmed;
}

}  // namespace headscope
