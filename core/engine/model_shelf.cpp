#include "core/engine/model_shelf.h"

#include <algorithm>

namespace headscope {

Result<std::shared_ptr<const TrainedModel>> ModelShelf::bundled(TaskKind kind) {
  const auto found = bundled_.find(kind);
  if (found != bundled_.end()) return found->second;
  return bundled_.emplace(kind, open_model(std::string(task(kind).name()), places_)).first->second;
}

std::shared_ptr<const TrainedModel> ModelShelf::find(TaskKind kind, const Architecture& architecture,
                                                     const TrainingSettings& settings) {
  if (const auto model = bundled(kind); model && (*model)->model.architecture == architecture) return *model;
  const auto found = std::ranges::find_if(trained_, [&](const Trained& trained) {
    return trained.model->task == task(kind).name() && trained.settings == settings &&
           trained.model->model.architecture == architecture;
  });
  return found == trained_.end() ? nullptr : found->model;
}

void ModelShelf::keep(const std::shared_ptr<const TrainedModel>& model, const TrainingSettings& settings) {
  const auto same = [&](const Trained& trained) { return trained.model == model; };
  if (std::ranges::any_of(trained_, same)) return;
  trained_.push_back({model, settings});
  if (trained_.size() > most_kept) trained_.pop_front();
}

}  // namespace headscope
