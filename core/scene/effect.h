#pragma once

#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "core/checkpoint/corpus.h"
#include "core/engine/module_weights.h"
#include "core/engine/training_worker.h"
#include "core/lesson/edit_lesson.h"
#include "core/session/session.h"
#include "core/tasks/task.h"

namespace headscope {

/// Shows a message to the user.
struct Say {
  std::string message;
  bool is_warning = false;
};
/// Reads one of the program's models. Answered by BundledRead.
struct ReadBundled {
  std::string name;
};
/// Reads a file. Answered by SceneRead, ModelRead, MaskRead, ModuleRead or FileRefused.
struct ReadFile {
  std::string path;
  /// This scene is read again if the file turns out to be its missing model.
  std::string scene_without_model = {};
};
/// The session now belongs to this file.
struct SceneOpened {
  std::string path;
};
/// Reads a text to train a model on (open_text()). Answered by ModelRead or FileRefused.
struct ReadText {
  TextSources sources;
  std::size_t size = 0;
};
/// Reads the weights of an attention module. Answered by ModuleRead.
struct ReadModule {
  std::string path;
  ModuleFormat format = ModuleFormat::torch;
};
/// An attention module was read. As an event, it is the answer to ReadModule; as an effect, it asks the user
/// how many heads the module has or, if it could not be read, which format it has.
struct ModuleRead {
  std::string path;
  std::shared_ptr<const ModuleWeights> weights;  ///< Null if they could not be read.
  std::string problem;                           ///< Why they could not be read.
};
/// Reads what a killed program kept. Answered by KeptRead or FileRefused.
struct ReadKept {
  std::string folder;
};
/// Takes over the folder of a killed program, whose contents are now the session.
struct TakeOverKept {
  std::string folder;
};
/// Reads a lesson: one of the program's by its name, or a file. Answered by LessonRead or FileRefused.
struct ReadLesson {
  std::string name;
  std::size_t step = 0;
};
/// Writes a session as the first step of a new lesson, which gets a folder of its own inside of `folder`.
/// Answered by LessonWritten or LessonNotWritten.
struct WriteNewLesson {
  std::string folder;
  StepWords introduction;
  Session session;
};
/// Writes a text in place of another into the file of a lesson. Answered by LessonWritten or
/// LessonNotWritten.
struct WriteLesson {
  std::string file;
  std::string before, after;
  std::size_t step = 0;
};
/// Writes a session as the scene of a step, into the file of a lesson that holds the text `before`: of the
/// step that is there, or of a new one at that place. Answered by LessonWritten or LessonNotWritten.
struct WriteStep {
  std::string file;
  std::string before;
  std::size_t step = 0;
  bool is_new = false;
  Session session;
};
/// An order to the trainer. Its kinds correspond to the functions of TrainingWorker. Answered by
/// TrainingProgressed.
struct TrainingOrder {
  enum class Kind { start, prepare, restore, adjust, pause, resume, step, leave };
  Kind kind = Kind::leave;
  TrainingRun run = {};            ///< Used by start, prepare and restore.
  TrainingSettings settings = {};  ///< Used by start, prepare, restore and adjust.
  double most_seconds = 0.0;       ///< Used by start.
};

/// Work that takes time or reaches outside of the program. The caller of update() must carry out the effects
/// in their order.
using Effect =
    std::variant<Say, ReadBundled, ReadFile, ReadText, SceneOpened, ReadModule, ModuleRead, ReadKept,
                 TakeOverKept, ReadLesson, WriteNewLesson, WriteStep, WriteLesson, TrainingOrder>;
using Effects = std::vector<Effect>;

}  // namespace headscope
