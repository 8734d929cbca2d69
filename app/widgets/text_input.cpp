#include "app/widgets/text_input.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "app/imgui/field_scroll.h"
#include "app/imgui/keys.h"
#include "app/platform/clipboard.h"
#include "app/widgets/paint.h"
#include "app/widgets/text.h"
#include "core/figure/text_fit.h"
#include "core/text/letters.h"
#include "core/text/utf8.h"

namespace headscope {
namespace {

/// The bytes of a text that is longer than any one line, which a field shows until it is edited.
constexpr std::size_t max_shown = 4000;

struct Edit {
  std::string* held;
  const std::string* from_outside;  ///< the text to take over; null if there is none
  bool selects_all;                 ///< after it was taken over
  bool caret_to_end;                ///< when the keyboard enters, where ImGui would select everything
  int caret;                        ///< where the caret is kept; −1: where ImGui puts it
  int* moved;
};

int on_edit(ImGuiInputTextCallbackData* data) {
  auto& edit = *static_cast<Edit*>(data->UserData);
  if (data->EventFlag == ImGuiInputTextFlags_CallbackResize) {
    edit.held->resize(static_cast<std::size_t>(data->BufTextLen));
    data->Buf = edit.held->data();
  } else if (data->EventFlag == ImGuiInputTextFlags_CallbackHistory) {
    *edit.moved += data->EventKey == ImGuiKey_UpArrow ? -1 : 1;
  } else if (data->EventFlag == ImGuiInputTextFlags_CallbackAlways && edit.from_outside != nullptr) {
    const int caret = data->CursorPos;
    const std::string held = WidgetCharacters::current().held(*edit.from_outside);
    data->DeleteChars(0, data->BufTextLen);
    // The capacity belongs to the string that is passed. ImGui's buffer may be smaller and must grow first.
    // Since 1.92, ImGui checks its own size and needs the old value back.
    const int size = std::exchange(data->BufSize, 0);
    data->InsertChars(0, held.c_str());
    if (data->BufSize == 0) data->BufSize = size;
    data->CursorPos = edit.caret_to_end
                          ? data->BufTextLen
                          : static_cast<int>(start_of_character(held, static_cast<std::size_t>(caret)));
    data->ClearSelection();
    if (edit.selects_all) data->SelectAll();
    edit.from_outside = nullptr;
  } else if (data->EventFlag == ImGuiInputTextFlags_CallbackAlways && edit.caret_to_end) {
    data->ClearSelection();
    data->CursorPos = data->BufTextLen;
  }
  if (data->EventFlag == ImGuiInputTextFlags_CallbackAlways && edit.caret >= 0) {
    data->ClearSelection();
    data->CursorPos = std::min(edit.caret, data->BufTextLen);
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

/// Draws a line under a part of the text in the item that was drawn last.
void underline(Ui& ui, const std::string& text, const TextSpan& part, float width) {
  if (part.begin >= part.end || part.end > std::min(text.size(), max_shown)) return;
  const auto width_before = [&](std::size_t at) {
    return ImGui::CalcTextSize(ui.characters().held(std::string_view(text).substr(0, at)).c_str()).x;
  };
  const bool may_scroll =
      ImGui::IsItemActive() && (text.size() > max_shown || width_before(text.size()) > width);
  if (may_scroll) return;
  const ImVec2 corner = ImGui::GetItemRectMin();
  const float from = width_before(part.begin);
  const float to = width_before(part.end);
  const float y = ImGui::GetItemRectMax().y - ui.px(3.0F);
  const float thickness = ui.px(2.0F);
  if (from >= width) return;
  ImGui::GetWindowDrawList()->AddRectFilled(
      {corner.x + from, y}, {corner.x + std::min(to, width), y + thickness}, paint::ink(ui.theme().accent));
}

/// A text in its field while it is not edited.
struct TextAtRest {
  std::vector<std::string> lines;
  std::vector<std::size_t> begins;  ///< the byte of the text at which each line begins
  float size = 0.0F;
  bool is_cut = false;
};

/// Wraps a text into its lines at rest, at most `most`.
TextAtRest wrapped_at_rest(const Ui& ui, std::string_view text, float size, float width, std::size_t most) {
  TextAtRest rest{paint::wrapped(ui, text, Font::sans, size, width, most), {}, size};
  text = text.substr(0, text.find_last_not_of(' ') + 1);
  std::size_t at = 0;
  for (const std::string& line : rest.lines) {
    // Wrapping leaves out the spaces between lines.
    at = std::min(text.find_first_not_of(" \n", at), text.size());
    rest.begins.push_back(at);
    at += line.size();
  }
  rest.is_cut = text.substr(rest.begins.back()) != rest.lines.back();
  return rest;
}

/// How a text is written into its field where ImGui would show only its beginning, or its letters in the
/// order in which the caret passes them: as it reads, and in smaller letters and more lines if it is wider
/// than the field. One that is too long for these ends in “…”. Empty if ImGui shows it right.
std::optional<TextAtRest> text_at_rest(const Ui& ui, const std::string& text, float size, float width) {
  const std::string shown = valid_utf8(text.substr(0, max_shown));
  const bool fits = ImGui::CalcTextSize(ui.characters().held(shown).c_str()).x <= width &&
                    paint::text_width(ui, shown, Font::sans, size) <= width;
  if (fits && !ui.fonts.uses_shaping(shown)) return std::nullopt;
  if (fits) return TextAtRest{{shown}, {0}, size};
  TextAtRest rest;
  for (const auto& [smaller, most] :
       {std::pair(text_size::title, 1U), std::pair(text_size::body, 2U), std::pair(text_size::small, 2U)}) {
    rest = wrapped_at_rest(ui, shown, std::min(size, smaller), width, most);
    if (!rest.is_cut) break;
  }
  return rest;
}

/// The upper left corner of a text at rest in its field, the item that was drawn last.
ImVec2 corner_of(const Ui& ui, const TextAtRest& rest) {
  const ImVec2 min = ImGui::GetItemRectMin();
  const float height = paint::lines_size(ui, rest.lines, Font::sans, rest.size).y;
  return {min.x, std::round((min.y + ImGui::GetItemRectMax().y - height) / 2.0F)};
}

/// The byte of a text at rest in the item that was drawn last that is nearest to a point.
std::size_t byte_at(const Ui& ui, const TextAtRest& rest, ImVec2 point) {
  const auto width_of = [&](std::string_view part) {
    return paint::text_width(ui, part, Font::sans, rest.size);
  };
  const ImVec2 corner = corner_of(ui, rest);
  const float row = std::floor((point.y - corner.y) / ui.fonts.at(Font::sans, rest.size).line_height);
  const auto last = static_cast<float>(rest.lines.size() - 1);
  const auto i = static_cast<std::size_t>(std::clamp(row, 0.0F, last));
  const std::string_view line = rest.lines[i];
  const float x = is_right_to_left(line) ? corner.x + width_of(line) - point.x : point.x - corner.x;
  const std::size_t before = fitting_bytes(line, x, width_of);
  const std::size_t after = end_of_character(line, std::min(before + 1, line.size()));
  const bool is_nearer = x - width_of(line.substr(0, before)) <= width_of(line.substr(0, after)) - x;
  return rest.begins[i] + (is_nearer ? before : after);
}

/// Draws a line under a part of a text at rest.
void underline(const Ui& ui, const TextAtRest& rest, const TextSpan& part) {
  ImVec2 corner = corner_of(ui, rest);
  for (std::size_t i = 0; i < rest.lines.size(); ++i) {
    corner.y += ui.fonts.at(Font::sans, rest.size).line_height;
    const std::string_view line = rest.lines[i];
    const auto width_before = [&](std::size_t byte) {
      const std::size_t at = std::min(std::max(byte, rest.begins[i]) - rest.begins[i], line.size());
      return paint::text_width(ui, line.substr(0, start_of_character(line, at)), Font::sans, rest.size);
    };
    float from = width_before(part.begin);
    float to = width_before(part.end);
    if (from >= to) continue;
    if (is_right_to_left(line)) {
      const float whole = paint::text_width(ui, line, Font::sans, rest.size);
      from = whole - std::exchange(to, whole - from);
    }
    ImGui::GetWindowDrawList()->AddRectFilled({corner.x + from, corner.y - ui.px(1.0F)},
                                              {corner.x + to, corner.y + ui.px(1.0F)},
                                              paint::ink(ui.theme().accent));
  }
}

/// Writes a text into its field, the item that was drawn last without it. A tooltip has all of what is cut.
void write(Ui& ui, const TextAtRest& rest, const std::string& text) {
  paint::lines(ui, *ImGui::GetWindowDrawList(), corner_of(ui, rest), rest.lines, Font::sans, rest.size,
               ui.theme().text);
  if (!rest.is_cut) return;
  constexpr std::size_t most_told = 1200;
  const std::string told =
      text.size() <= most_told ? text : text.substr(0, start_of_character(text, most_told)) + " …";
  tooltip_for_item(ui, told.c_str());
}

/// Marks the ends of the field that is being edited, the item that was drawn last, beyond which its text goes
/// on: it scrolls with the caret.
void mark_scrolling(Ui& ui, const std::string& text) {
  const ImVec2 min = ImGui::GetItemRectMin();
  const ImVec2 max = ImGui::GetItemRectMax();
  const std::string shown = ui.characters().held(std::string_view(text).substr(0, max_shown));
  if (!ImGui::IsItemActive()) return;
  const float before = scroll_of_active_field();
  const float after = ImGui::CalcTextSize(shown.c_str()).x - before - (max.x - min.x);
  constexpr float apart = 4.0F;
  const auto mark = [&](float x, const char* sign) {
    paint::text(ui, *ImGui::GetWindowDrawList(), x, (min.y + max.y) / 2.0F, sign, Font::sans, text_size::body,
                ui.theme().quiet, paint::Align::center);
  };
  if (before > 0.0F) mark(min.x - ui.px(apart), "‹");
  if (after >= 1.0F) mark(max.x + ui.px(apart), "›");
}

/// Draws letters such as emoji, for which a field that is being edited has no glyph, into the places that it
/// keeps for them. Leaves out a text that scrolls, because it stands elsewhere.
void draw_rare_letters(Ui& ui, const std::string& text, float size) {
  constexpr char32_t last_with_glyph = 0xFFFF;
  const ImVec2 min = ImGui::GetItemRectMin();
  const ImVec2 max = ImGui::GetItemRectMax();
  const auto width_of = [&](const std::string& part) {
    return ImGui::CalcTextSize(ui.characters().held(part).c_str()).x;
  };
  if (!ImGui::IsItemActive() || text.size() > max_shown || width_of(text) > max.x - min.x) return;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  std::string before;
  for (const char32_t c : code_points(valid_utf8(text))) {
    const std::string letter = to_utf8(c);
    const float needed = c > last_with_glyph ? ui.px(ui.measure()(letter, Font::sans, size).width) : 0.0F;
    const std::string until = std::exchange(before, before + letter);
    if (needed <= 0.0F) continue;
    const float left = min.x + width_of(until);
    const float place = width_of(letter);
    list.AddRectFilled({left, min.y}, {left + place, max.y}, packed(ui.theme().panel));
    paint::text(ui, list, left + place / 2.0F, (min.y + max.y) / 2.0F, letter, Font::sans,
                size * std::min(1.0F, place / needed), ui.theme().text, paint::Align::center);
  }
}

/// Whether letters of a text join or change places as it reads, as in Hebrew, Arabic or Devanagari. An emoji
/// stands where it is typed, and so do Georgian, Ethiopic or accented letters.
bool has_joined_letters(std::string_view text) {
  constexpr std::array joined{CodePointRange{0x0590, 0x109F}, CodePointRange{0x1100, 0x11FF},
                              CodePointRange{0x1700, 0x18AF}, CodePointRange{0x1900, 0x1C7F},
                              CodePointRange{0x1CD0, 0x1CFF}};
  return std::ranges::any_of(code_points(text), [&](char32_t c) { return is_in(joined, c); });
}

/// While the item that was drawn last is being edited, shows all of a text that is longer than its one line,
/// or that the field does not show as it reads. The text is on a card over the content below, so nothing
/// moves.
void full_text(Ui& ui, const std::string& text) {
  if (!ImGui::IsItemActive()) return;
  constexpr std::size_t max_lines = 8;
  constexpr float margin = 10.0F;
  constexpr float size = text_size::body;
  constexpr double seconds_to_read = 6.0;
  // It lies over the view, so it goes when the field is not used for a while.
  const bool moves = std::ranges::any_of(std::array{Key::left, Key::right, Key::home, Key::end}, is_key_down);
  const ImVec2 motion = ImGui::GetIO().MouseDelta;
  const bool points = ImGui::IsItemHovered() && (motion.x != 0.0F || motion.y != 0.0F);
  if (ImGui::IsItemActivated() || ImGui::IsItemEdited() || moves || points)
    ui.field_used_at = ImGui::GetTime();
  const double left = ui.field_used_at + seconds_to_read - ImGui::GetTime();
  if (left <= 0.0) return;
  ui.wake_in(left);
  const float width = ImGui::GetItemRectSize().x;
  const std::size_t shown = valid_utf8(text.substr(0, max_shown)).size();
  const std::string_view part = std::string_view(text).substr(0, shown);
  const bool is_shaped = ui.fonts.uses_shaping(part) && has_joined_letters(part);
  if (!is_shaped && ImGui::CalcTextSize(part.data(), part.data() + part.size()).x <= width) return;
  const ImVec2 min(ImGui::GetItemRectMin().x - ui.px(margin), ImGui::GetItemRectMax().y + ui.px(6.0F));
  const float room = ImGui::GetWindowPos().x + ImGui::GetWindowSize().x - min.x;
  const std::string whole = std::string(part) + (part.size() < text.size() ? " …" : "");
  std::vector<std::string> lines =
      paint::wrapped(ui, whole, Font::sans, size, room - 2.0F * ui.px(margin), max_lines);
  if (is_shaped) lines.emplace_back("The field keeps the letters in the order in which they are typed.");
  const float line = ui.px(1.4F * size);
  const ImVec2 max(min.x + room, min.y + line * static_cast<float>(lines.size()) + ui.px(2.0F * margin));
  ImDrawList& list = *ImGui::GetForegroundDrawList();
  paint::card(ui, list, min, max, ui.theme().panel, ui.theme().line, 6.0F);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    paint::text(ui, list, min.x + ui.px(margin),
                min.y + ui.px(margin) + line * (static_cast<float>(i) + 0.5F), lines[i], Font::sans, size,
                is_shaped && i + 1 == lines.size() ? ui.theme().quiet : ui.theme().text);
  }
}

}  // namespace

bool text_input(Ui& ui, const char* id, std::string& text, const TextInputOptions& options) {
  ImGui::PushID(id);
  const ImGuiID key = ImGui::GetID("##field");
  const bool is_cut = text.size() > max_shown && options.height == 0.0F && !options.read_only &&
                      !ui.field_texts.contains(key);
  const std::string_view shown =
      std::string_view(text).substr(0, is_cut ? start_of_character(text, max_shown) : text.size());
  ui.fonts.request_field_characters(shown);
  bool fits = true;
  const std::string before = ui.characters().held(shown, &fits);
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
    ui.focus_next_item();
  }
  const int number = successor;
  const auto last = ui.field_texts.find(key);
  const bool was_active = last != ui.field_texts.end();
  const bool enters_by_keyboard = !was_active && !ImGui::IsMouseDown(ImGuiMouseButton_Left);
  Edit edit{
      &held,
      is_cut || (was_active && last->second != before) ? &text : nullptr,
      is_cut && options.selects_all,
      enters_by_keyboard && (is_replaced || !options.selects_all),
      options.caret ? static_cast<int>(ui.characters().held(shown.substr(0, *options.caret)).size()) : -1,
      options.moved};
  const bool escape = ImGui::IsKeyPressed(native_key(Key::escape), false);
  ImGui::PushID(number);
  const ImGuiInputTextFlags flags =
      ImGuiInputTextFlags_CallbackResize | ImGuiInputTextFlags_CallbackAlways |
      ImGuiInputTextFlags_NoUndoRedo |
      (options.read_only ? ImGuiInputTextFlags_ReadOnly : ImGuiInputTextFlags_None) |
      (options.selects_all ? ImGuiInputTextFlags_AutoSelectAll : ImGuiInputTextFlags_None) |
      (options.moved != nullptr ? ImGuiInputTextFlags_CallbackHistory : ImGuiInputTextFlags_None);
  if (options.height > 0.0F) {
    Clipboard* const clipboard = Clipboard::current();
    if (clipboard != nullptr) clipboard->keep_lines(true);
    ImGui::InputTextMultiline("##field", held.data(), held.capacity() + 1, {0.0F, options.height},
                              flags | wraps_lines, on_edit, &edit);
    if (clipboard != nullptr) clipboard->keep_lines(false);
  } else {
    ImGui::InputTextWithHint("##field", options.hint, held.data(), held.capacity() + 1, flags, on_edit,
                             &edit);
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
  if (is_cut || held == before) return false;
  if (!fits) {
    ui.characters().refuse();
    return false;
  }
  text = ui.characters().shown(std::string_view(held));
  text.resize(start_of_character(text, options.max_bytes));
  return true;
}

bool sentence_field(Ui& ui, const char* id, std::string& text, const SentenceFieldOptions& options) {
  const ImVec4 clear(0.0F, 0.0F, 0.0F, 0.0F);
  constexpr float size = text_size::sentence;
  const float width = options.width > 0.0F ? options.width : ImGui::GetContentRegionAvail().x;
  ImGui::PushStyleColor(ImGuiCol_FrameBg, clear);
  ImGui::PushStyleColor(ImGuiCol_Border, clear);
  ImGui::PushStyleColor(keyboard_focus_color, clear);  // the caret is enough
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, ImVec2(0.0F, ui.px(4)));
  ImGui::SetNextItemWidth(width);
  if (options.take_focus) ui.focus_next_item();
  bool edited = false;
  {
    const PushedFont font = push_font(ui, Font::sans, size);
    ImGui::PushID(id);
    const bool was_edited = ui.field_texts.contains(ImGui::GetID("##field"));
    const ImGuiID caret_key = ImGui::GetID("##caret");
    ImGui::PopID();
    // The press that enters a field points into the text at rest, which stands elsewhere than the edited one.
    int caret = ImGui::GetStateStorage()->GetInt(caret_key, -1);
    const auto rest = was_edited ? std::nullopt : text_at_rest(ui, text, size, width);
    if (rest) ImGui::PushStyleColor(ImGuiCol_Text, clear);
    edited = text_input(ui, id, text,
                        {.hint = options.hint,
                         .selects_all = options.selects_all,
                         .read_only = options.read_only,
                         .caret = caret < 0 ? std::nullopt : std::optional(static_cast<std::size_t>(caret))});
    if (!ImGui::IsMouseDown(ImGuiMouseButton_Left)) caret = -1;
    if (rest) ImGui::PopStyleColor();
    if (rest) {
      if (ImGui::IsItemActivated() && ImGui::IsMouseClicked(ImGuiMouseButton_Left) && !options.selects_all) {
        caret = static_cast<int>(byte_at(ui, *rest, ImGui::GetMousePos()));
        ui.wake_in(0.0);
      }
      underline(ui, *rest, options.underlined);
      write(ui, *rest, text);
    } else {
      underline(ui, text, options.underlined, ImGui::GetItemRectSize().x);
      mark_scrolling(ui, text);
      draw_rare_letters(ui, text, size);
    }
    ImGui::GetStateStorage()->SetInt(caret_key, caret);
    full_text(ui, text);
  }
  ImGui::PopStyleVar();
  ImGui::PopStyleColor(3);
  return edited;
}

void leave_field(Ui& ui, bool& gives_back) {
  if (tab_goes_to_every_item) return;
  if (!ImGui::IsItemActive() || !ImGui::IsKeyPressed(native_key(Key::tab), false)) return;
  if (!ImGui::GetIO().KeyShift) return ui.focus_next_item();
  gives_back = true;
  ui.wake_in(0.0);
}

SearchFieldResult search_field(Ui& ui, const char* id, std::string& text, const char* hint) {
  SearchFieldResult entry;
  if (!ImGui::IsAnyItemActive()) ui.focus_next_item();
  ImGui::SetNextItemWidth(ImGui::GetContentRegionAvail().x);
  const PushedFont font = push_font(ui, Font::sans, text_size::title);
  entry.edited = text_input(ui, id, text, {.hint = hint, .moved = &entry.moved});
  entry.confirmed = ImGui::IsItemDeactivated() && is_key_down(Key::enter);
  return entry;
}

bool text_field(Ui& ui, const char* id, std::string& text, const char* hint, const char* tooltip) {
  ImGui::SetNextItemWidth(ImGui::GetContentRegionAvail().x);
  text_input(ui, id, text, {.hint = hint});
  const bool confirmed = ImGui::IsItemDeactivated() && is_key_down(Key::enter);
  tooltip_for_item(ui, tooltip);
  return confirmed;
}

}  // namespace headscope
