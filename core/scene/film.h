#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "core/engine/training_worker.h"
#include "core/scene/event.h"

namespace headscope {

using Snapshot = std::shared_ptr<const TrainedModel>;

/// The snapshots of a training from its first to its newest weights; fewer than two: there is no film.
std::vector<Snapshot> film_of(const TrainingProgress& training);

/// Which of them has the number of steps nearest to this one. There must be one.
std::size_t snapshot_near(const std::vector<Snapshot>& film, double step);

/// How long so many snapshots are shown, in seconds.
double film_seconds(std::size_t n_snapshots);

/// Where a film stands and whether it goes on. A plain value.
struct FilmState {
  bool plays = false;
  double share = 0.0;  ///< of its time, 0 to 1

  /// From the snapshot that is shown on; from the beginning where that is the last, or none of them.
  void start(const std::vector<Snapshot>& film, const ModelValue& shown);
  /// After so many seconds more. The snapshot to be shown; the film stops at the last.
  std::size_t advance(const std::vector<Snapshot>& film, double seconds);
};

/// Whether an event is something that a person does to the session: the film stops for it. Looking around
/// (another page, head or token) does not stop it.
bool stops_film(const Event& event);

}  // namespace headscope
