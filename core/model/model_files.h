#pragma once

#include <string>
#include <vector>

#include "core/result.h"

namespace headscope {

/// The files from which the numbers of a model are read when they are needed.
class ModelFiles {
 public:
  ModelFiles() = default;
  ModelFiles(const ModelFiles&) = delete;
  ModelFiles& operator=(const ModelFiles&) = delete;
  virtual ~ModelFiles() = default;
  /// Fails if a file has changed since the model was opened, so that what was read from it cannot be trusted.
  /// The message names the file and says what to do.
  virtual Result<void> check_unchanged() const = 0;
  /// The tensors of the model that hold NaN or infinite numbers. Reads all of them.
  virtual std::vector<std::string> not_finite() const = 0;
  /// The most memory that copies of their numbers may take.
  virtual double most_copied_bytes() const = 0;
};

}  // namespace headscope
