#pragma once

#include <span>
#include <string>

#include "app/parts/frame.h"

namespace headscope {

/// A state of the window in which clicks or changes mean something else than usual. The chip in the line of
/// the views, the status line and Escape read its record.
struct Mode {
  const char* name;    ///< on its chip
  CommandId ends;      ///< what ends it, by a click on its chip or by Escape
  const char* ending;  ///< what that does, in a sentence
  const char* ended;   ///< what the status line says then; empty: nothing
  bool (*is_on)(const Session& session, const ScreenState& screen);
  std::string (*hint)(const Frame& frame);  ///< what a click or a change does meanwhile
  const char* brief;                        ///< the same where the line is short
};

std::span<const Mode> modes();
/// The mode that Escape would end; null: the window is in none.
const Mode* mode_of(const Session& session, const ScreenState& screen);

}  // namespace headscope
