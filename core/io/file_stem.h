#pragma once

#include <string>

namespace headscope {

/// Turns a title into the name of a file without its extension: "Why it looks back" → "why-it-looks-back".
/// Letters beyond ASCII stay. Empty if the title has neither letters nor digits.
std::string file_stem(const std::string& title);

}  // namespace headscope
