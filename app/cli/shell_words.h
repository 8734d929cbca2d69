#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"

namespace headscope {

/// The words of a command as shell_quoted() of render_command_text.h writes them: plain ones, 'single
/// quotes', backslashes outside of quotes, and $'…' with \\, \' and \xHH. A bar on its own is the word “|”.
/// An error if a quote is not closed.
Result<std::vector<std::string>> shell_words(std::string_view command);

}  // namespace headscope
