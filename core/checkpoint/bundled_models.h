#pragma once

#include <array>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/trained_model.h"

namespace headscope {

/// The trained models that come with the program. The first is the one that it opens on.
inline constexpr std::array<std::string_view, 3> bundled_models{"pronouns", "copying", "reversing"};

bool is_bundled(std::string_view name);

/// The folders that may hold the bundled models, each in a folder of its name; the first that holds one is
/// taken. Where they are depends on how the program was installed, so it says so.
using ModelPlaces = std::vector<std::filesystem::path>;

/// Opens a model by the name of a bundled one, which is then its TrainedModel::name, or by its folder. A
/// folder that is called like a bundled model is opened as "./name". Errors: those of load_model(), and a
/// bundled model that is in none of the places.
Result<std::shared_ptr<const TrainedModel>> open_model(const std::string& name_or_folder,
                                                       const ModelPlaces& places);

}  // namespace headscope
