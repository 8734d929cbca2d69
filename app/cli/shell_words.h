#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"

namespace headscope {

/// Quotes one word for a shell. It stays as it is if sh, bash, dash and zsh all take it literally; otherwise
/// it is put in single quotes. If it contains line ends, control characters or invalid UTF-8, it becomes
/// $'a\x0a', which bash, ksh and zsh understand. A zero byte, which no word of a command line can hold,
/// becomes its picture (U+2400).
std::string shell_quoted(const std::string& word);

/// The words of a command as shell_quoted() and people write them: plain words, 'single quotes', "double
/// quotes" with \" and \\, backslashes outside of quotes, "$(printf '…')" with \\, %% and \OOO, and $'…' with
/// \\, \' and \xHH. A bar on its own is the word “|”. Fails if a quote is not closed.
Result<std::vector<std::string>> shell_words(std::string_view command);

}  // namespace headscope
