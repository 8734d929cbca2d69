#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "core/lesson/walk.h"
#include "core/scene/training_plan.h"
#include "core/session/history.h"

namespace headscope {

/// The lesson that is open. A plain value.
struct LessonPlace {
  LessonWalk walk;
  History::Step opened;  ///< The session as the lesson left it to the learner.
  /// The session is on its way to that of a step, in numbers that can be passed through.
  struct Motion {
    History::Step from, to;
    History::Step
        at;  ///< The session that the way has reached. If it is no longer the present one, the way ends.
    double share = 0.0;
  };
  std::optional<Motion> motion;
  /// What an author's lesson was before a change in the window, and the step that was shown.
  struct Version {
    std::string text;
    std::size_t step = 0;
    History::Step at;  ///< The session when the change was made: its turn to be undone comes only there.
  };
  std::vector<Version> past;    ///< The newest last.
  std::vector<Version> future;  ///< What undo took back, the last one last.
  /// Whether the window offers what an author does with it. A reader of a file has to ask for that.
  bool is_edited = false;
  /// Whether its file is being written. Until that has been answered, nothing else may be.
  bool is_being_written = false;
};

/// The whole state that actions change, as a plain value. Only the present session is saved and shared.
struct Scene {
  explicit Scene(Session session) : history(std::move(session)) {}

  History history;
  TrainingPlan training;
  std::optional<TaskKind> opens;  ///< The requested task while its model is being read.
  /// The file of a scene that was opened without its model. Empty if no model is missing.
  std::string lacks_model;
  std::optional<LessonPlace> lesson;
  bool begins_lesson = false;  ///< The file of a new lesson is being written.
  bool seeks_token = false;    ///< The selected token disappeared while the sentence was being typed.

  const Session& session() const { return history.present(); }
};

/// Whether the session shows the weights that it should show, as far as is known. This does not wait for a
/// running training, which may take any amount of time.
bool shows_its_weights(const Scene& scene);

/// Whether the session shows older weights than its training has found and should follow them.
bool is_behind(const Scene& scene);

/// Whether the learner has changed the session since the lesson opened its scene.
bool has_left_scene(const Scene& scene);

/// Whether the file of a lesson is being written.
bool writes_lesson(const Scene& scene);

/// Whether there is something to undo or to redo: a change of the author's lesson, if it was the last thing
/// that was done, or one of the session.
bool can_undo(const Scene& scene);
bool can_redo(const Scene& scene);

}  // namespace headscope
