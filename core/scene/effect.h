#pragma once

#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "core/engine/module_weights.h"
#include "core/engine/training_worker.h"
#include "core/tasks/task.h"

namespace headscope {

/// To be said to the person.
struct Say {
  std::string message;
  bool is_warning = false;
};
/// To be answered by TaskModelRead.
struct ReadTaskModel {
  TaskKind task = TaskKind::pronouns;
};
/// To be answered by SceneRead, ModelRead, MaskRead, ModuleRead or FileRefused.
struct ReadFile {
  std::string path;
  std::string scene_without_model = {};  ///< is read again where the file is the model that it lacks
};
/// The session is that of this file now.
struct SceneOpened {
  std::string path;
};
/// To be answered by ModuleRead.
struct ReadModule {
  std::string path;
  ModuleFormat format = ModuleFormat::torch;
};
/// The person is to say how many heads a module has, or, where it could not be read, which format it has.
struct AskAboutModule {
  std::string path;
  std::shared_ptr<const ModuleWeights> weights;  ///< null: they could not be read
  std::string problem;                           ///< why
};
/// To be answered by KeptRead or FileRefused.
struct ReadKept {
  std::string folder;
};
/// What a killed program had kept is the session now.
struct TakeOverKept {
  std::string folder;
};
/// What the trainer is told; as the functions of TrainingWorker. It answers by TrainingProgressed.
struct TrainingOrder {
  enum class Kind { start, prepare, restore, adjust, pause, resume, step, leave };
  Kind kind = Kind::leave;
  TrainingRun run = {};            ///< of start, prepare and restore
  TrainingSettings settings = {};  ///< of these and adjust
  double most_seconds = 0.0;       ///< of start
};

/// What takes time or reaches outside: to be carried out, in this order, by whoever called update().
using Effect = std::variant<Say, ReadTaskModel, ReadFile, SceneOpened, ReadModule, AskAboutModule, ReadKept,
                            TakeOverKept, TrainingOrder>;
using Effects = std::vector<Effect>;

}  // namespace headscope
