#include "core/checkpoint/bundled_models.h"

#include <algorithm>
#include <system_error>

#include "core/checkpoint/model_folder.h"

namespace headscope {
namespace {

std::string listed(const ModelSearchPaths& places) {
  std::string text;
  for (const auto& place : places) text += (text.empty() ? "" : ", ") + place.string();
  return text.empty() ? "nowhere" : text;
}

std::string subject_of(const std::string& name) {
  return "the model “" + name + "”, which is bundled with Headscope, ";
}

}  // namespace

bool is_bundled(std::string_view name) {
  return std::ranges::find(bundled_models, name, &BundledModel::name) != bundled_models.end();
}

std::string bundled_names() {
  std::string names;
  for (const BundledModel& model : bundled_models) names.append(names.empty() ? "" : ", ").append(model.name);
  return names;
}

Result<std::filesystem::path> model_folder(const std::string& name_or_folder,
                                           const ModelSearchPaths& places) {
  if (!is_bundled(name_or_folder)) return std::filesystem::path(name_or_folder);
  const auto place = std::ranges::find_if(places, [&](const std::filesystem::path& folder) {
    std::error_code ignored;
    return std::filesystem::is_directory(folder / name_or_folder, ignored);
  });
  if (place == places.end()) {
    return failure(subject_of(name_or_folder) + "is missing: reinstall Headscope. Looked in " +
                   listed(places));
  }
  return *place / name_or_folder;
}

ModelSlices open_model_slices(std::string name_or_folder, ModelSearchPaths places) {
  const auto folder = model_folder(name_or_folder, places);
  if (!folder) co_return tl::unexpected(folder.error());
  ModelSlices loading = load_model_slices(*folder, is_bundled(name_or_folder) ? name_or_folder : "");
  while (loading.next()) co_yield loading.share();
  auto loaded = loading.take();
  if (!loaded && is_bundled(name_or_folder))
    loaded.error().message = subject_of(name_or_folder) + "cannot be opened: " + loaded.error().message;
  co_return loaded;
}

}  // namespace headscope
