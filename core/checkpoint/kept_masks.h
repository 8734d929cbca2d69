#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>

#include "core/model/attention_options.h"
#include "core/result.h"

namespace headscope {

/// The most cells of masks that are kept with a session. What is larger is only named.
inline constexpr std::size_t most_kept_mask_cells = std::size_t{1} << 20U;

/// How many cells the masks have that were loaded from files.
std::size_t mask_cells(const AttentionOptions& attention);

/// Writes the masks that were loaded from files into the JSON of a subject, with their numbers: each row as a
/// text, that of a boolean mask "1101", that of an additive one "0,-inf,0.5".
void keep_masks(const AttentionOptions& attention, nlohmann::json& subject);

/// Reads what keep_masks() wrote. It is an error if a mask does not hold the numbers that its shape
/// announces.
Result<void> read_masks(const nlohmann::json& subject, AttentionOptions& attention);

/// Replaces masks by equal ones of `other`, so that subjects which had a mask in common have it in common
/// again.
void share_masks(AttentionOptions& attention, const AttentionOptions& other);

}  // namespace headscope
