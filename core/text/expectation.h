#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace headscope {

/// The expected answer of a trained model in a row of a sentence.
enum class Expectation : std::uint8_t {
  repeats,  ///< The word itself, or nothing
  learned,  ///< An answer that the model has learned
  /// Out of distribution: the right answer is unknown.
  guess
};

/// The head of the last stack's self-attention that was trained to attend to the word that each row refers
/// to.
struct TaughtHead {
  int layer = 0;
  int head = 0;
  /// Whether it is still being trained, so that it may not have learned this yet.
  bool is_learning = false;
};

/// The expectations of the task of a trained model for each row of the last stack. Empty without a task.
struct TaskRows {
  /// The label of each row, or −1 where it is undecidable.
  std::vector<int> expected;
  std::vector<Expectation> expectations;
  /// For each row, the row that it refers to (a pronoun's noun), or −1. Empty if no row refers to another.
  std::vector<int> attention_targets = {};
  /// For each row, the rows that it may refer to, judging by individual words; known even for sentences that
  /// the task cannot parse. Empty if no row refers to another.
  std::vector<std::vector<int>> possible_targets = {};
  std::optional<TaughtHead> taught = {};  ///< Empty if no head was taught
  /// A noun phrase for the training sentences: “lists of 1 to 10 words”. Empty without a task. Has static
  /// lifetime.
  std::string_view trained_on = {};
};

}  // namespace headscope
