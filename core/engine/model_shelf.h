#pragma once

#include <deque>
#include <map>
#include <memory>
#include <utility>

#include "core/checkpoint/bundled_models.h"
#include "core/model/trained_model.h"
#include "core/result.h"
#include "core/tasks/task.h"
#include "core/train/training_settings.h"

namespace headscope {

/// Trained models that need not be trained again: the bundled ones, each read when first requested, and the
/// last few that were trained here. Not thread-safe.
class ModelShelf {
 public:
  /// `places`: where the bundled models are.
  explicit ModelShelf(ModelPlaces places) : places_(std::move(places)) {}

  /// Errors: those of open_model().
  Result<std::shared_ptr<const TrainedModel>> bundled(TaskKind task);

  /// Weights for a task in an architecture: bundled, else trained here with these settings. Null: none.
  std::shared_ptr<const TrainedModel> find(TaskKind task, const Architecture& architecture,
                                           const TrainingSettings& settings);
  /// Keeps a model that was trained here for find().
  void keep(const std::shared_ptr<const TrainedModel>& model, const TrainingSettings& settings);

 private:
  struct Trained {
    std::shared_ptr<const TrainedModel> model;
    TrainingSettings settings;
  };
  static constexpr std::size_t most_kept = 16;
  ModelPlaces places_;
  std::map<TaskKind, Result<std::shared_ptr<const TrainedModel>>> bundled_;
  std::deque<Trained> trained_;
};

}  // namespace headscope
