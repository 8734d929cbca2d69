#pragma once

#include <cstdint>
#include <string>
#include <variant>

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

}  // namespace headscope
