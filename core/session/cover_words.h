#pragma once

#include <string>
#include <string_view>

#include "core/result.h"
#include "core/session/session.h"

namespace headscope {

/// Format and parse the covered cells and their stage, such as
/// "rows:2+cells:0.1,3.2@encoder.layers.0.self.heads.2.weights" or "none". A missing stage means the selected
/// one. Errors name the wrong word. repaired() checks that the cells exist.
std::string format_cover(const Session& session);
Result<void> parse_cover(Session& session, std::string_view words);

/// Format and parse the cells that were answered correctly, such as "0.1,3.2" or "none".
std::string format_answers(const Session& session);
Result<void> parse_answers(Session& session, std::string_view words);

}  // namespace headscope
