#pragma once

#include <cstddef>
#include <limits>
#include <optional>
#include <string>

#include "app/ui/ui.h"
#include "core/text/tokenizer.h"

namespace headscope {

struct TextInputOptions {
  const char* hint = "";
  bool selects_all = false;  ///< when it takes the keyboard focus, so that typing replaces the text
  bool read_only = false;
  std::optional<std::size_t> caret = {};  ///< the byte at which the caret is kept; empty: where ImGui puts it
  float height = 0.0F;                    ///< of several lines, in ImGui pixels; 0: one line. Without a hint
  int* moved =
      nullptr;  ///< adds presses of the down arrow and subtracts those of the up arrow; null: ignores them
  std::size_t max_bytes = std::numeric_limits<std::size_t>::max();  ///< the rest is cut off
};

/// The text field of this program: one line or several without a length limit, for all of Unicode. Characters
/// that ImGui's fields cannot hold are replaced by stand-ins (WidgetCharacters), of which a process has
/// 39,921; an edit that needs more is rejected. If the caller changes `text`, the field follows, even during
/// an edit. There is no undo history, and Escape leaves the text unchanged. Returns true if `text` was
/// edited.
bool text_input(Ui& ui, const char* id, std::string& text, const TextInputOptions& options);

struct SentenceFieldOptions {
  const char* hint = "Type a sentence";
  float width = 0.0F;        ///< in ImGui pixels; 0: the remaining room
  bool take_focus = false;   ///< focuses the field now
  bool selects_all = false;  ///< selects the text when the field takes the focus, so that typing replaces it
  bool read_only = false;
  TextSpan underlined = {};  ///< the underlined bytes of the text; not drawn while the field scrolls
};

/// Moves the focus out of the field drawn last on Tab in versions of ImGui in which Tab only moves between
/// text fields: to the item that is drawn next, or with Shift to the one before, which takes the focus if
/// `gives_back` is set.
void leave_field(Ui& ui, bool& gives_back);

/// A line of text that scrolls sideways, without a length limit. If the caller changes `text`, as undo does,
/// the field follows, even during an edit. It has no undo history and ignores Ctrl+Z. Returns true for every
/// edit.
bool sentence_field(Ui& ui, const char* id, std::string& text, const SentenceFieldOptions& options);

/// The input of a frame in a field above a list.
struct SearchFieldResult {
  bool edited = false;
  int moved = 0;  ///< the number of presses of the down arrow minus those of the up arrow
  bool confirmed = false;
};
/// A field that keeps the keyboard focus as long as it is drawn.
SearchFieldResult search_field(Ui& ui, const char* id, std::string& text, const char* hint);

/// A plain text field in the interface's size (for a path or a name). Returns true if the user ends it with
/// Enter.
bool text_field(Ui& ui, const char* id, std::string& text, const char* hint, const char* tooltip);

}  // namespace headscope
