#include "core/trace/guess.h"

#include <algorithm>
#include <numbers>
#include <optional>
#include <span>
#include <vector>

#include "core/model/mask.h"
#include "core/text/vocabulary.h"
#include "core/trace/place_text.h"
#include "core/trace/summary.h"

namespace headscope {
namespace {

std::size_t index_of_max(std::span<const float> row) {
  return static_cast<std::size_t>(std::ranges::max_element(row) - row.begin());
}

StageId weights_of(const Trace& trace, const TaughtHead& head) {
  return {StageKind::weights, trace.architecture().last_stack(), head.layer, AttentionKind::self, head.head};
}

/// Whether a mask hides a word of the sentence from a row. It might be the deciding one, and the model was
/// never trained on partial sentences.
bool hides_a_word(const Trace& trace, const StageId& head, int row) {
  const CombinedMask& mask = trace.mask(head);
  const std::vector<Token>& keys = trace.tokens(head, Axis::key_tokens);
  for (std::size_t key = 0; key < keys.size(); ++key) {
    if (!is_special_token(keys[key]) && !mask.sees(head.head, row, static_cast<int>(key))) return true;
  }
  return false;
}

bool finds_guess(const Trace& trace, int row) {
  const Expectation expectation = trace.expectation(row);
  if (expectation == Expectation::repeats) return false;
  const TaskRows& task = trace.task_rows();
  const auto at = static_cast<std::size_t>(row);
  const bool is_pronoun = at < task.possible_targets.size() && !task.possible_targets[at].empty();
  if (!task.taught || !is_pronoun) return expectation == Expectation::guess;
  const StageId head = weights_of(trace, *task.taught);
  if (!trace.has(head) || !trace.has({.kind = StageKind::logits})) return expectation == Expectation::guess;

  if (hides_a_word(trace, head, row)) return true;

  const std::vector<Token>& tokens = trace.tokens(head, Axis::key_tokens);
  const auto word = [&](int noun) { return tokens[static_cast<std::size_t>(noun)].lookup; };
  // The noun that the taught head looks at most, which the answer must be as well.
  const StageNumbers weights = trace.read_row(head, row);
  const std::span<const float> along = weights.view.row(0);
  const std::string& indicated = tokens[index_of_max(along)].lookup;
  const StageNumbers scores = trace.read_row({.kind = StageKind::logits}, row);
  const std::size_t answer = index_of_max(scores.view.row(0));
  if (trace.vocabulary()[answer] != indicated) return true;
  // −ln of one half: the model itself gives all other words together more than its answer.
  if (cross_entropy(scores.view.row(0), static_cast<int>(answer)) > std::numbers::ln2) return true;
  if (expectation == Expectation::learned && task.attention_targets[at] >= 0)
    return word(task.attention_targets[at]) != indicated;
  const std::vector<int>& possible_targets = task.possible_targets[at];
  const auto is_unknown = [&](int noun) {
    return is_placeholder(
        trace.vocabulary()[static_cast<std::size_t>(tokens[static_cast<std::size_t>(noun)].id)]);
  };
  if (std::ranges::any_of(possible_targets, is_unknown)) return true;
  if (std::ranges::find(possible_targets, indicated, word) == possible_targets.end()) return true;
  const bool is_only =
      std::ranges::all_of(possible_targets, [&](int noun) { return word(noun) == indicated; });
  // The head's attention to all occurrences of that noun.
  float weight = 0.0F;
  for (std::size_t key = 0; key < along.size(); ++key)
    weight += tokens[key].lookup == indicated ? along[key] : 0.0F;
  return !is_only && weight < confident_weight;
}

/// Whether the taught head is still learning, so that its misses say nothing about the sentence.
bool is_learning(const Trace& trace) {
  const std::optional<TaughtHead>& taught = trace.task_rows().taught;
  return taught && taught->is_learning;
}

}  // namespace

Guesses find_guesses(const Trace& trace) {
  Guesses found;
  const auto n_rows = static_cast<int>(trace.task_rows().expectations.size());
  for (int row = 0; row < n_rows; ++row) {
    if (finds_guess(trace, row)) found.rows.push_back(row);
  }
  const std::vector<Token>& tokens = trace.tokens(trace.architecture().last_stack());
  for (const int row : found.rows) {
    found.text += !found.text.empty() ? ", " : is_learning(trace) ? "not learned yet: " : "only a guess: ";
    found.text += quoted_word(tokens[static_cast<std::size_t>(row)].text);
  }
  return found;
}

bool is_guess(const Trace& trace, int row) {
  return std::ranges::binary_search(trace.guesses().rows, row);
}

const std::string& guess_text(const Trace& trace) {
  return trace.guesses().text;
}

std::string_view guess_text(const Trace& trace, const StageId& shown) {
  const StageInfo& stage = info(shown.kind);
  const bool is_of_head = stage.scope == StageScope::head && !stage.is_parameter() &&
                          stage.rows == Axis::query_tokens &&
                          shown.stack == trace.architecture().last_stack();
  const bool is_answer = shown.kind == StageKind::logits || shown.kind == StageKind::probabilities;
  return is_of_head || is_answer ? std::string_view(guess_text(trace)) : "";
}

std::string guess_notice(const Trace& trace, std::optional<int> row) {
  if (is_learning(trace))
    return "The model has not learned this yet: it is untrained, or its training has only begun. Do not rely on this, however sure it looks.";
  const std::string changed = changes_sentences(trace);
  const std::string_view trained_on = trace.task_rows().trained_on;
  const std::vector<int>& guesses = trace.guesses().rows;
  const std::optional<TaughtHead>& taught = trace.task_rows().taught;
  const auto is_unlike = [&](int guess) {
    return trace.expectation(guess) == Expectation::guess ||
           (taught && hides_a_word(trace, weights_of(trace, *taught), guess));
  };
  const bool is_of_sentence = row ? is_unlike(*row) : std::ranges::any_of(guesses, is_unlike);
  return std::string("Only a guess, as ") +
         (!changed.empty() ? "the pass was changed"
          : is_of_sentence ? "this is unlike what the model was trained on"
                           : "the model has not learned to answer this reliably") +
         ": do not rely on it, however sure it looks." + (changed.empty() ? "" : " " + changed) +
         (trained_on.empty() ? "" : " It was trained on " + std::string(trained_on) + ".");
}

std::string notes_on_row(const Trace& trace, const StageId& stage, int row) {
  std::string text;
  if (is_taught(trace, stage))
    text += std::string(is_learning(trace) ? "This head is being trained" : "This head was trained") +
            " to look from a pronoun at the noun that it stands for.\n";
  const bool is_query = info(stage.kind).rows == Axis::query_tokens;
  if (is_query && !guess_text(trace, stage).empty() && is_guess(trace, row))
    text += guess_notice(trace, row) + "\n";
  return text;
}

bool is_taught(const Trace& trace, const StageId& head) {
  const std::optional<TaughtHead>& taught = trace.task_rows().taught;
  return taught && info(head.kind).scope == StageScope::head && !info(head.kind).is_per_group &&
         head.stack == trace.architecture().last_stack() && head.attention == AttentionKind::self &&
         head.layer == taught->layer && head.head == taught->head;
}

std::string_view taught_head_note(const Trace& trace) {
  return is_learning(trace) ? learning_note : taught_note;
}

std::string taught_suffix(const Trace& trace, const StageId& head) {
  return is_taught(trace, head) ? " (" + std::string(taught_head_note(trace)) + ")" : "";
}

}  // namespace headscope
