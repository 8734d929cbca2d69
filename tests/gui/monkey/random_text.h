#pragma once

#include <string>

#include "tests/gui/monkey/dice.h"

namespace headscope::monkey {

/// A few letters or words from any plane of Unicode.
std::string random_text(Dice& dice);
/// Text that a clipboard may hold: invalid UTF-8, a long text, a very long word, or blanks of all kinds.
std::string random_paste(Dice& dice);
/// Makes a text readable in a list of events by writing characters other than printable ASCII as numbers.
std::string readable(const std::string& text);

}  // namespace headscope::monkey
