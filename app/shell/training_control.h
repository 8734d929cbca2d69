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

/// Sees to it that a session whose weights are for a task has them: from the shelf, or by training, which
/// begins by itself where it takes a few seconds.
class TrainingControl {
 public:
  TrainingControl(std::function<void()> wake, ModelPlaces places)
      : shelf_(std::move(places)), worker_(std::move(wake)) {}

  /// Call it every frame: the weights that the session should show, where they are others than it shows.
  std::shared_ptr<const TrainedModel> weights_for(const Session& session);
  /// Of the session's model; null where nothing was trained.
  std::shared_ptr<const TrainingProgress> progress() const;
  /// The weights that are shown are the ones to be shown. A training that runs is not waited for: it may go
  /// on for as long as it likes.
  bool settled(const Session& session) const;

  /// Whether toggle() and step() begin with random weights: the session has a task, and there is no training
  /// of these weights to go on with.
  bool begins_anew(const Session& session) const;
  /// Trains on, or from random weights; or pauses.
  void toggle(const Session& session);
  void step(const Session& session);
  /// Random weights again, at step 0.
  void reset(const Session& session);
  /// Leaves the training; the session keeps the weights that it shows.
  void leave();
  /// After the session became one that was before: the training that found its weights, where it is still
  /// there, or none.
  void find_again(const Session& session);
  /// The session goes along with training again.
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
