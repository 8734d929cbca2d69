#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "app/parts/folder_list.h"
#include "core/jobs/job_queue.h"

namespace headscope {

/// Lists folders in the background, so that the window never waits for a slow disk.
class FolderLister {
 public:
  /// `on_finished` is called from the background thread.
  explicit FolderLister(std::function<void()> on_finished) : queue_(std::move(on_finished)) {}
  ~FolderLister() { queue_.finish(); }
  FolderLister(const FolderLister&) = delete;
  FolderLister& operator=(const FolderLister&) = delete;

  /// Starts listing a folder, unless it was the last one listed or another is being listed.
  void list(const std::string& folder);
  /// The listing finished since the last call. Empty if there is none.
  std::optional<FolderListing> take() { return queue_.take(); }
  /// Makes the next call of list() list its folder again.
  void forget() { listed_.reset(); }
  bool busy() const { return queue_.busy(); }

 private:
  std::optional<std::string> listed_;
  JobQueue<FolderListing> queue_;
};

}  // namespace headscope
