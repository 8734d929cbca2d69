#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "core/model/trained_model.h"

namespace headscope {

/// Whether a folder's config.json is that of another program: it names a model_type, but not ours.
bool is_foreign_folder(const std::filesystem::path& folder);

/// Opens a model folder in Hugging Face's layout: config.json, the weights (CheckpointFiles) and, where one
/// is there, a tokenizer. `name` becomes the model's. Weights are converted to floats and packed on all
/// cores. Errors name the file and what is known instead: a model_type of no family, quantised weights,
/// tensors that are missing, left over or of another shape, and models that are too large for this machine's
/// memory, before any of it is taken. Numbers that are not finite are no error: TrainedModel::not_finite
/// names their tensors.
Result<std::shared_ptr<const TrainedModel>> open_foreign_folder(const std::filesystem::path& folder,
                                                                const std::string& name);

/// The names of all families that can be opened: "GPT-2 (gpt2), …".
std::string known_families();

}  // namespace headscope
