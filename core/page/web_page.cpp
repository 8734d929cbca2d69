#include "core/page/web_page.h"

#include <filesystem>
#include <string_view>
#include <utility>
#include <vector>

#include "core/checkpoint/bundled_models.h"
#include "core/checkpoint/scene_file.h"
#include "core/system/model_places.h"
#include "core/system/process.h"
#include "core/system/read_file.h"

namespace headscope {
namespace {

/// What stands in the page where a scene can be put.
constexpr std::string_view place_of_scene = R"(<script type="application/json" id="scene"></script>)";

/// The page of the program, as it is installed or as app/web/build leaves it in a checkout.
Result<std::filesystem::path> program_page() {
  std::vector<std::filesystem::path> places;
  for (const std::filesystem::path& models : model_places()) places.push_back(models.parent_path());
  if (const auto folder = program_folder(); !folder.empty()) places.push_back(folder.parent_path() / "web");
  for (const std::filesystem::path& place : places) {
    std::error_code unknown;
    const std::filesystem::path page = place / "headscope.html";
    if (std::filesystem::exists(page, unknown)) return page;
  }
  return failure(
      "a web page holds the program itself, which has not been built for browsers yet: run app/web/build once");
}

Result<void> check_weights(const ModelValue& model) {
  if (!model || is_bundled(model->name)) return {};
  return failure("the page would lack the weights of this model: only " + bundled_names() +
                 " and random weights can be sent");
}

}  // namespace

Result<void> check_web_page(const Session& session) {
  if (auto ok = check_weights(session.model); !ok) return ok;
  for (const Subject& held : session.held)
    if (auto ok = check_weights(held.model); !ok) return ok;
  return program_page().map([](const std::filesystem::path&) {});
}

Result<std::string> web_page(const Session& session) {
  if (auto ok = check_web_page(session); !ok) return tl::unexpected(ok.error());
  auto page = program_page().and_then([](const std::filesystem::path& file) { return read_file(file); });
  if (!page) return page;
  const auto scene = scene_text(session);
  if (!scene) return tl::unexpected(scene.error());
  const std::size_t at = page->find(place_of_scene);
  if (at == std::string::npos) return failure("the program's page is damaged: run app/web/build again");
  // A “<” could end the element that holds the scene.
  std::string inside;
  for (const char c : *scene) c == '<' ? inside += "\\u003c" : inside += c;
  page->insert(at + place_of_scene.find("</"), inside);
  return page;
}

}  // namespace headscope
