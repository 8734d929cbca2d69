#pragma once

#include <cstddef>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/engine/kept_snapshots.h"
#include "core/engine/training_worker.h"
#include "core/lesson/walk.h"
#include "core/scene/effect.h"
#include "core/session/history.h"
#include "core/session/session.h"

namespace headscope {

/// What is known about the weights that sessions with a task may show: the present run, earlier runs, and
/// models that need not be trained again. A plain value.
struct TrainingPlan {
  std::optional<TrainingRun> run;
  /// The latest progress of the run. Null before the first.
  std::shared_ptr<const TrainingProgress> progress;
  std::optional<TrainingSettings> ordered;  ///< The settings that the run received last.
  bool follows = true;                      ///< The session shows the newest weights.
  int attempts = 0;                         ///< The number of runs so far.

  /// The runs that the trainer can restore, the latest one last.
  struct Suspended {
    std::shared_ptr<const TrainingProgress> known;  ///< What was last known of the run.
    bool follows = true;
  };
  std::vector<Suspended> suspended;
  /// What was last known of a restored run that has not published any progress since.
  std::optional<Suspended> restored;

  /// The bundled models that were read. Null for a model that could not be read.
  std::map<std::string, ModelValue> bundled;
  std::string reads;  ///< The one that is being read. Empty if none is.

  struct Trained {
    ModelValue model;
    TrainingSettings settings;
  };
  std::deque<Trained> trained;  ///< The latest models that were trained to the end with these settings.
};

// Each of these functions appends the orders that it requires to `effects`.

/// Makes the run match the session. Leaves a run of another model, passes the session's settings to the run,
/// and starts a run if the session has a task but neither weights nor a run.
void settle_training(TrainingPlan& plan, const Session& session, Effects& effects);

/// The weights that a session without weights should show. Null if they have to be found first.
ModelValue known_weights(const TrainingPlan& plan, const Session& session);

/// The text that the session's model learns. Null if it learns none that is open.
std::shared_ptr<const Corpus> open_corpus(const Session& session);
/// Whether the session has a task or a text to learn.
bool can_train(const Session& session);
/// Whether training would start from random weights: the session can be trained, but no training of its
/// weights can be continued.
bool begins_anew(const TrainingPlan& plan, const Session& session);
void toggle_training(TrainingPlan& plan, const Session& session, Effects& effects);
void step_training(TrainingPlan& plan, const Session& session, Effects& effects);
void reset_training(TrainingPlan& plan, const Session& session, Effects& effects);
/// Leaves the run. The session keeps the weights that it shows.
void leave_training(TrainingPlan& plan, Effects& effects);
/// Called after undo and redo. Continues the run that produced the session's weights, if it is still kept.
void find_training_again(TrainingPlan& plan, const Session& session, Effects& effects);
/// Takes over the progress that the trainer published.
void take_progress(TrainingPlan& plan, const std::shared_ptr<const TrainingProgress>& progress);

/// Captures of one text that another program pushed one after another, as a training loop does. A plain
/// value.
struct PushedSteps {
  int series = 0;         ///< Counts the texts. 0 before the first.
  KeptSnapshots kept{2};  ///< To look back at.
  Snapshot newest;        ///< Null before the first.
  bool follows = true;    ///< The session shows the newest.
};

/// The lesson that is open. A plain value.
struct LessonPlace {
  LessonWalk walk;
  /// The session to which the next start returns if nothing is done in the lesson but what it asks for.
  History::Step before;
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
  PushedSteps pushed;
  std::string opens;  ///< The program's model to open once it is read. Empty if none is.
  /// Whether the page on writing wants it, so that it is not opened once that page is left.
  bool opens_for_page = false;
  /// The file of a scene that was opened without its model. Empty if no model is missing.
  std::string lacks_model;
  std::optional<LessonPlace> lesson;
  bool begins_lesson = false;  ///< The file of a new lesson is being written.
  /// The selected token disappeared while the sentence was being typed, and no other was chosen since.
  bool seeks_token = false;

  const Session& session() const { return history.present(); }
};

/// Whether the session shows the weights that it should show, as far as is known. This does not wait for a
/// running training, which may take any amount of time.
bool shows_its_weights(const Scene& scene);

/// The newest of what the session leads through in time, whose numbers it shows unless one looks back: the
/// weights of its training, or the captures that were pushed of its text. Null if it leads through nothing.
Snapshot newest_of(const Scene& scene);

/// Whether the session shows older numbers than newest_of() and should follow them.
bool is_behind(const Scene& scene);

/// Whether the learner has changed the session since the lesson opened its scene.
bool has_left_scene(const Scene& scene);

/// The session that the next start opens. What a lesson shows is not kept: as long as the texts, the weights
/// and the given numbers are those of one of its scenes, and nothing has been changed since it was left, this
/// is the session before the lesson, in the present theme. An author's lesson is the author's own work.
Session session_to_keep(const Scene& scene);

/// Whether the file of a lesson is being written.
bool writes_lesson(const Scene& scene);

/// Whether there is something to undo or to redo: a change of the author's lesson, if it was the last thing
/// that was done, or one of the session.
bool can_undo(const Scene& scene);
bool can_redo(const Scene& scene);

}  // namespace headscope
