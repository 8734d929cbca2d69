#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "core/alternative_of.h"
#include "core/engine/training_worker.h"
#include "core/lesson/edit_lesson.h"
#include "core/lesson/walk.h"
#include "core/model/mask.h"
#include "core/scene/effect.h"
#include "core/session/action.h"
#include "core/tasks/task.h"

namespace headscope {

// Opening starts with reading, so these events share their type with the effect.

using OpenBundled = ReadBundled;  ///< An empty name opens random weights.
/// A dropped or chosen file: a scene, a figure with a scene, a model folder, a mask, or the weights of an
/// attention module.
using OpenFile = ReadFile;
using OpenModule = ReadModule;
using OpenText = ReadText;
using OpenRecovery = ReadRecovery;
using OpenLesson = ReadLesson;

// Actions of the user.

struct Edit {
  Action action;
  bool continues = false;  ///< Continues the same drag or the same run of typing.
};
/// Events without data.
enum class SceneOrder {
  undo,
  redo,
  toggle_training,  ///< Pauses or resumes training, or starts it from random weights.
  step_training,
  reset_training,      ///< Returns to random weights at step 0.
  follow_newest,       ///< Follows the newest weights of the training, or the newest pushed capture, again.
  show_newest,         ///< All requests for earlier numbers are done, so the session may show the newest.
  restore_step_scene,  ///< Reopens the step's scene, discarding the learner's changes.
  /// Closes the lesson and restores the session before it, unless the learner has started something of their
  /// own.
  close_lesson,
  show_hint,
  reveal_answer,  ///< Reveals the answer to the step's question, and opens its session if it has one.
  edit_lesson,    ///< Opens the author's tools for the open lesson, which must have a file.
  /// Adds the present session to the open lesson, as a step after the current one. The lesson must have a
  /// file.
  add_step,
  set_step_scene  ///< Makes the present session the scene of the lesson's current step.
};

// Actions of a learner.

/// Goes to a step of the lesson and opens its scene.
struct GoToStep {
  std::size_t step = 0;
};
/// Starts a new lesson in its own subfolder of `folder`, with the present session as its first step.
struct CreateLesson {
  std::string folder;
  StepText introduction;
};
/// Replaces the text of the open lesson's file and goes to one of its steps.
struct ChangeLesson {
  std::string text;
  std::size_t step = 0;
};

// Results of effects.

struct BundledRead {
  std::string name;
  std::shared_ptr<const TrainedModel> model;  ///< Null if it could not be read.
  std::string problem;                        ///< Why it could not be read.
};
/// A scene or figure was read, or the folder of an autosaved session.
struct SceneRead {
  std::string path;
  Session session;
  std::string complaint;     ///< What could not be restored. Empty if everything was.
  bool has_model = true;     ///< False if its model has been moved or removed, or cannot be read.
  bool is_recovery = false;  ///< `path` is the folder of an autosaved session.
};
/// The folder of a trained model was read.
struct ModelRead {
  std::string path;
  std::shared_ptr<const TrainedModel> model;
  std::optional<TrainingSettings> training = {};  ///< Only for a model of an opened text.
};
struct MaskRead {
  std::string path;
  std::shared_ptr<const LoadedMask> mask;
  std::string note;  ///< How the mask was interpreted.
};
/// A lesson was read, to be opened at a step.
struct LessonRead {
  std::shared_ptr<const Lesson> lesson;
  std::size_t step = 0;
};
/// The file of an author's lesson was written.
struct LessonWritten {
  enum class Kind { started, step_added, changed };
  std::shared_ptr<const Lesson> lesson;
  std::size_t step = 0;
  Kind kind = Kind::changed;
};
/// Writing a lesson's file failed and left it unchanged. `file` is empty if it was to be a new one.
struct LessonWriteFailed {
  std::string file;
  std::string problem;
};
using TrainingProgressed = std::shared_ptr<const TrainingProgress>;
/// Another program pushed attention into the window. The capture has no name.
using CapturePushed = std::shared_ptr<const TrainedModel>;

/// The animation from the session to a step's scene has reached this share, from 0 to 1.
struct LessonAnimated {
  double share = 1.0;
};
/// The learner's session was checked against the step's question. Ignored if the lesson has moved on.
using LessonObserved = LessonWalk;

/// Every event that may change a Scene.
using AnyEvent =
    std::variant<Edit, SceneOrder, OpenBundled, OpenFile, OpenModule, OpenRecovery, OpenLesson, GoToStep,
                 CreateLesson, ChangeLesson, LessonRead, LessonWritten, LessonWriteFailed, LessonAnimated,
                 LessonObserved, OpenText, BundledRead, SceneRead, ModelRead, MaskRead, ModuleRead,
                 ShowMessage, TrainingProgressed, CapturePushed>;

/// One of these events. A class of its own because copying, moving and destroying such a large variant takes
/// seconds to compile; event.cpp does it once for all files.
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
