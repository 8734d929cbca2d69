#include "core/checkpoint/bundled_models.h"

#include <algorithm>

#include "core/checkpoint/model_folder.h"

namespace headscope {

bool is_bundled(std::string_view name) {
  return std::ranges::find(bundled_models, name) != bundled_models.end();
}

std::filesystem::path bundled_models_folder() {
  return HEADSCOPE_MODELS;
}

Result<std::shared_ptr<const TrainedModel>> open_model(const std::string& name_or_folder) {
  if (!is_bundled(name_or_folder)) return load_model(name_or_folder);
  return load_model(bundled_models_folder() / name_or_folder, name_or_folder)
      .map_error([&](const Error& error) {
        return Error{error.kind, "the model “" + name_or_folder +
                                     "”, which comes with the program, cannot be opened: " + error.message};
      });
}

}  // namespace headscope
