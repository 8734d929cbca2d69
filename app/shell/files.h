#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "app/parts/folder_list.h"
#include "core/jobs/job_queue.h"
#include "core/scene/effect.h"
#include "core/scene/event.h"

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

/// Reads the files that a scene requests, one after the other and in the background.
class FileReader {
 public:
  /// `on_read` is called from the reading thread. `n_threads`: the number of threads that will train on a
  /// text.
  FileReader(std::function<void()> on_read, int n_threads)
      : n_threads_(n_threads), queue_(std::move(on_read)) {}

  void carry_out(const ReadBundled& effect);
  void carry_out(const ReadFile& effect);
  void carry_out(const ReadText& effect);
  void carry_out(const ReadModule& effect);
  void carry_out(const ReadRecovery& effect);
  void carry_out(const ReadLesson& effect);
  // Each of these writes the file of a lesson and reads the lesson.
  void carry_out(const WriteNewLesson& effect);
  void carry_out(const WriteStep& effect);
  void carry_out(const WriteLesson& effect);
  /// The next result since the last call. Empty if there is none.
  std::optional<Event> take() { return queue_.take(); }
  /// Whether a result is still to be taken.
  bool busy() const { return queue_.busy(); }
  /// Progress, from 0 to 1, of a file that takes several slices; otherwise 0.
  double share() const { return queue_.share(); }

 private:
  Slices<Event> text_at(TextSources sources, std::size_t size) const;
  Slices<Event> any_file(std::string path, std::string scene_without_model) const;

  int n_threads_;
  JobQueue<Event> queue_;
};

}  // namespace headscope
