#include "core/checkpoint/bundled_models.h"

#include <algorithm>
#include <system_error>

#include "core/checkpoint/model_folder.h"

namespace headscope {
namespace {

std::string listed(const ModelPlaces& places) {
  std::string text;
  for (const auto& place : places) text += (text.empty() ? "" : ", ") + place.string();
  return text.empty() ? "nowhere" : text;
}

}  // namespace

bool is_bundled(std::string_view name) {
  return std::ranges::find(bundled_models, name) != bundled_models.end();
}

Result<std::shared_ptr<const TrainedModel>> open_model(const std::string& name_or_folder,
                                                       const ModelPlaces& places) {
  if (!is_bundled(name_or_folder)) return load_model(name_or_folder);
  const std::string subject = "the model “" + name_or_folder + "”, which is bundled with Headscope, ";
  const auto place = std::ranges::find_if(places, [&](const std::filesystem::path& folder) {
    std::error_code ignored;
    return std::filesystem::is_directory(folder / name_or_folder, ignored);
  });
  if (place == places.end()) {
    return failure(subject + "is missing: reinstall Headscope. Looked in " + listed(places));
  }
  return load_model(*place / name_or_folder, name_or_folder).map_error([&](const Error& error) {
    return Error{error.kind, subject + "cannot be opened: " + error.message};
  });
}

}  // namespace headscope
