#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/tensor/random.h"
#include "core/text/expectation.h"
#include "core/text/vocabulary.h"

namespace headscope {

enum class TaskKind { pronouns, copying, reversing };

/// Which sentences of a task: those to train on, or those held out to measure with.
enum class Split { train, held_out };

/// A part of the loss of a task: the mean cross-entropy in nats over its rows of a batch. The loss is the
/// weighted mean of the parts.
struct LossPart {
  std::string name;
  float weight = 1.0F;
  /// Whether this is the cross-entropy of the taught head's weights (Example::attention_targets) instead of
  /// the words.
  bool is_attention_loss = false;
};

/// A training example, as ids of the task's vocabulary.
struct Example {
  std::vector<int> source;  ///< The input of the first stack
  /// The input of the decoder. Empty for tasks with one stack.
  std::vector<int> target;
  /// The label of each row of the last stack, or −1.
  std::vector<int> expected;
  /// For each row of the last stack, a bit p for each loss part p in which it counts.
  std::vector<std::uint8_t> parts;
  /// For each row of the last stack, the row that the taught head should attend to, or −1. Empty if no head
  /// is taught (Strubell et al. 2018, "Linguistically-informed self-attention").
  std::vector<int> attention_targets;
  bool operator==(const Example&) const = default;
};

/// A source of training examples. Immutable and thread-safe.
class ExampleSource {
 public:
  virtual ~ExampleSource() = default;
  /// The vocabulary size, which exceeds all ids.
  virtual int vocabulary_size() const = 0;
  /// The accuracy of part 0 is reported.
  virtual const std::vector<LossPart>& parts() const = 0;
  /// The maximum length of a source or target in tokens.
  virtual int max_length() const = 0;
  /// Draws the next example, portably: the same state of `random` gives the same example on every machine.
  /// The splits are disjoint.
  virtual Example draw(RandomStream& random, Split split) const = 0;
  /// The `size` examples of a training step; steps count from 0.
  virtual std::vector<Example> batch(RandomStream& random, int step, int size) const;

 protected:
  ExampleSource() = default;
  ExampleSource(const ExampleSource&) = default;
  ExampleSource(ExampleSource&&) = default;
  ExampleSource& operator=(const ExampleSource&) = default;
  ExampleSource& operator=(ExampleSource&&) = default;
};

/// A task to learn.
class Task : public ExampleSource {
 public:
  TaskKind kind() const { return kind_; }
  /// The name on the command line: "pronouns".
  std::string_view name() const { return name_; }
  /// The display name: "Pronouns".
  std::string_view title() const { return title_; }
  /// A description in one or two plain sentences.
  std::string_view summary() const { return summary_; }
  /// A noun phrase for all training sentences: “lists of 1 to 10 words”. Has static lifetime.
  std::string_view trained_on() const { return trained_on_; }
  const Vocabulary& vocabulary() const { return vocabulary_; }
  int vocabulary_size() const final { return vocabulary_.size(); }
  const std::vector<LossPart>& parts() const final { return parts_; }
  /// Sentences to try; sources for tasks with two stacks.
  const std::vector<std::string>& example_sentences() const { return sentences_; }
  /// The decoder input for a source: "[begin]" and the correct words. Empty for tasks with one stack.
  virtual std::string target_of(std::string_view source) const;
  /// What the task expects in each row of any sentence, without the training text and the taught head.
  virtual TaskRows rows(std::span<const int> source, std::span<const int> target) const = 0;
  /// Whether a head is taught to attend to TaskRows::attention_targets.
  bool teaches_head() const;

 protected:
  /// The texts, all of static lifetime, are in the order of their functions.
  Task(TaskKind kind, std::string_view name, std::string_view title, std::string_view summary,
       std::string_view trained_on, Vocabulary vocabulary, std::vector<LossPart> parts,
       std::vector<std::string> sentences);

 private:
  TaskKind kind_;
  std::string_view name_, title_, summary_, trained_on_;
  Vocabulary vocabulary_;
  std::vector<LossPart> parts_;
  std::vector<std::string> sentences_;
};

/// The task of a kind. Has static lifetime.
const Task& task(TaskKind kind);

/// The Task::name() of every task.
std::vector<std::string_view> task_names();

/// Parses a Task::name().
std::optional<TaskKind> parse_task_name(std::string_view name);

/// The split of a sentence: 1 in 16 is held out, by a portable hash of its canonical text, i.e. the lookup
/// texts of its words, separated by spaces, without punctuation, placeholders and blanks. For pronouns, see
/// canonical_text().
inline Split split_of(std::string_view canonical_text) {
  return RandomStream(0x5EED, canonical_text).bits() % 16 == 0 ? Split::held_out : Split::train;
}

}  // namespace headscope
