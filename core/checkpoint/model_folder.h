#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/measures/measure.h"
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
/// The same, except that the written model opens on the head `shows` instead of its own.
Result<void> save_model(const std::filesystem::path& folder, const TrainedModel& model, HeadIndex shows);

/// Reads a model folder, or a GGUF file (open_gguf()). `name` becomes the model's name, by
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

/// A trained model that comes with the program.
struct BundledModel {
  std::string_view name;  ///< The name of its folder and on the command line.
  std::string_view title;
  std::string_view about;  ///< A few words for a list.
};
/// The first one opens at the start.
inline constexpr std::array bundled_models{
    BundledModel{"pronouns", "Pronouns", "Finds the noun that “it” stands for"},
    BundledModel{"stories", "Stories", "Continues any text in simple English"},
    BundledModel{"copying", "Copying", "Repeats a list (induction heads)"},
    BundledModel{"reversing", "Reversing", "Writes a list backwards (encoder and decoder)"}};
/// The model that continues any text.
inline constexpr std::string_view default_writing_model = "stories";

bool is_bundled(std::string_view name);
/// “pronouns, stories, copying, reversing”
std::string bundled_names();

/// The folders to search for bundled models, each in a subfolder of its name. The first match is used. The
/// locations depend on the installation, so the program passes them in.
using ModelSearchPaths = std::vector<std::filesystem::path>;

/// Resolves the name of a bundled model, or the path of a folder, to a folder. It is an error if a bundled
/// model is in none of the places.
Result<std::filesystem::path> model_folder(const std::string& name_or_folder, const ModelSearchPaths& places);

/// Opens a model by its folder, or by the name of a bundled model, which then becomes its TrainedModel::name.
/// A folder that has the name of a bundled model is opened as "./name". Errors are those of load_model(), and
/// a bundled model that is in none of the places.
ModelSlices open_model_slices(std::string name_or_folder, ModelSearchPaths places);
inline Result<std::shared_ptr<const TrainedModel>> open_model(const std::string& name_or_folder,
                                                              const ModelSearchPaths& places) {
  return open_model_slices(name_or_folder, places).finish();
}

}  // namespace headscope
