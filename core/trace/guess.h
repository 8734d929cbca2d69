#pragma once

#include <string>
#include <string_view>

#include "core/trace/trace.h"

namespace headscope {

/// Whether what a trained model tells at a row of its last stack lies outside of what it learned to tell:
/// what the head looks at that was trained to look at a pronoun's noun, and the answer. Four things must
/// hold where it does not:
/// - the task asks for something that the model learned, or knows which nouns the pronoun may stand for;
/// - no mask keeps a word of the sentence from the row: the one that is hidden may decide;
/// - that head and the answer agree on a noun, and it is the one that the task reads, or one that it may be;
/// - where it may be several, the head is sure: `sure_weight` of its weights lies on that noun.
/// False where nothing is asked, and without a task.
bool is_guess(const Trace& trace, int row);

/// Chosen on the sentences of the even lines of tests/fixtures/everyday/unseen.tsv; those of the odd lines
/// are only measured (tests/unit/engine/everyday_test.cpp).
inline constexpr float sure_weight = 0.98F;

/// "Outside what it learned: a guess."
inline constexpr const char* guess_notice = "Outside what it learned: a guess.";

/// Of the rows of a sentence that are guesses, in words: “outside what it learned, a guess: “it””. Empty
/// where there are none. It lives as long as the trace.
const std::string& guess_text(const Trace& trace);

/// The same for a picture of a stage; empty, too, where the stage shows neither a head of the last stack nor
/// the answer.
std::string_view guess_text(const Trace& trace, const StageId& shown);

/// What is to be said of a row of a stage beside its numbers, as lines: that its head was trained to do what
/// it does, and that what it tells is a guess. Empty where there is neither.
std::string notes_on_row(const Trace& trace, const StageId& stage, int row);

/// Whether a head was trained to do what it does: to look at a pronoun's noun.
bool is_taught(const Trace& trace, const StageId& head);

/// What stands beside the name of such a head, and beside one whose training has just begun.
inline constexpr const char* taught_note = "trained to do this";
inline constexpr const char* learning_note = "being trained to do this";
/// Which of them is said in this pass.
std::string_view taught_text(const Trace& trace);
/// The same in brackets, to stand behind that name: “ (trained to do this)”; empty for any other head.
std::string taught_suffix(const Trace& trace, const StageId& head);

}  // namespace headscope
