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

/// Shows a message to the user. As an event, reading failed.
struct ShowMessage {
  std::string message;
  bool is_warning = false;
};
/// Reads a bundled model. Answered by BundledRead.
struct ReadBundled {
  std::string name;
};
/// Reads a file. Answered by SceneRead, ModelRead, MaskRead, ModuleRead or ShowMessage.
struct ReadFile {
  std::string path;
  /// The scene to read again if the file turns out to be its missing model. Empty if there is none.
  std::string scene_without_model = {};
};
/// Associates the session with this file.
struct SceneOpened {
  std::string path;
};
/// Reads a text to train a model on (open_text()). Answered by ModelRead or ShowMessage.
struct ReadText {
  TextSources sources;
  std::size_t size = 0;
};
/// Reads the weights of an attention module. Answered by ModuleRead.
struct ReadModule {
  std::string path;
  ModuleFormat format = ModuleFormat::torch;
};
/// As an event, the answer to ReadModule. As an effect, asks the user for the number of heads of the module
/// or, if it could not be read, for its format.
struct ModuleRead {
  std::string path;
  std::shared_ptr<const ModuleWeights> weights;  ///< Null if they could not be read.
  std::string problem;                           ///< Why they could not be read.
};
/// Reads the autosaved session of a killed program. Answered by SceneRead or ShowMessage.
struct ReadRecovery {
  std::string folder;
};
/// Takes over the autosave folder of a killed program, whose session is now open.
struct AdoptRecovery {
  std::string folder;
};
/// Reads a bundled lesson by its name, or a file. Answered by LessonRead or ShowMessage.
struct ReadLesson {
  std::string name;
  std::size_t step = 0;
};
/// Writes a session as the first step of a new lesson in its own subfolder of `folder`. Answered by
/// LessonWritten or LessonWriteFailed.
struct WriteNewLesson {
  std::string folder;
  StepText introduction;
  Session session;
};
/// Replaces the text `before` in a lesson's file with `after`. Answered by LessonWritten or
/// LessonWriteFailed.
struct WriteLesson {
  std::string file;
  std::string before, after;
  std::size_t step = 0;
};
/// Writes a session as the scene of a step, existing or new, into a lesson's file, which must hold the text
/// `before`. Answered by LessonWritten or LessonWriteFailed.
struct WriteStep {
  std::string file;
  std::string before;
  std::size_t step = 0;
  bool is_new = false;
  Session session;
};
/// Work that takes time or has side effects. The caller of update() must run the effects in order. A command
/// for the trainer is answered by TrainingProgressed.
using Effect = std::variant<ShowMessage, ReadBundled, ReadFile, ReadText, SceneOpened, ReadModule, ModuleRead,
                            ReadRecovery, AdoptRecovery, ReadLesson, WriteNewLesson, WriteStep, WriteLesson,
                            TrainingCommand>;
using Effects = std::vector<Effect>;

}  // namespace headscope
