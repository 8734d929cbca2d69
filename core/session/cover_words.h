#pragma once

#include <string>
#include <string_view>

#include "core/result.h"
#include "core/session/session.h"

namespace headscope {

/// "rows:2+cells:0.1,3.2@encoder.layers.0.self.heads.2.weights": what is covered, and on which stage; "none".
/// Reading takes the selected stage where none is named, and gives an error that names the word. Whether the
/// stage has such cells is for repaired() to see.
std::string words_of_cover(const Session& session);
Result<void> read_cover(Session& session, std::string_view words);

/// The cells that were answered rightly: "0.1,3.2", "none".
std::string words_of_answers(const Session& session);
Result<void> read_answers(Session& session, std::string_view words);

}  // namespace headscope
