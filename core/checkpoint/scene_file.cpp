#include "core/checkpoint/scene_file.h"

#include <algorithm>
#include <string>

#include "core/checkpoint/saved_masks.h"
#include "core/io/json_text.h"
#include "core/system/atomic_file.h"
#include "core/system/read_file.h"

namespace headscope {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t max_scene_bytes = std::size_t{16} << 20U;
constexpr int scene_indent = 1;

}  // namespace

fs::path weights_of(const fs::path& file) {
  fs::path folder = file;
  folder += ".weights";
  return folder;
}

bool is_scene_file(const fs::path& file) {
  return file.extension() == scene_extension;
}

Result<void> write_scene(const fs::path& file, const Session& session, bool is_new) {
  if (n_mask_cells(session) > max_saved_mask_cells)
    return failure("'" + file.string() + "' was not written: a scene holds masks from files of at most " +
                   std::to_string(max_saved_mask_cells) +
                   " cells together; remove the larger ones under Mask, or paint them");
  const auto json = save_session_json(session, weights_of(file));
  if (!json) return tl::unexpected(json.error());
  const std::string text = json_text(*json, scene_indent) + "\n";
  if (text.size() > max_scene_bytes)
    return failure("'" + file.string() + "' was not written: it would take " +
                   std::to_string(text.size() >> 20U) + " MiB, and a scene has at most " +
                   std::to_string(max_scene_bytes >> 20U) +
                   "; give fewer numbers by hand, and smaller masks");
  const auto write = [&](const fs::path& path) { return write_atomically(path, text); };
  if (is_new) return write_new_file(file, write);
  const auto before = read_file(file).and_then(parse_json);
  if (auto written = write(file); !written) return written;
  if (before) remove_stale_weights(weights_of(file), *before, *json);
  return {};
}

Result<std::string> scene_text(const Session& session, const nlohmann::json& figure) {
  if (n_mask_cells(session) > max_saved_mask_cells) return failure("its masks are too large");
  auto json = session_with_model_names(session, ModelNaming::as_given);
  if (!json) return tl::unexpected(json.error());
  if (!figure.is_null()) (*json)["figure"] = figure;
  constexpr bool is_ascii = true;
  std::string text = json->dump(-1, ' ', is_ascii, nlohmann::json::error_handler_t::replace);
  // The only control character that JSON does not escape. Not every file may hold it.
  for (std::size_t at = 0; (at = text.find('\x7f', at)) != std::string::npos;) text.replace(at, 1, "\\u007f");
  if (text.size() > max_scene_bytes)
    return failure("it takes more than " + std::to_string(max_scene_bytes >> 20U) + " MiB");
  return text;
}

namespace {

Result<LoadedSession> scene_in(std::string_view text, const fs::path& file, const ModelSearchPaths& places,
                               const ModelRef& instead) {
  const auto json = parse_json(text);
  auto kept = json ? read_saved_session(*json, weights_of(file), places, Author::anyone, instead)
                   : Result<LoadedSession>(tl::unexpected(json.error()));
  if (!kept) return failure("'" + file.string() + "' cannot be opened as a scene: " + kept.error().message);
  return kept;
}

}  // namespace

Result<LoadedSession> read_scene_text(std::string_view text, const fs::path& picture,
                                      const ModelSearchPaths& places, const ModelRef& instead) {
  return scene_in(text, picture, places, instead);
}

Result<LoadedSession> read_scene(const fs::path& file, const ModelSearchPaths& places,
                                 const ModelRef& instead) {
  const auto text = read_file(file);
  if (!text) return tl::unexpected(text.error());
  return scene_in(*text, file, places, instead);
}

}  // namespace headscope
