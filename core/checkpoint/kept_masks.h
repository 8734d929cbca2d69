#pragma once

#include <nlohmann/json_fwd.hpp>

#include "core/model/attention_options.h"
#include "core/result.h"

namespace headscope {

/// Writes the masks that were loaded from files into the JSON of a subject, with their numbers: a row of a
/// boolean mask as a text of 0 and 1, a row of an additive one as a list of numbers in which null stands for
/// −∞.
void keep_masks(const AttentionOptions& attention, nlohmann::json& subject);

/// Reads what keep_masks() wrote. It is an error if the shape of a mask is not that of its numbers, or if it
/// holds anything that no mask file may hold.
Result<void> read_masks(const nlohmann::json& subject, AttentionOptions& attention);

}  // namespace headscope
