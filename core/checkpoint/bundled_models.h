#pragma once

#include <array>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/trained_model.h"

namespace headscope {

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
