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
  std::string_view name;  ///< Of its folder, and on the command line.
  std::string_view title;
  std::string_view does;  ///< A few words for a list.
};
/// The program opens the first.
inline constexpr std::array bundled_models{
    BundledModel{"pronouns", "Pronouns", "Finds the noun that “it” stands for"},
    BundledModel{"stories", "Stories", "Continues any text in simple English"},
    BundledModel{"copying", "Copying", "Repeats a list (induction heads)"},
    BundledModel{"reversing", "Reversing", "Writes a list backwards (encoder and decoder)"}};
/// The model that continues whatever a person types.
inline constexpr std::string_view model_that_writes = "stories";

bool is_bundled(std::string_view name);
/// “pronouns, stories, copying, reversing”
std::string bundled_names();

/// The folders that may hold the bundled models, each model in a subfolder of its name. The first folder that
/// holds the model is used. The locations depend on the installation, so the program passes them in.
using ModelPlaces = std::vector<std::filesystem::path>;

/// The folder of a model that is named like this or lies there. It is an error if a bundled model is in none
/// of the places.
Result<std::filesystem::path> model_folder(const std::string& name_or_folder, const ModelPlaces& places);

/// Opens a model by its folder, or by the name of a bundled model, which then becomes its TrainedModel::name.
/// A folder that has the name of a bundled model is opened as "./name". Errors are those of load_model(), and
/// a bundled model that is in none of the places.
Result<std::shared_ptr<const TrainedModel>> open_model(const std::string& name_or_folder,
                                                       const ModelPlaces& places);

}  // namespace headscope
