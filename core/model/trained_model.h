#pragma once

#include <optional>
#include <string>

#include "core/model/model.h"
#include "core/text/vocabulary.h"

namespace headscope {

/// A trained model with the words that it knows. Immutable.
struct TrainedModel {
  std::string name;  ///< that it was opened by: a folder
  std::string task;  ///< what it was trained for, as on the command line; empty: not one of ours
  int steps = 0;     ///< that it was trained
  int layer = 0;     ///< of the last stack: where the head is that shows best what was learned
  int head = 0;
  Model model;  ///< its table has a row for each word of the vocabulary
  Vocabulary vocabulary;
  /// Accuracy of its task's first part on held-out sentences, 0 to 1; nothing if it was not measured.
  std::optional<double> accuracy = {};
};

}  // namespace headscope
