#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/trace/trace.h"

namespace headscope {

/// Whether the result of a trained model in a row of its last stack lies outside of what the model has
/// learned. The result consists of the noun that the head trained on pronouns looks at, and of the answer. It
/// is not a guess if all of these conditions hold:
/// - The task asks for something that the model has learned, or knows which nouns the pronoun may stand for.
/// - No mask hides a word of the sentence from the row, since the hidden word may be the one that decides.
/// - The head and the answer agree on a noun, and the task finds the same noun or holds it for possible.
/// - If several nouns are possible, at least `sure_weight` of the head's attention is on that noun.
/// Returns false if the row asks for nothing or if the model has no task.
bool is_guess(const Trace& trace, int row);

/// The rows of a pass that are guesses: what Trace::guesses() keeps.
Guesses found_guesses(const Trace& trace);

/// Chosen on the sentences in the even lines of tests/fixtures/everyday/unseen.tsv: the greatest multiple of
/// .005 that marks at most a quarter of the hits there as guesses. The sentences in the odd lines are only
/// used to measure the result (tests/unit/engine/everyday_test.cpp).
inline constexpr float sure_weight = 0.985F;

/// The warning beside a result that is a guess: why, and what the model was trained on. Without a row, for
/// all guesses of the pass together.
std::string guess_notice(const Trace& trace, std::optional<int> row = std::nullopt);

/// Names the words of a sentence whose rows are guesses: “only a guess: “it””.
/// Empty if there are none. The text lives as long as the trace.
const std::string& guess_text(const Trace& trace);

/// The same for a picture of a stage. Also empty if the stage shows neither a head of the last stack nor the
/// answer.
std::string_view guess_text(const Trace& trace, const StageId& shown);

/// Notes about a row of a stage, one per line: that its head was trained for what it does, and that its
/// result is a guess. Empty if neither applies.
std::string notes_on_row(const Trace& trace, const StageId& stage, int row);

/// Whether a head was trained to do what it does, which is to look at a pronoun's noun.
bool is_taught(const Trace& trace, const StageId& head);

/// The notes beside the name of such a head, the second one while its training has only just begun.
inline constexpr const char* taught_note = "trained to link pronouns";
inline constexpr const char* learning_note = "being trained to link pronouns";
/// The note that applies to this pass.
std::string_view taught_text(const Trace& trace);
/// The same note in brackets, to follow the name of the head: “ (trained to link pronouns)”. Empty for any
/// other head.
std::string taught_suffix(const Trace& trace, const StageId& head);

}  // namespace headscope
