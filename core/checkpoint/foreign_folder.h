#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "core/checkpoint/foreign_model.h"

namespace headscope {

/// Whether a folder has a model's configuration, of any program.
bool has_model_config(const std::filesystem::path& folder);

/// Whether a folder's config.json names the model_type of another program.
bool is_foreign_folder(const std::filesystem::path& folder);

/// Reads the headers of a model folder in Hugging Face's layout. Errors are those of open_foreign_folder()
/// that show in headers.
Result<ForeignModel> read_foreign_headers(const std::filesystem::path& folder);

/// Opens a model folder in Hugging Face's layout: config.json, the weights (CheckpointFiles) and, if there is
/// one, a tokenizer. `name` becomes the model's name. Weights stay in their files and are converted to floats
/// and packed when a pass uses them. Errors name the file and what is supported: an unknown model_type;
/// quantised weights; tensors that are missing, left over or of another shape; a model that exceeds this
/// machine's memory, which is checked before any allocation. Numbers that are not finite are no error;
/// ModelFiles::non_finite_tensors() names their tensors.
Result<std::shared_ptr<const TrainedModel>> open_foreign_folder(const std::filesystem::path& folder,
                                                                const std::string& name);

/// Describes a model folder in Hugging Face's layout from its headers alone: “GPT-2 · 12 layers × 12 heads ·
/// 548 MB”. Errors are those of read_foreign_headers().
Result<std::string> describe_folder(const std::filesystem::path& folder);

/// The names of all families that can be opened: "GPT-2 (gpt2), …".
std::string known_families();

}  // namespace headscope
