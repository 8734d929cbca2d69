#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "core/engine/kept_snapshots.h"
#include "core/scene/event.h"
#include "core/scene/scene.h"

namespace headscope {

/// What the session leads through in time, from the first to newest_of(): the snapshots of its training, or
/// the captures that were pushed of its text. If there are fewer than two, there is no film.
std::vector<Snapshot> film_of(const Scene& scene);

/// What a snapshot is called: the number of its steps or, of a capture, the name that it was pushed with.
std::string snapshot_name(const TrainedModel& snapshot);

/// The index of the snapshot whose number of steps is nearest to `step`. There must be at least one snapshot.
std::size_t snapshot_near(const std::vector<Snapshot>& film, double step);

/// The duration of a film with this number of snapshots, in seconds.
double film_seconds(std::size_t n_snapshots);

/// The position of a film and whether it is playing. A plain value.
struct FilmState {
  bool plays = false;
  double share = 0.0;  ///< The elapsed share of the duration, from 0 to 1.

  /// Starts at the snapshot that is shown. Starts from the beginning if that is the last snapshot or not part
  /// of the film.
  void start(const std::vector<Snapshot>& film, const ModelValue& shown);
  /// Advances the film by a time and returns the index of the snapshot to show. The film stops at the last
  /// one.
  std::size_t advance(const std::vector<Snapshot>& film, double seconds);
};

/// Whether an event is a user's change to the session, which stops the film. Selecting another page, head or
/// token does not stop it.
bool stops_film(const Event& event);

}  // namespace headscope
