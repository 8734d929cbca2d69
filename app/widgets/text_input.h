#pragma once

#include <cstddef>
#include <limits>
#include <string>

#include "app/ui/ui.h"
#include "core/text/tokenizer.h"

namespace headscope {

struct TextInputLook {
  const char* hint = "";
  bool selects_all = false;  ///< when it takes the keyboard focus, so that typing replaces the text
  bool read_only = false;
  float height = 0.0F;   ///< of several lines, in ImGui pixels; 0: one line. Without a hint
  int* moved = nullptr;  ///< counts the arrows down minus those up; null: the field ignores them
  std::size_t most_bytes = std::numeric_limits<std::size_t>::max();  ///< the rest is cut off
};

/// The field that is used for every text in the window: one line or several without a length limit, in which
/// every character of Unicode can be typed, copied and pasted, whatever ImGui's own fields can hold. Of the
/// characters that these cannot hold, 39,921 different ones are available in a run of the program
/// (WidgetCharacters); an edit that needs more is refused. `text` belongs to the caller: if it has changed
/// from outside, the field follows, even while it is being edited. The field has no undo history, and Escape
/// leaves the text unchanged. Returns true if `text` was edited.
bool text_input(Ui& ui, const char* id, std::string& text, const TextInputLook& look);

struct SentenceFieldLook {
  float size = text_size::sentence;
  const char* hint = "Type a sentence";
  float width = 0.0F;        ///< in ImGui pixels; 0: the remaining room
  bool take_focus = false;   ///< gives the keyboard focus to the field now
  bool selects_all = false;  ///< selects the text when the field takes the focus, so that typing replaces it
  bool read_only = false;
  TextSpan underlined = {};  ///< the underlined bytes of the text; not drawn while the field scrolls
};

/// Whether Tab was pressed in the field that was drawn last, and in which direction it leaves the field. None
/// if ImGui itself moves the focus.
enum class FieldExit { none, forwards, backwards };
FieldExit field_exit();

/// A line of text that scrolls sideways and has no length limit. `text` belongs to the session: if it has
/// changed from outside (undo), the field follows, even while it is being edited. The field has no undo
/// history and ignores Ctrl+Z. Returns true for every edit, with the new text.
bool sentence_field(Ui& ui, const char* id, std::string& text, const SentenceFieldLook& look);

/// What happened in a field that chooses from a list below it.
struct SearchEntry {
  bool edited = false;
  int moved = 0;  ///< the number of presses of the down arrow minus those of the up arrow
  bool confirmed = false;
};
/// A field that keeps the keyboard focus as long as it is drawn.
SearchEntry search_entry(Ui& ui, const char* id, std::string& text, const char* hint);

/// A plain text field in the interface's size (for a path or a name). Returns true if the user ends it with
/// Enter.
bool text_entry(Ui& ui, const char* id, std::string& text, const char* hint, const char* tooltip);

}  // namespace headscope
