#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

#include "core/model/trained_model.h"

namespace headscope {

/// Whether a model may be written there: a folder that is missing, empty, or holds a model already.
Result<void> check_model_folder(const std::filesystem::path& folder);

/// Creates the folder if it is missing; returns whether it was. Errors: those of check_model_folder(), a path
/// that cannot be written.
Result<bool> make_model_folder(const std::filesystem::path& folder);

/// Writes a model folder: config.json, model.safetensors, vocab.txt. The folder is created if missing; the
/// files are put in place together, as by AtomicFolder. Errors: a folder that holds something else, a path
/// that cannot be written.
Result<void> save_model(const std::filesystem::path& folder, const TrainedModel& model);
/// The same with another head for TrainedModel::layer and head.
struct ShownHead {
  int layer = 0;
  int head = 0;
};
Result<void> save_model(const std::filesystem::path& folder, const TrainedModel& model, ShownHead shows);

/// Reads a model folder; `name` becomes the model's, the folder where it is empty. Errors name the file and
/// what was found and expected: files that are missing, a config.json of another program, parameters that are
/// missing, have the wrong shape or are not finite, files that are not regular. No memory is allocated for
/// what config.json claims before the tensors are known to have those shapes.
Result<std::shared_ptr<const TrainedModel>> load_model(const std::filesystem::path& folder,
                                                       const std::string& name = {});
/// Of all numbers and words of a model: the same for the same, whichever process found them.
std::uint64_t content_hash(const TrainedModel& model);

/// The same for weights that are only kept there: they have no name, as those that were just trained.
Result<std::shared_ptr<const TrainedModel>> load_weights(const std::filesystem::path& folder);

}  // namespace headscope
