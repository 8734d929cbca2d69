#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>

#include "core/model/attention_options.h"
#include "core/result.h"

namespace headscope {

/// The greatest number of mask cells that are stored with a session. If there are more, only the names of the
/// masks are stored.
inline constexpr std::size_t most_kept_mask_cells = std::size_t{1} << 20U;

/// The number of cells of all masks that were loaded from files.
std::size_t mask_cells(const AttentionOptions& attention);

/// Writes the masks that were loaded from files, with their numbers, into the JSON of a subject. Each row is
/// a text, such as "1101" for a boolean mask and "0,-inf,0.5" for an additive one.
void keep_masks(const AttentionOptions& attention, nlohmann::json& subject);

/// Leaves only the last parts of the paths of these masks in the JSON, which is given to others.
void shorten_mask_names(nlohmann::json& subject);

/// Reads what keep_masks() wrote. It is an error if a mask does not hold the numbers that its shape
/// announces.
Result<void> read_masks(const nlohmann::json& subject, AttentionOptions& attention);

/// Replaces masks by equal ones of `other`, so that subjects that shared a mask share it again.
void share_masks(AttentionOptions& attention, const AttentionOptions& other);

}  // namespace headscope
