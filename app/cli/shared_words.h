#pragma once

#include <string>
#include <string_view>

#include "core/result.h"
#include "core/session/settings.h"

namespace headscope {

/// Takes what a shared option (core/session/settings.h) was given into a session: --no-bias, --colors,
/// --range, --transfer. Several values may stand side by side with commas between them. An error names the
/// option, what was given, and what it takes. Of masks, which count tokens and name files, see
/// mask_options.h.
Result<void> read_shared(const SharedOption& option, const std::string& given, Session& session);

/// The word that read_shared() reads as what the session holds.
std::string shared_word(const SharedOption& option, const Session& session);

}  // namespace headscope
