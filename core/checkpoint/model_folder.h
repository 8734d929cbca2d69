#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

#include "core/model/trained_model.h"

namespace headscope {

/// The kinds of models that this program writes: of its tasks, and of texts.
enum class WrittenModel { of_task, of_text };

/// Checks that a model may be written to a folder: it is missing, empty, or holds a model of this kind that
/// this program wrote.
Result<void> check_model_folder(const std::filesystem::path& folder, WrittenModel kind);

/// Creates the folder if it is missing. Returns whether it did. Errors are those of check_model_folder(), and
/// a path that cannot be written.
Result<bool> make_model_folder(const std::filesystem::path& folder);

/// Whether a folder (not a link) holds only files that save_model() writes.
bool holds_only_a_model(const std::filesystem::path& folder);

/// Writes a model folder atomically (AtomicFolder), creating it if needed: config.json, model.safetensors,
/// vocab.txt; of a capture, only model.safetensors. It is an error if the folder holds anything else or the
/// path cannot be written.
Result<void> save_model(const std::filesystem::path& folder, const TrainedModel& model);
/// Overrides TrainedModel::layer and head in a written model.
struct ShownHead {
  int layer = 0;
  int head = 0;
};
Result<void> save_model(const std::filesystem::path& folder, const TrainedModel& model, ShownHead shows);

/// Reads a model folder, or a GGUF file (core/checkpoint/gguf_model.h). `name` becomes the model's name, by
/// default the folder's path. Errors, which name the file and what was found and expected: files are missing
/// or not regular; config.json belongs to another program; parameters are missing, of the wrong shape or not
/// finite. A slice reads a tensor or a part of one. Allocates nothing for what config.json claims before the
/// tensors confirm the shapes.
ModelSlices load_model_slices(std::filesystem::path folder, std::string name = {});
inline Result<std::shared_ptr<const TrainedModel>> load_model(const std::filesystem::path& folder,
                                                              const std::string& name = {}) {
  return load_model_slices(folder, name).finish();
}
/// The hash of all numbers and words of a model, and of nothing else, such as the process that produced them.
std::uint64_t content_hash(const TrainedModel& model);

/// Reads stored weights. They get no name, like weights that were just trained.
Result<std::shared_ptr<const TrainedModel>> load_weights(const std::filesystem::path& folder);

}  // namespace headscope
