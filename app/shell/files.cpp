#include "app/shell/files.h"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "app/cli/figure_session.h"
#include "app/cli/lesson_command.h"
#include "app/parts/setting_groups.h"
#include "core/checkpoint/capture.h"
#include "core/checkpoint/foreign_model.h"
#include "core/checkpoint/model_folder.h"
#include "core/checkpoint/saved_session.h"
#include "core/engine/mask_file.h"
#include "core/engine/text_training.h"
#include "core/io/file_kind.h"
#include "core/io/gguf.h"
#include "core/overloaded.h"
#include "core/system/process.h"
#include "core/system/read_file.h"

namespace headscope {
namespace {

namespace fs = std::filesystem;

/// The value of XDG_PICTURES_DIR="$HOME/Pictures" in the lines of user-dirs.dirs. Empty if it is not set.
std::string pictures_in(std::string_view lines) {
  constexpr std::string_view key = "XDG_PICTURES_DIR=\"";
  std::size_t at = lines.find(key);
  while (at != std::string_view::npos && at > 0 && lines[at - 1] != '\n') at = lines.find(key, at + 1);
  if (at == std::string_view::npos) return {};
  lines.remove_prefix(at + key.size());
  std::string value;
  for (std::size_t i = 0; i < lines.size() && lines[i] != '"' && lines[i] != '\n'; ++i) {
    if (lines[i] == '\\' && i + 1 < lines.size()) ++i;
    value += lines[i];
  }
  return value;
}

/// The kind of a file that can be opened. Empty for any other file.
std::string kind_of_openable(const fs::path& path) {
  if (is_scene_file(path)) return "scene";
  if (is_lesson_file(path)) return "lesson";
  if (is_figure_file(path)) return "picture";
  // Telling what a .pt file holds takes parsing it, which a list does for no file.
  if (path.extension() == ".pt") return "weights";
  if (is_capture(path)) return "captured attention";
  if (path.extension() == ".safetensors") return "weights";
  if (path.extension() == ".gguf") return "model";
  if (path.extension() == ".npy" || path.extension() == ".csv") return "mask";
  constexpr std::array<std::string_view, 12> texts{".txt", ".TXT", ".text", ".md",  ".tex",  ".py",
                                                   ".js",  ".c",   ".h",    ".cpp", ".java", ".rs"};
  if (std::ranges::find(texts, path.extension().string()) != texts.end()) return "text";
  return {};
}

void list(const fs::path& entry, FolderListing& listing) {
  constexpr std::size_t most = 5000;
  std::error_code unknown;
  std::string name = entry.filename().string();
  if (name.starts_with('.') || listing.names.size() + listing.files.size() >= most) return;
  if (!fs::is_directory(entry, unknown)) {
    if (std::string what = kind_of_openable(entry); !what.empty())
      listing.files.emplace_back(std::move(name), std::move(what));
  } else if (has_model_config(entry)) {
    listing.files.emplace_back(std::move(name), "model");
  } else {
    listing.names.push_back(std::move(name));
  }
}

}  // namespace

std::string shown_folder(const fs::path& folder) {
  std::string home = fs::path(environment_variable("HOME")).lexically_normal().string();
  while (home.size() > 1 && home.ends_with('/')) home.pop_back();
  std::string path = folder.lexically_normal().string();
  while (path.size() > 1 && path.ends_with('/')) path.pop_back();
  if (home.size() <= 1 || !path.starts_with(home)) return path;
  if (path.size() == home.size()) return "~";
  return path[home.size()] == '/' ? "~" + path.substr(home.size()) : path;
}

std::string pictures_folder() {
  const fs::path home = environment_variable("HOME");
  fs::path settings = environment_variable("XDG_CONFIG_HOME");
  if (settings.empty() && !home.empty()) settings = home / ".config";
  const auto lines = read_file(settings / "user-dirs.dirs");
  constexpr std::string_view variable = "$HOME";
  std::string value = lines ? pictures_in(*lines) : std::string();
  if (value.starts_with(variable)) value = home.string() + value.substr(variable.size());
  std::error_code unknown;
  const bool is_own = !value.empty() &&
                      fs::path(value).lexically_normal() != (home / "").lexically_normal() &&
                      fs::path(value).lexically_normal() != home.lexically_normal();
  if (is_own && fs::is_directory(value, unknown)) return shown_folder(value);
  if (fs::is_directory(home, unknown)) return shown_folder(home);
  const fs::path here = fs::current_path(unknown);
  return unknown ? std::string() : shown_folder(here);
}

FolderListing listing_of(const std::string& folder) {
  std::error_code problem;
  const fs::path path = fs::absolute(path_from_typed(folder), problem).lexically_normal();
  const fs::path plain = path.has_filename() ? path : path.parent_path();
  FolderListing listing{folder, shown_folder(plain), shown_folder(plain.parent_path()), {}, {}, false, {}};
  fs::directory_iterator entries(path, problem);
  for (; !problem && entries != fs::directory_iterator(); entries.increment(problem))
    list(entries->path(), listing);
  if (problem) listing.problem = "This folder cannot be read: " + problem.message() + ".";
  listing.is_model = !problem && has_model_config(path);
  listing.is_there = problem != std::errc::no_such_file_or_directory;
  std::ranges::sort(listing.names);
  std::ranges::sort(listing.files);
  return listing;
}

namespace {

Slices<Event> bundled_model(std::string name) {
  ModelSlices opening = open_model_slices(name, bundled_model_folders());
  while (opening.next()) co_yield opening.share();
  const auto model = opening.take();
  if (!model) co_return BundledRead{name, nullptr, model.error().message};
  co_return BundledRead{name, *model, ""};
}

Event module_file(const std::string& path, std::optional<ModuleFormat> format) {
  auto weights = read_module_weights(path, format);
  if (!weights) return ModuleRead{path, nullptr, weights.error().message};
  return ModuleRead{path, std::make_shared<const ModuleWeights>(std::move(*weights)), ""};
}

/// Reads the scene in its own file or in a figure that shows it.
Result<LoadedSession> scene_in(const std::string& path, const ModelRef& instead = nullptr) {
  return is_scene_file(path) ? read_scene(path, bundled_model_folders(), instead)
                             : read_figure_scene(path, instead);
}

Event scene_file(const std::string& path) {
  auto kept = scene_in(path);
  if (!kept) return ShowMessage{kept.error().message, true};
  return SceneRead{path, std::move(kept->session), kept->complaint, kept->has_model};
}

/// Goes to a step of a lesson, or to its last if it has fewer (see at_step()).
Event lesson_at(Result<std::shared_ptr<const Lesson>> lesson, std::size_t step) {
  if (!lesson) return ShowMessage{lesson.error().message, true};
  return LessonRead{std::move(*lesson), step};
}

/// Reads a model, or the scene that was opened without its model.
Slices<Event> model_at(std::string path, std::string scene_without_model) {
  ModelSlices opening = open_model_slices(path, bundled_model_folders());
  while (opening.next()) co_yield opening.share();
  const auto model = opening.take();
  if (!model) co_return ShowMessage{model.error().message, true};
  if (!scene_without_model.empty()) {
    const auto whole = scene_in(scene_without_model, *model);
    if (whole && whole->has_model) co_return SceneRead{scene_without_model, whole->session, whole->complaint};
  }
  co_return ModelRead{path, *model};
}

/// Reports the result of writing a lesson. `file` is empty if the lesson was to be a new one.
Event written_lesson(Result<std::shared_ptr<const Lesson>> lesson, const std::string& file, std::size_t step,
                     LessonWritten::Kind kind) {
  if (!lesson) return LessonWriteFailed{file, lesson.error().message};
  return LessonWritten{std::move(*lesson), step, kind};
}

Slices<Event> text_at(TextSources sources, std::size_t size, int n_threads) {
  Slices<Result<OpenedText>> opening = open_text(std::move(sources), size, n_threads);
  while (opening.next()) co_yield opening.share();
  auto opened = opening.take();
  if (!opened) co_return ShowMessage{opened.error().message, true};
  co_return ModelRead{opened->model->embedded_name, std::move(opened->model), opened->training};
}

Slices<Event> any_file(std::string path, std::string scene_without_model, int n_threads) {
  std::error_code unknown;
  const std::filesystem::path file(path);
  std::optional<Slices<Event>> reading;
  if (std::filesystem::is_directory(path, unknown) || is_gguf(path) || is_capture(path)) {
    reading = model_at(path, scene_without_model);
  } else if (is_misnamed(path)) {
    co_return ShowMessage{explain_open_failure(path), true};
  } else if (file.extension() == ".safetensors") {
    Event module = module_file(path, std::nullopt);
    const bool is_of_model =
        std::get<ModuleRead>(module).weights == nullptr && has_model_config(file.parent_path());
    if (!is_of_model) co_return module;
    reading = model_at(file.parent_path().string(), scene_without_model);
  } else if (is_scene_file(path) || is_figure_file(path)) {
    co_return scene_file(path);
  } else if (is_lesson_file(path)) {
    co_return lesson_at(open_lesson(path), 0);
  } else {
    const auto mask = read_mask(path);
    const bool is_table = file.extension() == ".npy" || file.extension() == ".csv";
    if (mask) co_return MaskRead{path, *mask, mask_interpretation(**mask)};
    if (is_table) co_return ShowMessage{mask.error().message, true};
    if (!is_plain_text(path)) co_return ShowMessage{explain_open_failure(path), true};
    reading = text_at({{file}}, 0, n_threads);
  }
  while (reading->next()) co_yield reading->share();
  co_return reading->take();
}

Event recovered_session(const std::string& folder) {
  if (!has_session(folder))
    return ShowMessage{"The kept session is gone: another window has opened or discarded it", true};
  auto kept = load_session(folder, bundled_model_folders());
  if (!kept) return ShowMessage{kept.error().message, true};
  return SceneRead{folder, std::move(kept->session), kept->complaint, kept->has_model, true};
}

}  // namespace

void submit_file_job(const Effect& effect, int n_threads, JobQueue<Event>& jobs) {
  using enum LessonWritten::Kind;
  // Each of these names what cannot be done, for a job that throws.
  const auto not_read = [](const std::string& what) {
    return [what](const std::string& why) { return ShowMessage{what + " cannot be opened: " + why, true}; };
  };
  const auto not_written = [](const std::string& file) {
    return [file](const std::string& why) {
      return LessonWriteFailed{file, "The lesson cannot be written: " + why};
    };
  };
  const Overloaded submit{
      [&](const ReadBundled& e) {
        jobs.submit(bundled_model(e.name), [name = e.name](const std::string& why) {
          return BundledRead{name, nullptr, why};
        });
      },
      [&](const ReadText& e) { jobs.submit(text_at(e.sources, e.size, n_threads), not_read("The text")); },
      [&](const ReadFile& e) {
        jobs.submit(any_file(e.path, e.scene_without_model, n_threads), not_read("'" + e.path + "'"));
      },
      [&](const ReadModule& e) {
        jobs.submit([e] { return module_file(e.path, e.format); },
                    [path = e.path](const std::string& why) {
                      return ModuleRead{path, nullptr, why};
                    });
      },
      [&](const ReadLesson& e) {
        jobs.submit([e] { return lesson_at(open_lesson(e.name), e.step); },
                    not_read("The lesson “" + e.name + "”"));
      },
      [&](const ReadRecovery& e) {
        jobs.submit([e] { return recovered_session(e.folder); }, not_read("'" + e.folder + "'"));
      },
      [&](const WriteNewLesson& e) {
        jobs.submit(
            [e] {
              return written_lesson(create_lesson(path_from_typed(e.folder), e.introduction, e.session), "",
                                    0, started);
            },
            not_written(""));
      },
      [&](const WriteStep& e) {
        jobs.submit(
            [e] {
              return written_lesson(write_step(e.file, e.before, e.step, e.is_new, e.session), e.file, e.step,
                                    e.is_new ? step_added : changed);
            },
            not_written(e.file));
      },
      [&](const WriteLesson& e) {
        jobs.submit(
            [e] { return written_lesson(update_lesson(e.file, e.before, e.after), e.file, e.step, changed); },
            not_written(e.file));
      },
      [](const auto&) {},
  };
  std::visit(submit, effect);
}

}  // namespace headscope
