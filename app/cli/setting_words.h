#pragma once

#include <string>

#include "core/result.h"
#include "core/session/setting.h"

namespace headscope {

/// Takes what the option of a setting was given into a session. An error names the option, what was given,
/// and what it takes. Of settings whose option is shared or names a file, see shared_words.h and
/// session_options.h.
Result<void> read_setting(const Setting& setting, const std::string& given, Session& session);

/// The word after its option that read_setting() reads as the session's value.
std::string word_of(const Setting& setting, const Session& session);

}  // namespace headscope
