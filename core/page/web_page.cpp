#include "core/page/web_page.h"

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "core/io/base64.h"
#include "core/page/figure_file.h"
#include "core/system/process.h"
#include "core/system/read_file.h"

namespace headscope {
namespace {

/// What stands in the program's page where the files can be put.
constexpr std::string_view place_of_files = R"(<script type="application/json" id="sent"></script>)";

Result<std::filesystem::path> program_page() {
  std::vector<std::filesystem::path> places;
  for (const std::filesystem::path& models : bundled_model_folders()) places.push_back(models.parent_path());
  if (const auto folder = program_folder(); !folder.empty()) places.push_back(folder.parent_path() / "web");
  for (const std::filesystem::path& place : places) {
    std::error_code unknown;
    const std::filesystem::path page = place / "headscope.html";
    if (std::filesystem::exists(page, unknown)) return page;
  }
  return failure(
      "a web page holds the program itself, which has not been built for browsers yet: run app/web/build once");
}

}  // namespace

Result<void> check_web_page() {
  return program_page().map([](const std::filesystem::path&) {});
}

Result<std::string> web_page(const PortablePage& sent) {
  auto page = program_page().and_then([](const std::filesystem::path& file) { return read_file(file); });
  if (!page) return page;
  const std::size_t at = page->find(place_of_files);
  if (at == std::string::npos) return failure("the program's page is damaged: run app/web/build again");
  nlohmann::ordered_json json{{"title", sent.title}, {"lacks", sent.missing_parts}, {"still", sent.still}};
  for (const PortableFile& file : sent.files)
    json["files"].push_back({{"name", file.name}, {"bytes", to_base64(file.bytes)}});
  constexpr bool is_ascii = true;
  std::string inside;
  // A “<” could end the element that holds the files.
  for (const char c : json.dump(-1, ' ', is_ascii, nlohmann::ordered_json::error_handler_t::replace))
    c == '<' ? inside += "\\u003c" : inside += c;
  page->insert(at + place_of_files.find("</"), inside);
  return page;
}

Result<std::string> web_page(const PageInputs& shown, const FigureSize& size) {
  if (auto ok = check_web_page(); !ok) return tl::unexpected(ok.error());
  auto scene = portable_scene(shown.session);
  if (!scene) return tl::unexpected(scene.error());
  PortablePage page{shown.session.title, std::move(scene->files), std::move(scene->missing_parts), {}};
  if (page.missing_parts.empty()) return web_page(page);
  const auto fonts = FontFaces::open_installed();
  if (!fonts) return tl::unexpected(fonts.error());
  auto still = figure_of(shown, size, measure_with(*fonts)).and_then([&](const Figure& figure) {
    return figure_bytes(figure, FileType::svg, size, **fonts, {});
  });
  if (!still) return still;
  page.still = std::move(*still);
  return web_page(page);
}

}  // namespace headscope
