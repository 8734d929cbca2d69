#pragma once

#include <string>
#include <string_view>

#include "core/result.h"
#include "core/session/setting.h"
#include "core/session/settings.h"

namespace headscope {

/// Reads the value of a setting's option into a session. An error names the option, the given value and what
/// it takes. See read_shared() and session_options.h for settings whose option is shared or names a file.
Result<void> read_setting(const Setting& setting, const std::string& given, Session& session);

/// The word after the option that read_setting() reads back as the session's value.
std::string word_of(const Setting& setting, const Session& session);

/// Reads the value of an option that several settings share (core/session/settings.h) into a session:
/// --no-bias, --colors, --range or --transfer. Several values may be separated by commas. An error names the
/// option, the given value and what it takes. See mask_options.h for masks, which count tokens and name
/// files.
Result<void> read_shared(const SharedOption& option, const std::string& given, Session& session);

/// The word that read_shared() reads back as the session's value.
std::string shared_word(const SharedOption& option, const Session& session);

}  // namespace headscope
