#include "app/shell/settings.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <memory>

#include "app/cli/model_places.h"
#include "app/ui/ui.h"
#include "core/checkpoint/bundled_models.h"
#include "core/io/atomic_file.h"
#include "core/io/json_text.h"
#include "core/io/read_file.h"
#include "core/io/temporary.h"
#include "core/model/trained_model.h"
#include "core/session/json_fields.h"

namespace headscope {
namespace {

using nlohmann::json;

constexpr int version = 1;
constexpr int smallest_window = 320;
constexpr int largest_window = 16384;
constexpr std::size_t most_settings_bytes = std::size_t{64} << 20U;

std::string environment(const char* name) {
  const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): read before any thread starts
  return value != nullptr ? value : "";
}

int window_side(const json& object, const char* name, int otherwise) {
  const auto found = object.find(name);
  if (found == object.end() || !found->is_number_integer()) return otherwise;
  return std::clamp(found->get<int>(), smallest_window, largest_window);
}

/// The trained weights that a session names, which are in their folder still unless somebody changed it; null
/// where it names none.
Result<std::shared_ptr<const TrainedModel>> reopened_model(const json& session) {
  const auto name = session.is_object() ? session.find("model") : session.end();
  if (name == session.end() || !name->is_string()) return nullptr;
  return open_model(name->get<std::string>(), model_places()).map_error([](const Error& error) {
    return Error{error.kind, "Could not reopen the previous model: " + error.message};
  });
}

/// The session as it was kept. `complaint`: what is to be said to the person; empty where all is well.
Result<Session> kept_session(const json& kept, std::string& complaint) {
  const auto model = reopened_model(kept);
  auto session = session_from_json(json_text(kept), model.value_or(nullptr));
  if (!model) {
    complaint = model.error().message;
  } else if (session && session->model != *model) {
    complaint = "The previous model, " + (*model)->name + ", now has a different architecture: open it again";
  }
  return session;
}

bool is_of_later_program(const json& document) {
  const auto found = document.is_object() ? document.find("version") : document.end();
  return found != document.end() && found->is_number_integer() && found->get<std::int64_t>() > version;
}

/// Gives a file that is not understood another name, so that it is not written over. Nothing where that
/// failed.
std::optional<std::filesystem::path> set_aside(const std::filesystem::path& file) {
  constexpr int most_names = 1000;
  for (int i = 1; i < most_names; ++i) {
    std::filesystem::path aside = file;
    aside.replace_filename(file.stem().string() + "-not-understood-" + std::to_string(i) +
                           file.extension().string());
    if (rename_to_free_name(file, aside)) return aside;
    if (errno != EEXIST) return std::nullopt;
  }
  return std::nullopt;
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
    if (auto kept = kept_session(*session, complaint)) {
      settings.session = std::move(*kept);
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
  const auto text = read_file(file, most_settings_bytes);
  if (!text) {
    loaded.complaint = text.error().message + ": starting with default settings; changes will not be saved";
    loaded.may_be_saved = false;
    return loaded;
  }
  const auto parsed = parse_json(*text);
  const json document = parsed.value_or(json());
  std::string problem;
  if (!parsed) {
    problem = parsed.error().message;
  } else if (!document.is_object()) {
    problem = "it is not a JSON object";
  } else if (document.value("version", json(version)) != version) {
    problem = "its version is " + shown(document["version"]) + ", but this program supports " +
              std::to_string(version);
  } else {
    loaded.settings = read(document, loaded.settings, problem, loaded.complaint);
    if (document.contains(json::json_pointer("/session/attention/mask_files"))) {
      loaded.complaint += (loaded.complaint.empty() ? "" : ". ");
      loaded.complaint += "Mask files are not saved with the settings: drop them on the window again";
    }
  }
  if (problem.empty()) return loaded;
  if (is_of_later_program(document)) {
    loaded.may_be_saved = false;
    loaded.complaint = "The settings in " + file.string() + " are from a later version (" + problem +
                       "): they are left as they are, and changes will not be saved";
    return loaded;
  }
  const auto aside = set_aside(file);
  loaded.may_be_saved = aside.has_value();
  loaded.complaint = "The settings in " + file.string() + " could not be read (" + problem +
                     "): starting with default settings. " +
                     (aside ? "The old file is now " + aside->filename().string() + "."
                            : "The file could not be renamed, so changes will not be saved.");
  return loaded;
}

Result<void> save_settings(const Settings& settings, const std::filesystem::path& file) {
  if (file.empty()) return failure("there is no home folder to save settings in: set XDG_CONFIG_HOME");
  json document{{"version", version},
                {"window", {{"width", settings.window.width}, {"height", settings.window.height}}},
                {"export_folder", settings.export_folder},
                {"session", parse_json(to_json(settings.session)).value_or(json())}};
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
    return failure("the folder " + file.parent_path().string() + " cannot be created: " + error.message());
  constexpr int indent = 2;
  return write_atomically(file, json_text(document, indent) + "\n");
}

}  // namespace headscope
