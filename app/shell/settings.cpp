#include "app/shell/settings.h"

#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "app/cli/model_places.h"
#include "app/ui/ui.h"
#include "core/checkpoint/bundled_models.h"
#include "core/io/atomic_file.h"

namespace headscope {
namespace {

using nlohmann::json;

constexpr int version = 1;
constexpr int smallest_window = 320;
constexpr int largest_window = 16384;

std::string environment(const char* name) {
  const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): read before any thread starts
  return value != nullptr ? value : "";
}

int window_side(const json& object, const char* name, int otherwise) {
  const auto found = object.find(name);
  if (found == object.end() || !found->is_number_integer()) return otherwise;
  return std::clamp(found->get<int>(), smallest_window, largest_window);
}

/// The trained weights that a session names are in their folder still, unless somebody changed it. What is to
/// be said to the person; empty where all is well.
std::string reopen_model(const json& session, Settings& settings) {
  const auto name = session.find("model");
  if (name == session.end() || !name->is_string()) return {};
  const auto model = open_model(name->get<std::string>(), model_places());
  if (!model) return "The model of the last time is gone: " + model.error().message;
  if ((*model)->model.architecture != settings.session.architecture) {
    return "The model of the last time, " + (*model)->name + ", has another architecture now: open it again";
  }
  settings.session.model = *model;
  settings.session.task = (*model)->task;
  return {};
}

/// `problem`: what of the document is not understood; `complaint`: what is to be said of the rest.
Settings read(const json& document, Settings settings, std::string& problem, std::string& complaint) {
  if (const auto scale = document.find("ui_scale"); scale != document.end() && scale->is_number()) {
    settings.ui_scale = std::clamp(scale->get<float>(), smallest_ui_scale, largest_ui_scale);
  }
  if (const auto window = document.find("window"); window != document.end() && window->is_object()) {
    settings.window.width = window_side(*window, "width", settings.window.width);
    settings.window.height = window_side(*window, "height", settings.window.height);
  }
  if (const auto folder = document.find("export_folder"); folder != document.end() && folder->is_string()) {
    settings.export_folder = folder->get<std::string>();
  }
  if (const auto session = document.find("session"); session != document.end()) {
    if (auto kept = session_from_json(session->dump())) {
      settings.session = std::move(*kept);
      complaint = reopen_model(*session, settings);
    } else {
      problem = kept.error().message;
    }
  }
  return settings;
}

}  // namespace

std::filesystem::path settings_file() {
  const std::string config = environment("XDG_CONFIG_HOME");
  const std::string home = environment("HOME");
  if (config.empty() && home.empty()) return {};
  const std::filesystem::path base =
      config.empty() ? std::filesystem::path(home) / ".config" : std::filesystem::path(config);
  return base / "headscope" / "settings.json";
}

LoadedSettings load_settings(const std::filesystem::path& file, const Session& opening) {
  LoadedSettings loaded;
  loaded.settings.session = opening;
  std::error_code ignored;
  if (file.empty() || !std::filesystem::exists(file, ignored)) return loaded;
  const auto text = read_file(file);
  if (!text) {
    loaded.complaint = text.error().message;
    return loaded;
  }
  const json document = json::parse(*text, nullptr, false);
  std::string problem;
  if (document.is_object()) {
    loaded.settings = read(document, loaded.settings, problem, loaded.complaint);
    if (document.contains(json::json_pointer("/session/attention/mask_files"))) {
      loaded.complaint = "The mask files of the last time were not kept: drop them on the window again";
    }
  } else {
    problem = "it is not a JSON object";
  }
  if (!problem.empty()) {
    loaded.complaint =
        "The kept settings " + file.string() + " were not understood (" + problem + "): starting afresh";
  }
  return loaded;
}

Result<void> save_settings(const Settings& settings, const std::filesystem::path& file) {
  if (file.empty()) return failure("there is no home folder to keep settings in: set XDG_CONFIG_HOME");
  json document{{"version", version},
                {"window", {{"width", settings.window.width}, {"height", settings.window.height}}},
                {"export_folder", settings.export_folder},
                {"session", json::parse(to_json(settings.session))}};
  // The next start may be in another folder.
  json& session = document["session"];
  if (session.contains("model") && !is_bundled(session["model"].get<std::string>())) {
    std::error_code ignored;
    session["model"] = std::filesystem::absolute(session["model"].get<std::string>(), ignored).string();
  }
  if (settings.ui_scale) document["ui_scale"] = *settings.ui_scale;
  std::error_code error;
  std::filesystem::create_directories(file.parent_path(), error);
  if (error)
    return failure("the folder " + file.parent_path().string() + " cannot be made: " + error.message());
  constexpr int indent = 2;
  return write_atomically(file, document.dump(indent, ' ', false, json::error_handler_t::replace) + "\n");
}

}  // namespace headscope
