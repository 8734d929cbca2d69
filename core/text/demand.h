#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace headscope {

/// What a model trained on a task is expected to do in one row of a sentence.
enum class Demand : std::uint8_t {
  repeats,  ///< The word itself, or nothing at all.
  learned,  ///< An answer that the model has learned to give.
  /// Input outside of what the model has learned, for which the right answer is unknown.
  guess
};

/// The head of the last stack's self-attention that was trained to look at the word that each row refers to.
struct TaughtHead {
  int layer = 0;
  int head = 0;
  /// True while training has not progressed far enough for the head to have learned this.
  bool is_learning = false;
};

/// What the task of a trained model asks of each row of the last stack. Empty if the model has no task.
struct TaskRows {
  /// The id of the word that each row should predict; −1 where that is undecidable.
  std::vector<int> wanted;
  std::vector<Demand> demands;
  /// For each row, the row that it refers to (a pronoun's noun), or −1 if there is none. Empty if no row
  /// refers to another.
  std::vector<int> looks;
  /// For each row, the rows that it may refer to according to what the task knows about words. This can be
  /// known even for a sentence that the task cannot read as a whole. Empty if no row refers to another.
  std::vector<std::vector<int>> possible;
  std::optional<TaughtHead> taught = {};  ///< No value if no head was trained to look anywhere.
  /// What the sentences that the model was trained on have in common: “lists of 1 to 10 words”. Empty without
  /// a task. The text lives as long as the program.
  std::string_view trained_on = {};
};

}  // namespace headscope
