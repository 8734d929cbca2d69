#pragma once

#include <atomic>
#include <string>
#include <vector>

#include "core/result.h"

namespace headscope {

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
