#pragma once

#include <string>

#include "tests/gui/monkey/dice.h"

namespace headscope::monkey {

/// A few letters or words, of any plane of Unicode.
std::string random_text(Dice& dice);
/// What a clipboard may hold: bytes that are no UTF-8, a long text, a very long word, blanks of all kinds.
std::string random_paste(Dice& dice);
/// Text as it can be read in a list of events: what is not printable ASCII by its number.
std::string readable(const std::string& text);

}  // namespace headscope::monkey
