#pragma once

#include <string>
#include <string_view>

#include "core/result.h"
#include "core/session/session.h"

namespace headscope {

/// Formats and reads the covered cells and their stage, such as
/// "rows:2+cells:0.1,3.2@encoder.layers.0.self.heads.2.weights" or "none". When reading, a missing stage
/// means the selected one. Errors name the wrong word. repaired() checks whether the stage has such cells.
std::string words_of_cover(const Session& session);
Result<void> read_cover(Session& session, std::string_view words);

/// Formats and reads the cells that were answered correctly, such as "0.1,3.2" or "none".
std::string words_of_answers(const Session& session);
Result<void> read_answers(Session& session, std::string_view words);

}  // namespace headscope
