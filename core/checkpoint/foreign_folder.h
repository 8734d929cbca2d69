#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "core/checkpoint/foreign_model.h"

namespace headscope {

/// Whether a folder has a model's configuration, whichever program wrote it.
bool has_model_config(const std::filesystem::path& folder);

/// Whether a folder's config.json belongs to another program, that is, names a model_type other than this
/// program's.
bool is_foreign_folder(const std::filesystem::path& folder);

/// Reads the headers of a model folder in Hugging Face's layout. Errors are those of open_foreign_folder()
/// that can be found in headers.
Result<ForeignModel> read_foreign_headers(const std::filesystem::path& folder);

/// Opens a model folder in Hugging Face's layout: config.json, the weights (CheckpointFiles) and, if there is
/// one, a tokenizer. `name` becomes the model's name. Weights stay in their files and are converted to floats
/// and packed when a pass uses them. It is an error if the model_type belongs to no family, if weights are
/// quantised, if tensors are missing, left over or of another shape, or if the model is too large for the
/// memory of this machine; the latter is checked before any memory is allocated. The message names the file
/// and what is known instead. Numbers that are not finite are not an error; ModelFiles::not_finite() names
/// their tensors.
Result<std::shared_ptr<const TrainedModel>> open_foreign_folder(const std::filesystem::path& folder,
                                                                const std::string& name);

/// Describes a model folder in Hugging Face's layout from its headers alone: “GPT-2 · 12 layers × 12 heads ·
/// 548 MB”. Errors are those of read_foreign_headers().
Result<std::string> describe_folder(const std::filesystem::path& folder);

/// The names of all families that can be opened: "GPT-2 (gpt2), …".
std::string known_families();

}  // namespace headscope
