#pragma once

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "core/model/trained_model.h"

namespace headscope {

using Snapshot = std::shared_ptr<const TrainedModel>;

/// These snapshots and, unless it is the last of them, the newest one if there is one.
inline std::vector<Snapshot> with_newest(std::vector<Snapshot> snapshots, const Snapshot& newest) {
  if (newest && (snapshots.empty() || snapshots.back() != newest)) snapshots.push_back(newest);
  return snapshots;
}

/// A bounded history of snapshots in ascending steps. When it is full, it drops every second one and doubles
/// the interval of those to come.
class SnapshotHistory {
 public:
  /// Keeps at most `capacity` (at least 2) snapshots, of every `every`-th step from 0 on.
  explicit SnapshotHistory(std::size_t capacity, int every = 1) : capacity_(capacity), every_(every) {}

  bool accepts(int step) const { return step % every_ == 0; }
  /// accepts() must hold for the snapshot's step.
  void keep(Snapshot snapshot) {
    all_.push_back(std::move(snapshot));
    if (all_.size() <= capacity_) return;
    every_ *= 2;
    std::erase_if(all_, [this](const Snapshot& each) { return !accepts(each->steps); });
  }
  const std::vector<Snapshot>& all() const { return all_; }

 private:
  std::vector<Snapshot> all_;
  std::size_t capacity_;
  int every_;
};

}  // namespace headscope
