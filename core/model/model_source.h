#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "core/result.h"

namespace headscope {

/// Weights drawn from the architecture's seed.
struct RandomSource {
  bool operator==(const RandomSource&) const = default;
};
/// Weights trained by this process.
struct TaskSource {
  std::string task;  ///< The task, as the command line names it.
  int run = 0;       ///< The training run in this process, counted from 1
  bool operator==(const TaskSource&) const = default;
};
/// Weights read from a folder.
struct FolderSource {
  std::string path;        ///< The path that was opened or, for a bundled model, its name
  std::uint64_t hash = 0;  ///< A hash of vocabulary and weights
  int series = 0;          ///< CaptureSeries::series for a capture pushed by another program
  bool operator==(const FolderSource&) const = default;
};

/// Where weights come from.
using ModelSource = std::variant<RandomSource, TaskSource, FolderSource>;

/// Within a process, models with equal identities have equal weights.
struct ModelIdentity {
  ModelSource source;
  int steps = 0;
  bool operator==(const ModelIdentity&) const = default;
};

/// The files from which the weights of a model are loaded lazily. Thread-safe.
class ModelFiles {
 public:
  virtual ~ModelFiles() = default;
  /// Fails, now and in the future, if a file has changed since the model was opened; then no data read from
  /// it can be trusted. The message names the file and says what to do. Takes about a microsecond per file.
  Result<void> check_unchanged() const;
  /// Whether a check has failed.
  bool have_changed() const { return have_changed_; }
  /// The names of tensors with NaN or infinite numbers. Reads all tensors.
  virtual std::vector<std::string> non_finite_tensors() const = 0;
  /// The maximum memory of packed copies of the weights.
  virtual double max_packed_bytes() const = 0;
  /// What packed copies would take of the weights that products stream from the files instead.
  virtual double streamed_bytes() const = 0;

 protected:
  ModelFiles() = default;

 private:
  /// Fails if a file has changed since the model was opened.
  virtual Result<void> compare() const = 0;

  mutable std::atomic<bool> have_changed_ = false;
};

}  // namespace headscope
