#pragma once

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "core/model/trained_model.h"

namespace headscope {

using Snapshot = std::shared_ptr<const TrainedModel>;

/// Snapshots of ascending steps to look back at, evenly thinned out: when there is one too many, every second
/// one is dropped, and so is every second one of those that come later.
class KeptSnapshots {
 public:
  /// Keeps those of every `every`-th step, beginning with step 0. `most` is at least 2.
  explicit KeptSnapshots(std::size_t most, int every = 1) : most_(most), every_(every) {}

  bool wants(int step) const { return step % every_ == 0; }
  /// The snapshot must be wanted.
  void keep(Snapshot snapshot) {
    all_.push_back(std::move(snapshot));
    if (all_.size() <= most_) return;
    every_ *= 2;
    std::erase_if(all_, [this](const Snapshot& each) { return !wants(each->steps); });
  }
  const std::vector<Snapshot>& all() const { return all_; }

 private:
  std::vector<Snapshot> all_;
  std::size_t most_;
  int every_;
};

}  // namespace headscope
