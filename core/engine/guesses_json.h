#pragma once

#include <string>

#include "core/engine/batch_export.h"

namespace headscope {

/// A session's JSON with "guesses": the rows at which what the model tells is a guess, of several passes a
/// list for each. Unchanged where the model was trained for nothing, or the text is no JSON object.
std::string with_guesses(const std::string& session_json, const Trace& trace);
std::string with_guesses(const std::string& session_json, BatchTraces traces);

}  // namespace headscope
