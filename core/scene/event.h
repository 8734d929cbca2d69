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

// What these open is first read, so that the effect says the same.

using OpenBundled = ReadBundled;  ///< Without a name, random weights.
using OpenModule = ReadModule;
using OpenText = ReadText;
using OpenKept = ReadKept;
using OpenLesson = ReadLesson;

// Actions of the user.

struct Edit {
  Action action;
  bool continues = false;  ///< Continues the same drag or the same run of typing.
};
struct Undo {};
struct Redo {};
/// Continues training, starts it from random weights, or pauses it.
struct ToggleTraining {};
struct StepTraining {};
/// Returns to random weights at step 0.
struct ResetTraining {};
/// Makes the session show the newest weights of its training, or the newest capture that was pushed, again.
struct FollowNewest {};
/// Opens a file that was dropped or chosen. It may be a scene or figure whose session is opened, the folder
/// of a model, a mask, or the weights of an attention module.
struct OpenFile {
  std::string path;
};

// Actions of a learner.

/// Goes to a step of the lesson, which opens its scene.
struct GoToStep {
  std::size_t step = 0;
};
/// Opens the scene of the step again, after the learner changed it.
struct ReturnToLesson {};
/// Closes the lesson. The session stays as it is.
struct LeaveLesson {};
/// Makes what is shown the first step of a new lesson, which gets a folder of its own inside of `folder`.
struct BeginLesson {
  std::string folder;
  StepWords introduction;
};
/// Offers what an author does with the open lesson. The lesson must have a file.
struct EditLesson {};
/// Adds what is shown to the open lesson, as a step after the present one. The lesson must have a file.
struct AddStep {};
/// Writes another text into the file of the open lesson and goes to one of its steps.
struct ChangeLesson {
  std::string text;
  std::size_t step = 0;
};
/// Makes what is shown the scene of the open lesson's step.
struct ShowInStep {};
struct TakeHint {};
/// Tells the answer to the question of the step, and shows it if the question says how.
struct RevealAnswer {};

// Results of effects.

struct BundledRead {
  std::string name;
  std::shared_ptr<const TrainedModel> model;  ///< Null if it could not be read.
  std::string problem;                        ///< Why it could not be read.
};
/// A scene or figure was read.
struct SceneRead {
  std::string path;
  Session session;
  std::string complaint;  ///< What could not be restored. Empty if everything was.
  bool has_model = true;  ///< False if its model is no longer where it was.
};
/// The folder of a trained model was read.
struct ModelRead {
  std::string path;
  std::shared_ptr<const TrainedModel> model;
  std::optional<TrainingSettings> training = {};  ///< For a text that was opened.
};
struct MaskRead {
  std::string path;
  std::shared_ptr<const LoadedMask> mask;
  std::string note;  ///< How the mask was interpreted.
};
struct KeptRead {
  std::string folder;
  Session session;
  bool has_model = true;  ///< False if its weights could not be read.
  std::string complaint;  ///< What could not be restored. Empty if everything was.
};
/// A lesson was read, which begins at a step.
struct LessonRead {
  std::shared_ptr<const Lesson> lesson;
  std::size_t step = 0;
};
/// An author's lesson was written into its file.
struct LessonWritten {
  enum class Kind { begun, step_added, changed };
  std::shared_ptr<const Lesson> lesson;
  std::size_t step = 0;
  Kind kind = Kind::changed;
};
/// The file of a lesson stayed as it was. `file` is empty if it was to be a new one.
struct LessonNotWritten {
  std::string file;
  std::string problem;
};
struct FileRefused {
  std::string problem;
};
struct TrainingProgressed {
  std::shared_ptr<const TrainingProgress> progress;
};
/// Another program pushed attention, which has no name, into the window.
struct CapturePushed {
  std::shared_ptr<const TrainedModel> capture;
};
/// The session may take the newest numbers, because everything requested of earlier ones is done.
struct ShowNewest {};

/// The numbers of the session have come so far on their way to those of a step: a share from 0 to 1.
struct LessonMoved {
  double share = 1.0;
};
/// What the learner did was compared with what the question of the step expects. Ignored if the lesson has
/// gone on meanwhile.
struct LessonObserved {
  LessonWalk walk;
};

/// Every kind of event that may change a Scene.
using AnyEvent =
    std::variant<Edit, Undo, Redo, OpenBundled, ToggleTraining, StepTraining, ResetTraining, FollowNewest,
                 OpenFile, OpenModule, OpenKept, OpenLesson, GoToStep, ReturnToLesson, LeaveLesson,
                 BeginLesson, EditLesson, AddStep, ChangeLesson, ShowInStep, TakeHint, RevealAnswer,
                 LessonRead, LessonWritten, LessonNotWritten, LessonMoved, LessonObserved, OpenText,
                 BundledRead, SceneRead, ModelRead, MaskRead, KeptRead, ModuleRead, FileRefused,
                 TrainingProgressed, CapturePushed, ShowNewest>;

/// One event. This is a class of its own because compiling the copy, the move and the destructor of such a
/// large variant takes seconds. event.cpp compiles them once for all files.
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
