#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "core/engine/model_shelf.h"
#include "core/engine/training_worker.h"
#include "core/session/session.h"

namespace headscope {

/// Sees to it that a session whose weights are for a task has them: from the shelf, or by training, which
/// begins by itself where it takes a few seconds.
class TrainingControl {
 public:
  explicit TrainingControl(std::function<void()> wake) : worker_(std::move(wake)) {}

  /// Call it every frame: the weights that the session should show, where they are others than it shows.
  std::shared_ptr<const TrainedModel> weights_for(const Session& session);
  /// Of the session's model; null where nothing was trained.
  std::shared_ptr<const TrainingProgress> progress() const;
  /// The weights that are shown are the ones to be shown. A training that runs is not waited for: it may go
  /// on for as long as it likes.
  bool settled(const Session& session) const;

  /// Trains on, or from random weights where there is nothing to train on from; or pauses.
  void toggle(const Session& session);
  void step(const Session& session);
  /// Random weights again, at step 0.
  void reset(const Session& session);
  /// Lets the training go; the session keeps the weights that it shows.
  void forget();
  /// Whether the session goes along with training, or looks back at a snapshot.
  void follow(bool newest) { follows_ = newest; }

  Result<std::shared_ptr<const TrainedModel>> bundled(TaskKind task) { return shelf_.bundled(task); }
  const TrainingWorker& worker() const { return worker_; }

 private:
  bool is_of(const Session& session) const;
  std::optional<TrainingRun> new_run(const Session& session);

  ModelShelf shelf_;
  TrainingWorker worker_;
  std::optional<TrainingRun> run_;
  int attempts_ = 0;
  bool follows_ = true;
};

}  // namespace headscope
