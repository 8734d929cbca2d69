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

/// Gives a setting a value that is typed as value_text() writes it. An error calls it the value of `option`.
Result<void> give_text(const Setting& setting, std::string_view option, const std::string& given,
                       Session& session);

/// Reads the value of an option that several settings share (core/session/settings.h) into a session:
/// --no-bias, --colors, --range or --transfer. Several values may be separated by commas. An error names the
/// option, the given value and what it takes. See mask_options.h for masks, which count tokens and name
/// files.
Result<void> read_shared(const SharedOption& option, const std::string& given, Session& session);

}  // namespace headscope
