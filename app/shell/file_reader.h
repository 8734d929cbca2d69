#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "core/jobs/job_queue.h"
#include "core/scene/effect.h"
#include "core/scene/event.h"

namespace headscope {

/// Reads the files that a scene requests, one after the other and in the background.
class FileReader {
 public:
  /// `on_read` is called from the reading thread.
  /// `n_threads` is the number of threads with which a text will be trained on.
  FileReader(std::function<void()> on_read, int n_threads)
      : n_threads_(n_threads), queue_(std::move(on_read)) {}

  void read(const ReadBundled& effect);
  void read(const ReadFile& effect);
  void read(const ReadText& effect);
  void read(const ReadModule& effect);
  void read(const ReadRecovery& effect);
  void read(const ReadLesson& effect);
  // Each of these writes the file of a lesson and reads the lesson.
  void write(const WriteNewLesson& effect);
  void write(const WriteStep& effect);
  void write(const WriteLesson& effect);
  /// The next result since the last call. Empty if there is none.
  std::optional<Event> take() { return queue_.take(); }
  /// Whether a result is still to be taken.
  bool busy() const { return queue_.busy(); }
  /// The done share of a file that takes several slices; otherwise 0.
  double share() const { return queue_.share(); }

 private:
  Slices<Event> text_at(TextSources sources, std::size_t size) const;
  Slices<Event> any_file(std::string path, std::string scene_without_model) const;

  int n_threads_;
  JobQueue<Event> queue_;
};

}  // namespace headscope
