#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

#include "core/model/trained_model.h"

namespace headscope {

/// The kinds of models that this program writes: those of its tasks, and those trained on a text.
enum class WrittenModel { of_task, of_text };

/// Checks that a model may be written to a folder: it is missing, empty, or already holds one of its kind
/// that this program wrote.
Result<void> check_model_folder(const std::filesystem::path& folder, WrittenModel kind);

/// Creates the folder if it is missing. Returns whether the folder was created. Errors are those of
/// check_model_folder(), and a path that cannot be written.
Result<bool> make_model_folder(const std::filesystem::path& folder);

/// Whether a folder, not a link to one, holds nothing but the files that save_model() writes.
bool holds_only_a_model(const std::filesystem::path& folder);

/// Writes a model folder: config.json, model.safetensors, vocab.txt; of a capture, only model.safetensors.
/// The folder is created if it is missing, and the files are put in place together, as AtomicFolder does. It
/// is an error if the folder holds something else or the path cannot be written.
Result<void> save_model(const std::filesystem::path& folder, const TrainedModel& model);
/// A head that is written in place of TrainedModel::layer and head.
struct ShownHead {
  int layer = 0;
  int head = 0;
};
Result<void> save_model(const std::filesystem::path& folder, const TrainedModel& model, ShownHead shows);

/// Reads a model folder, or a GGUF file (core/checkpoint/gguf_model.h). `name` becomes the model's name; an
/// empty `name` stands for the folder's path. It is an error if files are missing or not regular, if
/// config.json belongs to another program, or if parameters are missing, have the wrong shape or are not
/// finite. The message names the file and what was found and expected. No memory is allocated for what
/// config.json claims before the tensors are known to have those shapes.
Result<std::shared_ptr<const TrainedModel>> load_model(const std::filesystem::path& folder,
                                                       const std::string& name = {});
/// The hash of all numbers and words of a model. It depends on nothing else, such as the process that
/// produced them.
std::uint64_t content_hash(const TrainedModel& model);

/// Reads weights that are only stored in the folder. They get no name, like weights that were just trained.
Result<std::shared_ptr<const TrainedModel>> load_weights(const std::filesystem::path& folder);

}  // namespace headscope
