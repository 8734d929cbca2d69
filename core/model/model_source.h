#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "core/result.h"

namespace headscope {

/// Weights that were drawn from the seed of the architecture.
struct RandomSource {
  bool operator==(const RandomSource&) const = default;
};
/// Weights that this process trained.
struct TaskSource {
  std::string task;  ///< The task, as the command line names it.
  int run = 0;       ///< The number of the run in this process, counted from 1.
  bool operator==(const TaskSource&) const = default;
};
/// Weights that were read from a folder.
struct FolderSource {
  std::string path;        ///< The path that the folder was opened with. For a bundled model, its name.
  std::uint64_t hash = 0;  ///< The hash of its words and numbers.
  int series = 0;          ///< For a capture that another program pushed: PushedSteps::series.
  bool operator==(const FolderSource&) const = default;
};

/// Where weights come from.
using ModelSource = std::variant<RandomSource, TaskSource, FolderSource>;

/// Within one process, models of the same source and the same training step have the same numbers.
struct ModelIdentity {
  ModelSource source;
  int steps = 0;
  bool operator==(const ModelIdentity&) const = default;
};

/// The files from which the numbers of a model are read when they are needed, long after it was opened.
/// Thread-safe.
class ModelFiles {
 public:
  virtual ~ModelFiles() = default;
  /// Fails, and fails from then on, if a file has changed since the model was opened: nothing that was read
  /// from it before this call can then be trusted. The message names the file and says what to do. This takes
  /// about a microsecond for each file.
  Result<void> check_unchanged() const;
  /// Whether a check has failed before.
  bool have_changed() const { return have_changed_; }
  /// The tensors of the model that hold NaN or infinite numbers. Reads all of them.
  virtual std::vector<std::string> not_finite() const = 0;
  /// The most memory that packed copies of their weights may keep.
  virtual double most_copied_bytes() const = 0;

 protected:
  ModelFiles() = default;

 private:
  /// Compares the files with what they were when the model was opened.
  virtual Result<void> compare() const = 0;

  mutable std::atomic<bool> have_changed_ = false;
};

}  // namespace headscope
