#pragma once

#include <string>
#include <string_view>

#include "core/result.h"
#include "core/session/setting.h"
#include "core/session/settings.h"

namespace headscope {

/// Parses the value of a setting's option into a session. The error names the option, the value and what is
/// valid. See parse_shared_option() and session_options.h for settings whose option is shared or names a
/// file.
Result<void> parse_setting(const Setting& setting, const std::string& given, Session& session);

/// Sets a setting from text written as by value_text(). The error calls it the value of `option`.
Result<void> set_from_text(const Setting& setting, std::string_view option, const std::string& given,
                           Session& session);

/// Parses an option that several settings share (core/session/settings.h) into a session: --no-bias,
/// --colors, --range or --transfer, with values separated by commas. The error names the option, the value
/// and what is valid. See mask_options.h for masks, which count tokens and name files.
Result<void> parse_shared_option(const SharedOption& option, const std::string& given, Session& session);

}  // namespace headscope
