#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/trace/trace.h"

namespace headscope {

/// Whether the result of a trained model in a row of its last stack (the noun that the taught head attends
/// to, and the answer) is only a guess. It is not a guess if all of these hold:
/// - The task expects a learned answer, or knows which nouns the pronoun may refer to.
/// - No mask hides a word of the sentence from the row, since it might be the deciding one.
/// - The head and the answer agree on a noun, which the task also finds or considers possible.
/// - The model gives the answer at least half of the probability.
/// - If several nouns are possible, the head's attention to it is at least `confident_weight`.
///
/// Returns false if the row asks for nothing or if the model has no task.
bool is_guess(const Trace& trace, int row);

/// The rows of a pass that are guesses; cached by Trace::guesses().
Guesses find_guesses(const Trace& trace);

/// Tuned on the even lines of tests/fixtures/everyday/unseen.tsv: the largest multiple of .005 that marks at
/// most a quarter of the hits as guesses. The odd lines are the test set
/// (tests/unit/engine/everyday_test.cpp).
inline constexpr float confident_weight = 0.985F;

/// The warning beside a guess: why, and what the model was trained on. Without a row, for all guesses of the
/// pass.
std::string guess_notice(const Trace& trace, std::optional<int> row = std::nullopt);

/// Lists the words whose rows are guesses: “only a guess: “it””. May be empty. Lives as long as the trace.
const std::string& guess_text(const Trace& trace);

/// The same for a picture of a stage. Empty unless it shows a head of the last stack or the answer.
std::string_view guess_text(const Trace& trace, const StageId& shown);

/// Notes about a row of a stage, one per line: that its head was taught what it does, and that its result is
/// a guess. May be empty.
std::string notes_on_row(const Trace& trace, const StageId& stage, int row);

/// Whether this is the taught head, which links pronouns to their nouns.
bool is_taught(const Trace& trace, const StageId& head);

/// The notes beside the name of the taught head, after and during training.
inline constexpr const char* taught_note = "trained to link pronouns";
inline constexpr const char* learning_note = "being trained to link pronouns";
/// The note for this pass.
std::string_view taught_head_note(const Trace& trace);
/// The note in parentheses, to append to the name of the head: “ (trained to link pronouns)”. Empty for other
/// heads.
std::string taught_suffix(const Trace& trace, const StageId& head);

}  // namespace headscope
