#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace headscope {

/// What a row of a sentence demands of a model trained on a task.
enum class Demand : std::uint8_t {
  repeats,  ///< nothing but itself, or nothing at all
  learned,  ///< what the model learned to tell
  guess     ///< what lies outside of what it learned, so that nobody can say what it should tell
};

/// The head of the last stack's self-attention that was trained to look at what each row stands for.
struct TaughtHead {
  int layer = 0;
  int head = 0;
  bool is_learning = false;  ///< its training has not come so far that it could have learned that
};

/// What the task of a trained model asks of each row of the last stack; empty without a task.
struct TaskRows {
  std::vector<int> wanted;  ///< the id of the word wanted; −1 where nobody could tell
  std::vector<Demand> demands;
  std::vector<int> looks;  ///< the row that each stands for, a pronoun's noun; −1: none. Empty: none does
  /// For each row the rows that it may stand for, by what the task knows of words; it may know more of a
  /// sentence than it can read as a whole. Empty: no row stands for another.
  std::vector<std::vector<int>> possible;
  std::optional<TaughtHead> taught = {};  ///< nothing: no head was trained to look anywhere
};

}  // namespace headscope
