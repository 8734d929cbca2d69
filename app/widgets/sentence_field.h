#pragma once

#include <string>

#include "app/ui/ui.h"
#include "core/text/tokenizer.h"

namespace headscope {

struct SentenceFieldLook {
  float size = text_size::sentence;
  const char* hint = "Type a sentence";
  float width = 0.0F;        ///< ImGui pixels; 0: what is left
  bool take_focus = false;   ///< puts the keyboard into the field now
  bool selects_all = false;  ///< of a text that takes the keyboard, so that typing replaces it
  TextSpan underlined = {};  ///< bytes of the text that are marked; none while the field scrolls
};

/// Whether Tab was pressed in the field that was drawn last, and which way it leaves it. None where ImGui
/// goes there by itself.
enum class FieldExit { none, forwards, backwards };
FieldExit field_exit();

/// One line that scrolls sideways and grows without bound. `text` is the session's: when it changed from
/// outside (undo), the field follows even while it is edited. It has no history of its own and leaves Ctrl+Z
/// alone. True, with the new text, on every edit.
bool sentence_field(Ui& ui, const char* id, std::string& text, const SentenceFieldLook& look);

/// What happened to a field that chooses from a list below it.
struct SearchEntry {
  bool edited = false;
  int moved = 0;  ///< arrows down less those up
  bool confirmed = false;
};
/// A field that keeps the keyboard as long as it is drawn.
SearchEntry search_entry(Ui& ui, const char* id, std::string& text, const char* hint);

/// A plain text entry in the interface's size (a path, a name). True when Enter ends it.
bool text_entry(Ui& ui, const char* id, std::string& text, const char* hint, const char* tooltip);

}  // namespace headscope
