#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>

#include "core/model/attention_options.h"
#include "core/result.h"

namespace headscope {

/// The maximum number of mask cells that are stored with a session. Beyond it, only the names of the masks
/// are.
inline constexpr std::size_t max_saved_mask_cells = std::size_t{1} << 20U;

/// The number of cells of all masks from files.
std::size_t mask_cells(const AttentionOptions& attention);

/// Writes masks from files into the JSON of a subject. Each row is a text, such as "1101" for a boolean mask
/// and "0,-inf,0.5" for an additive one.
void save_masks(const AttentionOptions& attention, nlohmann::json& subject);

/// Reduces the paths of these masks to file names, for JSON that leaves the machine.
void shorten_mask_names(nlohmann::json& subject);

/// Reads what save_masks() wrote. It is an error if a mask's numbers do not match its shape.
Result<void> read_masks(const nlohmann::json& subject, AttentionOptions& attention);

/// Replaces masks with equal ones of `other`, so that subjects share them.
void share_masks(AttentionOptions& attention, const AttentionOptions& other);

}  // namespace headscope
