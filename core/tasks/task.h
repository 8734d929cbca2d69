#pragma once

#include <cstddef>
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

/// Selects the sentences that draw() gives: those to train on, or those that are never trained on.
enum class Split { train, held_out };

/// A part of a task's loss: the mean cross-entropy in nats over the part's rows of a batch. The loss is the
/// weighted mean of the parts and therefore also in nats.
struct LossPart {
  std::string name;
  float weight = 1.0F;
  /// True if the part concerns where the taught head looks (Example::looks) instead of the words. Its
  /// cross-entropy is then that of the head's weights.
  bool is_of_looks = false;
};

/// One sentence to train on, as ids of the task's vocabulary.
struct Example {
  std::vector<int> source;  ///< The ids of the only sentence, or of the encoder's.
  /// The ids that enter the decoder. Empty for tasks of one stack.
  std::vector<int> target;
  /// The id wanted at each row of the last stack, or −1 where none is wanted. The rows are the target's if
  /// there is a target, else the source's.
  std::vector<int> wanted;
  /// As long as `wanted`. Bit p is set if the row counts in part p.
  std::vector<std::uint8_t> parts;
  /// For each row of the last stack, the row of the same sentence that one head is taught to look at, or −1
  /// where it is free. Empty if no head is taught. As in Strubell et al. 2018, "Linguistically-informed
  /// self-attention".
  std::vector<int> looks;
  bool operator==(const Example&) const = default;
};

/// What a trainer learns from. Immutable; every function may be called from several threads.
class ExampleSource {
 public:
  virtual ~ExampleSource() = default;
  /// Returns the number of words or pieces. Every id of an example is below it.
  virtual int vocabulary_size() const = 0;
  /// Part 0 is the one whose accuracy is reported.
  virtual const std::vector<LossPart>& parts() const = 0;
  /// Returns the greatest length, in tokens, of a source or a target that draw() gives.
  virtual int longest() const = 0;
  /// Draws the next example from a stream of random bits. The same state of the stream gives the same example
  /// on every machine. No sentence belongs to both splits.
  virtual Example draw(RandomStream& random, Split split) const = 0;
  /// Returns the `size` examples of a training step. Steps count from 0.
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
  virtual TaskKind kind() const = 0;
  /// The name on the command line, such as "pronouns".
  virtual std::string_view name() const = 0;
  /// The name on a button, such as "Pronouns".
  virtual std::string_view title() const = 0;
  /// A description in one or two sentences of plain words.
  virtual std::string_view summary() const = 0;
  /// What all sentences that draw() gives have in common, as a noun phrase: “lists of 1 to 10 words”. The
  /// text lives as long as the program.
  virtual std::string_view trained_on() const = 0;
  virtual const Vocabulary& vocabulary() const = 0;
  int vocabulary_size() const final { return vocabulary().size(); }
  /// Sentences to try. For tasks with two stacks, these are sources.
  virtual const std::vector<std::string>& example_sentences() const = 0;
  /// Returns the decoder's input for a source: "[begin]" and the correct words. Empty for tasks of one stack.
  virtual std::string target_of(std::string_view source) const;
  /// Returns for any sentence the id wanted at each row of the last stack, in ids of the vocabulary, or −1
  /// where that is undecidable.
  virtual std::vector<int> wanted(std::span<const int> source, std::span<const int> target) const = 0;
  /// Returns what each row asks for, given wanted() of the same sentence.
  virtual std::vector<Demand> demands(std::span<const int> source, std::span<const int> target,
                                      std::span<const int> wanted) const = 0;
  /// Returns for each row of any sentence the row that it stands for (a pronoun's noun), or −1 if there is
  /// none or the sentence leaves it open. Empty for tasks without such rows.
  virtual std::vector<int> looks(std::span<const int> source) const;
  /// Returns for each row of any sentence the rows that it may stand for, judging by what the task knows
  /// about words, even where looks() cannot tell. Empty for tasks without such rows.
  virtual std::vector<std::vector<int>> possible(std::span<const int> source) const;
  /// Returns whether one head is trained to look where looks() says.
  bool teaches_head() const;
};

/// Returns the task of a kind. It lives as long as the program.
const Task& task(TaskKind kind);

/// The Task::name() of every task.
std::vector<std::string_view> task_names();

/// Finds a task by Task::name(). Returns nullopt if there is none.
std::optional<TaskKind> task_named(std::string_view name);

/// Returns the split of a sentence: one of 16 is held out, selected by a portable hash of its canonical text.
/// That text consists of the lookup texts of its words in order, separated by spaces, without punctuation,
/// placeholders and blanks. For the pronouns, it is canonical_text().
inline Split split_of(std::string_view canonical_text) {
  return RandomStream(0x5EED, canonical_text).bits() % 16 == 0 ? Split::held_out : Split::train;
}

}  // namespace headscope
