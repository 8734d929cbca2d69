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
#include "core/checkpoint/capture.h"
#include "core/checkpoint/foreign_model.h"
#include "core/checkpoint/model_folder.h"
#include "core/checkpoint/saved_session.h"
#include "core/engine/mask_file.h"
#include "core/engine/text_training.h"
#include "core/io/file_kind.h"
#include "core/io/gguf.h"
#include "core/system/process.h"

namespace headscope {
namespace {

Event bundled_model(const std::string& name) {
  const auto model = open_model(name, bundled_model_folders());
  if (!model) return BundledRead{name, nullptr, model.error().message};
  return BundledRead{name, *model, ""};
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
Event model_at(const std::string& path, const std::string& scene_without_model) {
  const auto model = open_model(path, bundled_model_folders());
  if (!model) return ReadFailed{model.error().message};
  if (!scene_without_model.empty()) {
    const auto whole = scene_in(scene_without_model, *model);
    if (whole && whole->has_model) return SceneRead{scene_without_model, whole->session, whole->complaint};
  }
  return ModelRead{path, *model};
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

void FileReader::submit(std::function<Event()> how, std::function<Event(const std::string&)> refused) {
  queue_.submit(std::move(how), std::move(refused));
}

void FileReader::read(const ReadBundled& effect) {
  submit([name = effect.name] { return bundled_model(name); },
         [name = effect.name](const std::string& why) {
           return BundledRead{name, nullptr, why};
         });
}

Event FileReader::text_at(const TextSources& sources, std::size_t size) const {
  auto opened = open_text(sources, size, n_threads_, queue_.stop());
  if (!opened) return ReadFailed{opened.error().message};
  return ModelRead{opened->model->embedded_name, std::move(opened->model), opened->training};
}

Event FileReader::any_file(const std::string& path, const std::string& scene_without_model) const {
  std::error_code unknown;
  if (std::filesystem::is_directory(path, unknown) || is_gguf(path) || is_capture(path))
    return model_at(path, scene_without_model);
  const std::filesystem::path file(path);
  if (is_misnamed(path)) return ReadFailed{explain_open_failure(path)};
  if (file.extension() == ".safetensors") {
    Event module = module_file(path, std::nullopt);
    const bool is_of_model =
        std::get<ModuleRead>(module).weights == nullptr && has_model_config(file.parent_path());
    return is_of_model ? model_at(file.parent_path(), scene_without_model) : module;
  }
  if (is_scene_file(path) || is_figure_file(path)) return scene_file(path);
  if (is_lesson_file(path)) return lesson_at(open_lesson(path), 0);
  const auto mask = read_mask(path);
  const bool is_table = file.extension() == ".npy" || file.extension() == ".csv";
  if (mask) return MaskRead{path, *mask, mask_interpretation(**mask)};
  if (is_table) return ReadFailed{mask.error().message};
  return is_plain_text(path) ? text_at({{file}}, 0) : ReadFailed{explain_open_failure(path)};
}

void FileReader::read(const ReadText& effect) {
  submit([this, effect] { return text_at(effect.sources, effect.size); },
         [](const std::string& why) { return ReadFailed{"The text cannot be opened: " + why}; });
}

void FileReader::read(const ReadFile& effect) {
  submit([this, effect] { return any_file(effect.path, effect.scene_without_model); },
         [path = effect.path](const std::string& why) {
           return ReadFailed{"'" + path + "' cannot be opened: " + why};
         });
}

void FileReader::read(const ReadModule& effect) {
  submit([effect] { return module_file(effect.path, effect.format); },
         [path = effect.path](const std::string& why) {
           return ModuleRead{path, nullptr, why};
         });
}

void FileReader::read(const ReadLesson& effect) {
  submit([effect] { return lesson_at(open_lesson(effect.name), effect.step); },
         [name = effect.name](const std::string& why) {
           return ReadFailed{"The lesson “" + name + "” cannot be opened: " + why};
         });
}

void FileReader::write(const WriteNewLesson& effect) {
  submit(
      [effect] {
        return written_lesson(
            create_lesson(folder_from_typed(effect.folder), effect.introduction, effect.session), "", 0,
            LessonWritten::Kind::started);
      },
      lesson_not_written(""));
}

void FileReader::write(const WriteStep& effect) {
  submit(
      [effect] {
        using enum LessonWritten::Kind;
        const auto write = effect.is_new ? add_step : replace_scene;
        return written_lesson(write(effect.file, effect.before, effect.step, effect.session), effect.file,
                              effect.step, effect.is_new ? step_added : changed);
      },
      lesson_not_written(effect.file));
}

void FileReader::write(const WriteLesson& effect) {
  submit(
      [effect] {
        return written_lesson(update_lesson(effect.file, effect.before, effect.after), effect.file,
                              effect.step, LessonWritten::Kind::changed);
      },
      lesson_not_written(effect.file));
}

void FileReader::read(const ReadRecovery& effect) {
  const std::string folder = effect.folder;
  submit(
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
