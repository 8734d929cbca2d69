#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "core/engine/model_shelf.h"
#include "core/engine/training_worker.h"
#include "core/session/session.h"

namespace headscope {

/// Provides the weights of a session with a task: from the shelf, or by training, which starts by itself if
/// it takes only a few seconds.
class TrainingControl {
 public:
  TrainingControl(std::function<void()> wake, ModelPlaces places)
      : shelf_(std::move(places)), worker_(std::move(wake)) {}

  /// To be called every frame: the weights that the session should show, if they differ from those it shows.
  std::shared_ptr<const TrainedModel> weights_for(const Session& session);
  /// Of the session's model; null if nothing was trained.
  std::shared_ptr<const TrainingProgress> progress() const;
  /// Whether the right weights are shown. This does not wait for a running training, which may take any time.
  bool settled(const Session& session) const;

  /// Whether toggle() and step() begin with random weights: the session has a task, and there is no training
  /// of these weights to continue.
  bool begins_anew(const Session& session) const;
  /// Continues training, starts from random weights, or pauses.
  void toggle(const Session& session);
  void step(const Session& session);
  /// Random weights again, at step 0.
  void reset(const Session& session);
  /// Leaves the training; the session keeps the weights that it shows.
  void leave();
  /// To be called after undo and redo: continues with the training that found the session's weights, if it is
  /// still kept.
  void find_again(const Session& session);
  /// The session follows the training again.
  void follow() { follows_ = true; }
  /// The session looks back at a snapshot of the training.
  void look_back(const std::shared_ptr<const TrainedModel>& snapshot);

  Result<std::shared_ptr<const TrainedModel>> bundled(TaskKind task) { return shelf_.bundled(task); }
  const TrainingWorker& worker() const { return worker_; }

 private:
  bool is_of(const Session& session) const;
  std::optional<TrainingRun> new_run(const Session& session);
  void remember_run();
  void note_origin(const std::shared_ptr<const TrainedModel>& model);
  std::optional<TrainingRun> run_of(const std::shared_ptr<const TrainedModel>& model) const;

  ModelShelf shelf_;
  TrainingWorker worker_;
  std::optional<TrainingRun> run_;
  /// Which run found which of the weights that sessions still hold.
  struct Origin {
    std::weak_ptr<const TrainedModel> model;
    TrainingRun run;
  };
  std::vector<Origin> origins_;
  /// The runs that the worker can restore.
  struct Suspended {
    std::shared_ptr<const TrainingProgress> known;  ///< what was known of it last
    bool follows = true;
  };
  std::vector<Suspended> suspended_;
  int attempts_ = 0;
  bool follows_ = true;
};

}  // namespace headscope
