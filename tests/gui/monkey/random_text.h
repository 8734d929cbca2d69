#pragma once

#include <string>

#include "tests/gui/monkey/dice.h"

namespace headscope::monkey {

/// A few letters or words from any plane of Unicode.
std::string random_text(Dice& dice);
/// Text that a clipboard may hold: invalid UTF-8, a long text, a very long word, or blanks of all kinds.
std::string random_paste(Dice& dice);
/// Escapes all but printable ASCII as numbers, for a list of events.
std::string readable(const std::string& text);

}  // namespace headscope::monkey
