#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "core/engine/training_worker.h"
#include "core/scene/event.h"
#include "core/scene/scene.h"

namespace headscope {

/// The snapshots of the session's training, or the pushed captures of its text, from the first to
/// newest_of(). Fewer than two are no film.
std::vector<Snapshot> film_of(const Scene& scene);

/// The name of a snapshot: its number of steps or, for a capture, the name that it was pushed with.
std::string snapshot_name(const TrainedModel& snapshot);

/// The index of the snapshot nearest to `step`. `film` must not be empty.
std::size_t snapshot_near(const std::vector<Snapshot>& film, double step);

/// The duration of a film with this number of snapshots, in seconds.
double film_seconds(std::size_t n_snapshots);

/// The position of a film and whether it is playing. A plain value.
struct FilmState {
  bool is_playing = false;
  double share = 0.0;  ///< The elapsed share of the duration, from 0 to 1.

  /// Plays from the shown snapshot, or from the beginning if that is the last one or not part of the film.
  void start(const std::vector<Snapshot>& film, const ModelRef& shown);
  /// Advances the film and returns the index of the snapshot to show. Stops at the last one.
  std::size_t advance(const std::vector<Snapshot>& film, double seconds);
};

/// Whether an event changes the session, which stops the film. Selecting another page, head or token does
/// not.
bool stops_film(const Event& event);

}  // namespace headscope
