#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "core/alternative_of.h"
#include "core/engine/module_weights.h"
#include "core/engine/training_worker.h"
#include "core/model/mask.h"
#include "core/session/action.h"
#include "core/tasks/task.h"

namespace headscope {

// What a person does.

struct Edit {
  Action action;
  bool continues = false;  ///< the same drag or the same run of typing goes on
};
struct Undo {};
struct Redo {};
/// The bundled weights of a task; nothing: random weights.
struct OpenTask {
  std::optional<TaskKind> task;
};
/// Continues training, starts from random weights, or pauses.
struct ToggleTraining {};
struct StepTraining {};
/// Random weights again, at step 0.
struct ResetTraining {};
/// The session follows its training again.
struct FollowTraining {};
/// A file that was dropped or chosen: a scene or a figure, whose session is opened, the folder of a model, a
/// mask, or the weights of an attention module.
struct OpenFile {
  std::string path;
};
/// The weights of an attention module, named as this format names them.
struct OpenModule {
  std::string path;
  ModuleFormat format = ModuleFormat::torch;
};

/// What a program that was killed had kept in this folder.
struct OpenKept {
  std::string folder;
};

// What effects found.

struct TaskModelRead {
  TaskKind task = TaskKind::pronouns;
  std::shared_ptr<const TrainedModel> model;  ///< null: it could not be read
  std::string problem;                        ///< why
};
/// A scene or a figure.
struct SceneRead {
  std::string path;
  Session session;
  std::string complaint;  ///< what of it could not be had again; empty where all is well
  bool has_model = true;  ///< false: its model is not where it was
};
/// The folder of a trained model.
struct ModelRead {
  std::string path;
  std::shared_ptr<const TrainedModel> model;
};
struct MaskRead {
  std::string path;
  std::shared_ptr<const LoadedMask> mask;
  std::string note;  ///< how it was read
};
struct KeptRead {
  std::string folder;
  Session session;
  bool has_model = true;  ///< false: its weights could not be read
  std::string complaint;  ///< what of it could not be had again; empty where all is well
};
/// How many heads it has is for a person to say.
struct ModuleRead {
  std::string path;
  std::shared_ptr<const ModuleWeights> weights;  ///< null: they could not be read
  std::string problem;                           ///< why
};
struct FileRefused {
  std::string problem;
};
struct TrainingProgressed {
  std::shared_ptr<const TrainingProgress> progress;
};
/// The session may take the newest weights of its training: what was asked of those before is done.
struct ShowNewest {};

/// All that may change a Scene.
using AnyEvent =
    std::variant<Edit, Undo, Redo, OpenTask, ToggleTraining, StepTraining, ResetTraining, FollowTraining,
                 OpenFile, OpenModule, OpenKept, TaskModelRead, SceneRead, ModelRead, MaskRead, KeptRead,
                 ModuleRead, FileRefused, TrainingProgressed, ShowNewest>;

/// One of them. A class of its own, as it takes seconds to compile how a variant of so many is copied, moved
/// and destroyed: event.cpp does it once, instead of every file that holds one.
struct Event : AnyEvent {
  template <AlternativeOf<AnyEvent> T>
  Event(T alternative) : AnyEvent(std::in_place_type<T>, std::move(alternative)) {}
  Event(const Event& other);
  Event(Event&& other) noexcept;
  Event& operator=(const Event& other);
  Event& operator=(Event&& other) noexcept;
  ~Event();
};

}  // namespace headscope
