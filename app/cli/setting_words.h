#pragma once

#include <string>

#include "core/result.h"
#include "core/session/setting.h"

namespace headscope {

/// Reads the value of a setting's option into a session. An error names the option, the given value and what
/// it takes. See shared_words.h and session_options.h for settings whose option is shared or names a file.
Result<void> read_setting(const Setting& setting, const std::string& given, Session& session);

/// The word after the option that read_setting() reads back as the session's value.
std::string word_of(const Setting& setting, const Session& session);

}  // namespace headscope
