#pragma once

#include <span>
#include <string>

#include "app/parts/frame.h"

namespace headscope {

/// A state of the window in which clicks or changes have a special meaning. Its record is used by the chip in
/// the line of views, the status line and Escape.
struct Mode {
  const char* name;    ///< the text on its chip
  CommandId ends;      ///< the command that ends it, by a click on its chip or by Escape
  const char* ending;  ///< a sentence that says what ending it does
  const char* ended;   ///< the message in the status line afterwards; empty if there is none
  bool (*is_on)(const Session& session, const ScreenState& screen);
  std::string (*hint)(const Frame& frame);  ///< what a click or change does in this mode
  const char* brief;                        ///< a shorter hint for a short line
};

std::span<const Mode> modes();
/// The mode that Escape would end. Null if the window is in none.
const Mode* mode_of(const Session& session, const ScreenState& screen);

}  // namespace headscope
