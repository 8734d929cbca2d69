#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"

namespace headscope {

/// One word of a shell: as it is where sh, bash, dash and zsh take it so, otherwise in single quotes, and
/// where it holds line ends, control characters or bytes that are no UTF-8, which not every file that carries
/// a command can hold, as "$(printf '\033')" with its quotation marks. A word that ends with a line end,
/// which that would lose, is $'a\x0a', which dash does not understand. A zero, which no word of a command
/// line can hold, becomes its picture (U+2400).
std::string shell_quoted(const std::string& word);

/// The words of a command as shell_quoted() writes them: plain ones, 'single quotes', backslashes outside of
/// quotes, "$(printf '…')" with \\, %% and \OOO, and $'…' with \\, \' and \xHH. A bar on its own is the word
/// “|”. An error if a quote is not closed.
Result<std::vector<std::string>> shell_words(std::string_view command);

}  // namespace headscope
