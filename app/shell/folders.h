#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "app/parts/folder_list.h"
#include "core/jobs/job_queue.h"

namespace headscope {

/// The folder for a typed name. An empty name is the current folder, and ~ is the home folder, as in a shell.
std::filesystem::path folder_from_typed(const std::string& typed);

/// A folder as it is shown to the user, with ~ for the home folder.
std::string shown_folder(const std::filesystem::path& folder);

/// The user's folder for pictures, as the desktop's user-dirs.dirs names it, with ~ for the home folder. If
/// there is none, the home folder; without a home folder, the one in which the program was started.
std::string pictures_folder();

/// Lists the subfolders of a folder, and the files and models in it that can be opened, recognised by name
/// and content. Hidden entries are left out, and the rest is sorted by name. A model's folder counts as
/// something that can be opened.
FolderListing listing_of(const std::string& folder);

/// Lists folders in the background, because disks may be slow.
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
  /// Forces the next list() to list its folder again.
  void forget() { listed_.reset(); }
  bool busy() const { return queue_.busy(); }

 private:
  std::optional<std::string> listed_;
  JobQueue<FolderListing> queue_;
};

}  // namespace headscope
