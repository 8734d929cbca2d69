#pragma once

#include <string>

namespace headscope {

/// Converts a title to a file name without extension: "Why it looks back" → "why-it-looks-back". Keeps
/// non-ASCII letters. Empty if the title has neither letters nor digits.
std::string file_stem(const std::string& title);

}  // namespace headscope
