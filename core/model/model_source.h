#pragma once

#include <cstdint>
#include <string>
#include <variant>

namespace headscope {

/// Drawn by the seed of the architecture.
struct RandomSource {
  bool operator==(const RandomSource&) const = default;
};
/// Trained by this process.
struct TaskSource {
  std::string task;  ///< as on the command line
  int run = 0;       ///< counted from 1 in this process
  bool operator==(const TaskSource&) const = default;
};
/// Read from a folder.
struct FolderSource {
  std::string path;        ///< that it was opened by; of a bundled model its name
  std::uint64_t hash = 0;  ///< of its words and numbers
  bool operator==(const FolderSource&) const = default;
};

/// Where weights come from.
using ModelSource = std::variant<RandomSource, TaskSource, FolderSource>;

/// In one process, models of the same source and step of the training have the same numbers.
struct ModelIdentity {
  ModelSource source;
  int steps = 0;
  bool operator==(const ModelIdentity&) const = default;
};

}  // namespace headscope
