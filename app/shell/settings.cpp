#include "app/shell/settings.h"

#include <algorithm>
#include <cerrno>

#include "app/parts/persistent_state.h"
#include "app/ui/ui.h"
#include "core/checkpoint/saved_session.h"
#include "core/io/json_text.h"
#include "core/scene/first_minute.h"
#include "core/session/setting_value.h"
#include "core/system/atomic_file.h"
#include "core/system/owned_folder.h"
#include "core/system/process.h"
#include "core/system/read_file.h"
#include "core/to_float.h"

namespace headscope {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr int version = 1;
constexpr int smallest_window = 320;
constexpr int largest_window = 16384;

/// The folder that an environment variable names, or `usual` in the home folder. Empty if there is no home
/// folder.
fs::path folder_of(const char* variable, const char* usual) {
  const std::string named = environment_variable(variable);
  const std::string home = environment_variable("HOME");
  if (!named.empty()) return named;
  return home.empty() ? fs::path() : fs::path(home) / usual;
}

// Each of these keeps the present value if the object has no other one of its type.

/// A switch or a text.
template <class Value>
void take(const json& object, const char* key, Value& value) {
  const auto found = object.find(key);
  if (found != object.end() && found->type() == json(Value()).type()) value = found->get<Value>();
}
void take(const json& object, const char* key, int& value, int low, int high) {
  if (const auto found = object.find(key); found != object.end() && found->is_number_integer())
    value = static_cast<int>(std::clamp<long long>(found->get<long long>(), low, high));
}
void take(const json& object, const char* key, float& value, float low, float high) {
  if (const auto found = object.find(key); found != object.end() && found->is_number())
    value = std::clamp(to_float(found->get<double>()), low, high);
}

bool is_from_newer_version(const json& document) {
  const auto found = document.is_object() ? document.find("version") : document.end();
  return found != document.end() && found->is_number_integer() && found->get<std::int64_t>() > version;
}

/// Renames an unreadable file, so that it is not overwritten. Returns the new path; empty on failure.
std::optional<fs::path> move_aside(const fs::path& file) {
  constexpr int max_names = 1000;
  for (int i = 1; i < max_names; ++i) {
    fs::path aside = file;
    aside.replace_filename(file.stem().string() + "-not-understood-" + std::to_string(i) +
                           file.extension().string());
    if (rename_without_replacing(file, aside)) return aside;
    if (errno != EEXIST) return std::nullopt;
  }
  return std::nullopt;
}

/// Returns the paths that are listed under a key, the last one first.
std::vector<std::string> recent_in(const json& document, const char* key) {
  std::vector<std::string> files;
  const auto found = document.find(key);
  if (found == document.end() || !found->is_array()) return files;
  for (const json& file : *found) {
    if (file.is_string() && files.size() < max_recent_files) files.push_back(file.get<std::string>());
  }
  return files;
}

/// Returns the user's own lessons, the one opened last first, without entries that lack a file or a title.
std::vector<UserLesson> own_lessons_in(const json& document) {
  std::vector<UserLesson> lessons;
  const auto found = document.find("own_lessons");
  if (found == document.end() || !found->is_array()) return lessons;
  for (const json& entry : *found) {
    if (lessons.size() >= max_recent_files) continue;
    UserLesson lesson;
    take(entry, "file", lesson.file);
    take(entry, "title", lesson.title);
    take(entry, "about", lesson.about);
    take(entry, "steps", lesson.n_steps, 0, 9999);
    if (!lesson.file.empty() && !lesson.title.empty()) lessons.push_back(std::move(lesson));
  }
  return lessons;
}

LessonProgress lesson_progress_in(const json& document) {
  LessonProgress progress;
  const auto found = document.find("lesson_progress");
  if (found == document.end() || !found->is_object()) return progress;
  for (auto entry = found->begin(); entry != found->end(); ++entry) {
    int reached = 0;
    take(*found, entry.key().c_str(), reached, 1, 9999);
    if (reached > 0) progress[entry.key()] = reached;
  }
  return progress;
}

/// Sets `problem` if part of the document is invalid, and `complaint` to a message about the rest.
Settings read(const json& document, Settings settings, const fs::path& weights, std::string& problem,
              std::string& complaint) {
  float scale = 0.0F;
  take(document, "ui_scale", scale, smallest_ui_scale, largest_ui_scale);
  if (scale > 0.0F) settings.ui_scale = scale;
  const json window = document.value("window", json());
  take(window, "width", settings.window.width, smallest_window, largest_window);
  take(window, "height", settings.window.height, smallest_window, largest_window);
  const json panels = document.value("panels", json());
  take(panels, "has_controls", settings.panels.has_controls);
  take(panels, "has_inspector", settings.panels.has_inspector);
  take(panels, "controls", settings.panels.controls, SidePanels::least, SidePanels::most);
  take(panels, "inspector", settings.panels.inspector, SidePanels::least, SidePanels::most);
  take(document, "reduces_motion", settings.reduces_motion);
  take(document, "export_folder", settings.export_folder);
  settings.scenes.recent = recent_in(document, "recent_scenes");
  settings.scenes.user_lessons = own_lessons_in(document);
  settings.scenes.lesson_progress = lesson_progress_in(document);
  settings.model_folders = recent_in(document, "model_folders");
  settings.first_minute = recent_in(document, "first_minute");
  if (const auto session = document.find("session"); session != document.end()) {
    if (auto kept = read_saved_session(*session, weights, bundled_model_folders(), Author::reader)) {
      settings.session = std::move(kept->session);
      complaint = kept->complaint;
      settings.has_model = kept->has_model;
    } else {
      problem = kept.error().message;
    }
  }
  return settings;
}

}  // namespace

fs::path state_folder() {
  const fs::path base = folder_of("XDG_STATE_HOME", ".local/state");
  return base.empty() ? base : base / "headscope";
}

SettingsPaths settings_paths() {
  const fs::path base = folder_of("XDG_CONFIG_HOME", ".config");
  if (base.empty()) return {};
  const fs::path state = state_folder();
  const fs::path file = base / "headscope" / "settings.json";
  return {file, state.empty() ? file.parent_path() : state / "last"};
}

LoadedSettings load_settings(const SettingsPaths& place, const Session& opening) {
  const fs::path& file = place.file;
  LoadedSettings loaded;
  loaded.settings.session = opening;
  std::error_code ignored;
  if (file.empty()) return loaded;
  if (!std::filesystem::exists(file, ignored)) {
    loaded.settings.first_minute = first_minute_titles();
    return loaded;
  }
  const FolderLock lock(file.parent_path());
  const auto text = read_file(file);
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
    loaded.settings = read(document, loaded.settings, place.weights, problem, loaded.complaint);
  }
  if (!lock.complaint().empty()) {
    // Saves are atomic, so the file is complete, but it must not be changed.
    loaded.may_be_saved = false;
    loaded.complaint = "Changes will not be saved: " + lock.complaint() + ", and start Headscope again";
    return loaded;
  }
  if (problem.empty()) return loaded;
  if (is_from_newer_version(document)) {
    loaded.may_be_saved = false;
    loaded.complaint = "The settings in " + file.string() + " are from a later version (" + problem +
                       "): they are left as they are, and changes will not be saved";
    return loaded;
  }
  const auto aside = move_aside(file);
  loaded.may_be_saved = aside.has_value();
  loaded.complaint = "The settings in " + file.string() + " could not be read (" + problem +
                     "): starting with default settings. " +
                     (aside ? "The old file is now " + aside->filename().string() + "."
                            : "The file could not be renamed, so changes will not be saved.");
  return loaded;
}

namespace {

/// The document now in the file; an empty object if it holds no settings of this version.
json read_current_document(const fs::path& file) {
  const auto text = read_file(file);
  json document = text ? parse_json(*text).value_or(json()) : json();
  const bool is_known = document.is_object() && document.value("version", json(version)) == version;
  return is_known ? document : json::object();
}

/// The settings that every run saves, by their keys.
json settings_json(const Settings& settings) {
  json lessons = json::array();
  for (const UserLesson& each : settings.scenes.user_lessons)
    lessons.push_back(
        {{"file", each.file}, {"title", each.title}, {"about", each.about}, {"steps", each.n_steps}});
  const SidePanels& panels = settings.panels;
  return {{"window", {{"width", settings.window.width}, {"height", settings.window.height}}},
          {"panels",
           {{"has_controls", panels.has_controls},
            {"has_inspector", panels.has_inspector},
            {"controls", panels.controls},
            {"inspector", panels.inspector}}},
          {"reduces_motion", settings.reduces_motion},
          {"export_folder", settings.export_folder},
          {"recent_scenes", settings.scenes.recent},
          {"own_lessons", std::move(lessons)},
          {"lesson_progress", settings.scenes.lesson_progress},
          {"model_folders", settings.model_folders},
          {"first_minute", settings.first_minute}};
}

}  // namespace

Result<void> save_settings(const Settings& settings, const SettingsPaths& place, const Settings* before) {
  const fs::path& file = place.file;
  if (file.empty()) return failure("there is no home folder to save settings in: set XDG_CONFIG_HOME");
  std::error_code error;
  fs::create_directories(file.parent_path(), error);
  if (error)
    return failure("the folder " + file.parent_path().string() + " cannot be created: " + error.message());
  const FolderLock lock(file.parent_path());
  if (!lock.complaint().empty()) return failure(lock.complaint());
  json document = before != nullptr ? read_current_document(file) : json::object();
  document["version"] = version;
  const json now = settings_json(settings);
  const json loaded = before == nullptr ? json::object() : settings_json(*before);
  for (auto entry = now.begin(); entry != now.end(); ++entry) {
    const bool is_same = loaded.contains(entry.key()) && loaded[entry.key()] == *entry;
    if (!is_same || !document.contains(entry.key())) document[entry.key()] = *entry;
  }
  if (before == nullptr || settings.ui_scale != before->ui_scale) {
    document.erase("ui_scale");
    if (settings.ui_scale) document["ui_scale"] = *settings.ui_scale;
  }
  const json session_before = document.value("session", json());
  const bool has_session =
      before == nullptr || settings.session != before->session || !document.contains("session");
  if (has_session) {
    fs::create_directories(place.weights, error);
    auto session = save_session_json(settings.session, place.weights);
    if (!session) return tl::unexpected(session.error());
    document["session"] = std::move(*session);
  }
  constexpr int indent = 2;
  auto written = write_atomically(file, json_text(document, indent) + "\n");
  if (written && has_session && settings.has_model)
    remove_stale_weights(place.weights, session_before, document["session"]);
  return written;
}

}  // namespace headscope
