#pragma once

#include <string>

#include "core/engine/batch_export.h"

namespace headscope {

/// A session's JSON with "guesses": the rows in which the model's prediction is a guess; for several passes,
/// a list for each. The JSON is unchanged if the model was trained for no task or the text is not a JSON
/// object.
std::string with_guesses(const std::string& session_json, const Trace& trace);
std::string with_guesses(const std::string& session_json, BatchTraces traces);

}  // namespace headscope
