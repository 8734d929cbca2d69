#include "core/scene/film.h"

#include <algorithm>
#include <cmath>
#include <variant>

#include "core/overloaded.h"
#include "core/text/number_text.h"

namespace headscope {

std::vector<Snapshot> film_of(const Scene& scene) {
  if (scene.training.run)
    return scene.training.progress ? scene.training.progress->snapshots() : std::vector<Snapshot>();
  const Snapshot newest = newest_of(scene);
  return newest ? with_newest(scene.pushed.kept.all(), newest) : std::vector<Snapshot>();
}

std::string snapshot_name(const TrainedModel& snapshot) {
  return snapshot.is_capture() ? snapshot.title() : grouped(snapshot.steps);
}

std::size_t snapshot_near(const std::vector<Snapshot>& film, double step) {
  const auto distance = [&](const Snapshot& snapshot) {
    return std::abs(static_cast<double>(snapshot->steps) - step);
  };
  return static_cast<std::size_t>(std::ranges::min_element(film, {}, distance) - film.begin());
}

double film_seconds(std::size_t n_snapshots) {
  constexpr double longest = 6.0;
  constexpr double slowest = 0.4;  ///< For one snapshot.
  return std::min(longest, slowest * static_cast<double>(n_snapshots));
}

void FilmState::start(const std::vector<Snapshot>& film, const ModelRef& shown) {
  is_playing = film.size() > 1;
  share = 0.0;
  const auto at =
      std::ranges::find_if(film, [&](const Snapshot& snapshot) { return ModelRef(snapshot) == shown; });
  if (!is_playing || at == film.end() || at + 1 == film.end()) return;
  share = static_cast<double>(at - film.begin()) / static_cast<double>(film.size() - 1);
}

std::size_t FilmState::advance(const std::vector<Snapshot>& film, double seconds) {
  share = std::clamp(share + seconds / film_seconds(film.size()), 0.0, 1.0);
  if (share >= 1.0) is_playing = false;
  return static_cast<std::size_t>(share * static_cast<double>(film.size() - 1));
}

bool stops_film(const Event& event) {
  const Overloaded kinds{
      [](const Edit& edit) {
        return undo_role(edit.action).is_step || std::holds_alternative<ShowWeights>(edit.action);
      },
      [](const BundledRead&) { return false; },
      [](const ShowMessage&) { return false; },
      [](const TrainingProgressed&) { return false; },
      [](const CapturePushed&) { return false; },
      [](SceneOrder order) { return order != SceneOrder::show_newest; },
      [](const auto&) { return true; },
  };
  return std::visit(kinds, event);
}

}  // namespace headscope
