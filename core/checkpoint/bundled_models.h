#pragma once

#include <array>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/trained_model.h"

namespace headscope {

/// The trained models bundled with the program. The program opens the first.
inline constexpr std::array<std::string_view, 3> bundled_models{"pronouns", "copying", "reversing"};

bool is_bundled(std::string_view name);

/// The folders that may hold the bundled models, each model in a subfolder of its name. The first folder that
/// holds the model is used. The locations depend on the installation, so the program passes them in.
using ModelPlaces = std::vector<std::filesystem::path>;

/// Opens a model by its folder, or by the name of a bundled model, which then becomes its TrainedModel::name.
/// A folder that has the name of a bundled model is opened as "./name". Errors are those of load_model(), and
/// a bundled model that is in none of the places.
Result<std::shared_ptr<const TrainedModel>> open_model(const std::string& name_or_folder,
                                                       const ModelPlaces& places);

}  // namespace headscope
