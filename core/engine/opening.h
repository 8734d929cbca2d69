#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/checkpoint/model_folder.h"
#include "core/session/action.h"

namespace headscope {

/// The token of the last stack that shows what a task is about: a pronoun or a blank, a word of the second
/// half, or the word after "[begin]"; for another program's masked model, the first mask. Empty if the
/// sentence has no such token or the session has no task.
std::optional<int> token_of_interest(const Session& session);

/// Whether a page can be about a token: it is neither special, nor punctuation, nor only space.
bool is_word(const Token& token);

/// The row that a page shows before one is selected: token_of_interest() or else, for a trained model with
/// rows for words, the last word. Empty if there is none.
std::optional<int> default_row(const Session& session);

/// The actions that show a sentence of the session's task with its correct target, and select
/// token_of_interest().
std::vector<Action> actions_to_show_example(const Session& session, const std::string& sentence);

/// Whether reading a text of this size would delay a frame, so that it is done in the background.
bool is_long_text(std::size_t bytes);
/// The size of several texts together.
std::size_t bytes_of(const std::vector<std::string>& texts);
/// Whether reading all texts of a subject would take so long.
bool is_long_subject(const Subject& subject);

/// Returns the session's subject with random weights.
Subject untrained_variant(const Session& session);
/// Returns the session's subject without the mask of the selected attention.
Subject unmasked_variant(const Session& session);

/// Returns the session's subject without the division of its scores.
Subject unscaled_variant(const Session& session);

/// Returns the session's subject with another sentence: the example of its task that differs in one word.
/// Empty if there is none.
std::optional<Subject> paired_example(const Session& session);
/// Returns the session's subject with another head selected: the picked one, or the next. Empty if there is
/// only one.
std::optional<Subject> with_other_head(const Session& session);

/// Returns the actions that begin a comparison with a visible difference: of two picked heads, or else with
/// the example of the task that differs from the sentence in one word, with the untrained model, or with the
/// attention without its mask. If none is possible, the present subject becomes A.
std::vector<Action> default_comparison(const Session& session);

/// Adds the correct target of the new sentence, if the session's target is that of its own sentence.
SetSentence with_correct_target(const Session& session, SetSentence action);
/// Returns the action for a typed sentence: SetSentence or, if it contains a choice, SetChoices with as many
/// alternatives as can be compared. All have their correct targets.
Action typed(const Session& session, const SetSentence& action);

/// Returns the action that opens a model, with its task's first example.
OpenModel opening_action(const std::shared_ptr<const TrainedModel>& model);

/// Names the unknown keys of a model's configuration, and what the configuration describes but the files
/// lack. Lists at most `most` keys. Empty if there are none.
std::string unsupported_parts_text(const TrainedModel& model, std::size_t most = 8);

/// The session that the program starts with: the first bundled model on the default sentence, with "it"
/// selected. Errors are those of open_model().
Result<Session> startup_session(const ModelSearchPaths& places);

}  // namespace headscope
