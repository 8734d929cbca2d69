#pragma once

#include <array>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "core/model/trained_model.h"

namespace headscope {

/// The trained models that come with the program. The first is the one that it opens on.
inline constexpr std::array<std::string_view, 3> bundled_models{"pronouns", "copying", "reversing"};

bool is_bundled(std::string_view name);

/// Where they are: a folder for each, made by “headscope train”.
std::filesystem::path bundled_models_folder();

/// Opens a model by the name of a bundled one, which is then its TrainedModel::name, or by its folder. A
/// folder that is called like a bundled model is opened as "./name". Errors: those of load_model().
Result<std::shared_ptr<const TrainedModel>> open_model(const std::string& name_or_folder);

}  // namespace headscope
