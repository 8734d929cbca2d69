#include "app/shell/file_reader.h"

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "app/cli/figure_session.h"
#include "app/cli/lesson_command.h"
#include "app/parts/setting_groups.h"
#include "app/shell/folders.h"
#include "core/checkpoint/bundled_models.h"
#include "core/checkpoint/capture.h"
#include "core/checkpoint/foreign_folder.h"
#include "core/checkpoint/saved_session.h"
#include "core/checkpoint/scene_file.h"
#include "core/engine/mask_file.h"
#include "core/engine/text_training.h"
#include "core/io/file_kind.h"
#include "core/io/gguf.h"
#include "core/system/model_places.h"

namespace headscope {
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
  if (!kept) return ReadFailed{kept.error().message};
  return SceneRead{path, std::move(kept->session), kept->complaint, kept->has_model};
}

/// Goes to a step of a lesson, or to its last if it has fewer (see at_step()).
Event lesson_at(Result<std::shared_ptr<const Lesson>> lesson, std::size_t step) {
  if (!lesson) return ReadFailed{lesson.error().message};
  return LessonRead{std::move(*lesson), step};
}

/// Reads a model, or the scene that was opened without its model.
Slices<Event> model_at(std::string path, std::string scene_without_model) {
  ModelSlices opening = open_model_slices(path, bundled_model_folders());
  while (opening.next()) co_yield opening.share();
  const auto model = opening.take();
  if (!model) co_return ReadFailed{model.error().message};
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

/// Says why the file of a lesson cannot be written.
std::function<Event(const std::string&)> lesson_not_written(const std::string& file) {
  return [file](const std::string& why) {
    return LessonWriteFailed{file, "The lesson cannot be written: " + why};
  };
}

}  // namespace

void FileReader::read(const ReadBundled& effect) {
  queue_.submit(bundled_model(effect.name), [name = effect.name](const std::string& why) {
    return BundledRead{name, nullptr, why};
  });
}

Slices<Event> FileReader::text_at(TextSources sources, std::size_t size) const {
  Slices<Result<OpenedText>> opening = open_text(std::move(sources), size, n_threads_);
  while (opening.next()) co_yield opening.share();
  auto opened = opening.take();
  if (!opened) co_return ReadFailed{opened.error().message};
  co_return ModelRead{opened->model->embedded_name, std::move(opened->model), opened->training};
}

Slices<Event> FileReader::any_file(std::string path, std::string scene_without_model) const {
  std::error_code unknown;
  const std::filesystem::path file(path);
  std::optional<Slices<Event>> reading;
  if (std::filesystem::is_directory(path, unknown) || is_gguf(path) || is_capture(path)) {
    reading = model_at(path, scene_without_model);
  } else if (is_misnamed(path)) {
    co_return ReadFailed{explain_open_failure(path)};
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
    if (is_table) co_return ReadFailed{mask.error().message};
    if (!is_plain_text(path)) co_return ReadFailed{explain_open_failure(path)};
    reading = text_at({{file}}, 0);
  }
  while (reading->next()) co_yield reading->share();
  co_return reading->take();
}

void FileReader::read(const ReadText& effect) {
  queue_.submit(text_at(effect.sources, effect.size),
                [](const std::string& why) { return ReadFailed{"The text cannot be opened: " + why}; });
}

void FileReader::read(const ReadFile& effect) {
  queue_.submit(any_file(effect.path, effect.scene_without_model),
                [path = effect.path](const std::string& why) {
                  return ReadFailed{"'" + path + "' cannot be opened: " + why};
                });
}

void FileReader::read(const ReadModule& effect) {
  queue_.submit([effect] { return module_file(effect.path, effect.format); },
                [path = effect.path](const std::string& why) {
                  return ModuleRead{path, nullptr, why};
                });
}

void FileReader::read(const ReadLesson& effect) {
  queue_.submit([effect] { return lesson_at(open_lesson(effect.name), effect.step); },
                [name = effect.name](const std::string& why) {
                  return ReadFailed{"The lesson “" + name + "” cannot be opened: " + why};
                });
}

void FileReader::write(const WriteNewLesson& effect) {
  queue_.submit(
      [effect] {
        return written_lesson(
            create_lesson(folder_from_typed(effect.folder), effect.introduction, effect.session), "", 0,
            LessonWritten::Kind::started);
      },
      lesson_not_written(""));
}

void FileReader::write(const WriteStep& effect) {
  queue_.submit(
      [effect] {
        using enum LessonWritten::Kind;
        const auto write = effect.is_new ? add_step : replace_scene;
        return written_lesson(write(effect.file, effect.before, effect.step, effect.session), effect.file,
                              effect.step, effect.is_new ? step_added : changed);
      },
      lesson_not_written(effect.file));
}

void FileReader::write(const WriteLesson& effect) {
  queue_.submit(
      [effect] {
        return written_lesson(update_lesson(effect.file, effect.before, effect.after), effect.file,
                              effect.step, LessonWritten::Kind::changed);
      },
      lesson_not_written(effect.file));
}

void FileReader::read(const ReadRecovery& effect) {
  const std::string folder = effect.folder;
  queue_.submit(
      [folder]() -> Event {
        if (!has_session(folder)) {
          return ReadFailed{"The kept session is gone: another window has opened or discarded it"};
        }
        auto kept = load_session(folder, bundled_model_folders());
        if (!kept) return ReadFailed{kept.error().message};
        return RecoveryRead{folder, std::move(kept->session), kept->has_model, kept->complaint};
      },
      [folder](const std::string& why) { return ReadFailed{"'" + folder + "' cannot be opened: " + why}; });
}

}  // namespace headscope
