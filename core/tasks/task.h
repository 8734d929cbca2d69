#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/tensor/random.h"
#include "core/text/demand.h"
#include "core/text/vocabulary.h"

namespace headscope {

enum class TaskKind { pronouns, copying, reversing };

/// Which sentences draw() gives: those to learn from, or those that are never learned from.
enum class Split { train, held_out };

/// A part of a task's loss: the mean cross-entropy in nats over the part's rows of a batch. The loss is the
/// mean of the parts by their weights, so it is in nats, too.
struct LossPart {
  std::string name;
  float weight = 1.0F;
  /// Of where the taught head looks (Example::looks), instead of the words: the cross-entropy of its weights.
  bool is_of_looks = false;
};

/// One sentence to learn from, as ids of the task's vocabulary.
struct Example {
  std::vector<int> source;  ///< ids of the only sentence, or of the encoder's
  std::vector<int> target;  ///< ids that enter the decoder; empty for tasks of one stack
  std::vector<int> wanted;  ///< the id wanted at each row of the last stack (the target's rows if there
                            ///< is a target, else the source's); −1: nothing is asked there
  std::vector<std::uint8_t> parts;  ///< as long as wanted; bit p: the row counts in part p
  /// For each row of the last stack the row of the same sentence that one head is taught to look at; −1:
  /// wherever it likes. Empty: no head is taught. As in Strubell et al. 2018, "Linguistically-informed
  /// self-attention".
  std::vector<int> looks;
  bool operator==(const Example&) const = default;
};

/// Something to learn. Immutable; every function may be called from several threads.
class Task {
 public:
  virtual ~Task() = default;
  virtual TaskKind kind() const = 0;
  /// As on the command line: "pronouns".
  virtual std::string_view name() const = 0;
  /// As on a button: "Pronouns".
  virtual std::string_view title() const = 0;
  /// A sentence or two in plain words.
  virtual std::string_view summary() const = 0;
  virtual const Vocabulary& vocabulary() const = 0;
  /// Part 0 is the one whose accuracy is reported.
  virtual const std::vector<LossPart>& parts() const = 0;
  /// To type and look at; of tasks with two stacks, sources.
  virtual const std::vector<std::string>& example_sentences() const = 0;
  /// What the decoder is given to write from, for this source: "[begin]" and the words as they should come.
  /// Empty for tasks of one stack.
  virtual std::string target_of(std::string_view source) const;
  /// The id wanted at each row of the last stack for any sentence, as ids of the vocabulary; −1 where nobody
  /// could tell.
  virtual std::vector<int> wanted(std::span<const int> source, std::span<const int> target) const = 0;
  /// What each row asks, from wanted() of the same sentence.
  virtual std::vector<Demand> demands(std::span<const int> source, std::span<const int> target,
                                      std::span<const int> wanted) const = 0;
  /// For each row of any sentence the row that it stands for, a pronoun's noun; −1: none, or nobody could
  /// tell. Empty for tasks without such rows.
  virtual std::vector<int> looks(std::span<const int> source) const;
  /// For each row of any sentence the rows that it may stand for, by what the task knows of words, also where
  /// looks() cannot tell. Empty for tasks without such rows.
  virtual std::vector<std::vector<int>> possible(std::span<const int> source) const;
  /// Whether one head is trained to look where looks() says.
  bool teaches_head() const;
  /// The next example of a stream of random bits: the same state gives the same example on every machine.
  /// No sentence belongs to both splits.
  virtual Example draw(RandomStream& random, Split split) const = 0;
  /// The most tokens of a source or a target that draw() gives.
  virtual int longest() const = 0;

 protected:
  Task() = default;
  Task(const Task&) = default;
  Task(Task&&) = default;
  Task& operator=(const Task&) = default;
  Task& operator=(Task&&) = default;
};

/// The task of a kind; it lives as long as the program.
const Task& task(TaskKind kind);

/// By Task::name().
std::optional<TaskKind> task_named(std::string_view name);

}  // namespace headscope
