#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/checkpoint/bundled_models.h"
#include "core/session/action.h"

namespace headscope {

/// The token of the last stack whose row shows what a task is about: a pronoun or a blank, a word of the
/// second half, or the word after "[begin]". For another program's model that fills in words, this is the
/// first mask. Empty if the sentence has no such token or the session has no task.
std::optional<int> token_to_look_at(const Session& session);

/// Changes the sentence and keeps a correct target correct.
SetSentence with_wanted_target(const Session& session, SetSentence action);

/// The actions that show a sentence of the session's task, with its correct target, and select the token that
/// shows what the task is about.
std::vector<Action> showing_example(const Session& session, const std::string& sentence);

/// Whether reading a text of this size takes so long that it is done beside the frames.
bool is_long_text(std::size_t bytes);
/// The size of several texts together.
std::size_t bytes_of(const std::vector<std::string>& texts);
/// The same of all texts of a subject.
bool is_long_subject(const Subject& subject);

/// Returns the session's subject with random weights, which learned nothing.
Subject untrained_twin(const Session& session);
/// Returns the session's subject without the mask of the selected attention.
Subject unmasked_twin(const Session& session);

/// Returns the session's subject without the division of its scores.
Subject unscaled_twin(const Session& session);

/// Returns the session's subject with another sentence: the example of its task that differs in one word.
/// Empty if there is none.
std::optional<Subject> paired_example(const Session& session);
/// Returns the session's subject with the head to compare with the selected one: the picked one, or the next.
/// Empty if there is only one.
std::optional<Subject> with_other_head(const Session& session);

/// Returns the actions that begin a comparison in which there is a difference to see at once. If two heads
/// are picked, they are compared. Otherwise A becomes the example of the task that differs from the sentence
/// in one word; if there is none, the same model without training or the same attention without its mask; and
/// if that is not possible either, what is shown now.
std::vector<Action> beginning_comparison(const Session& session);

/// Returns the action for a typed sentence, which sets the sentence. If the sentence contains a choice, the
/// action sets as many of its alternatives as can be held. All have their correct targets.
Action typed(const Session& session, const SetSentence& action);

/// Returns the action that opens a model, with its task's first example in case the current sentence means
/// nothing to the model.
OpenModel opening(const std::shared_ptr<const TrainedModel>& model);

/// Says which keys of a model's configuration this program does not know, and what the configuration
/// describes but the files lack. Empty if there is nothing of either kind.
std::string unfulfilled_text(const TrainedModel& model);

/// The session that the program opens with: the default sentence with "it" selected, read by the first of the
/// bundled models. Errors are those of open_model().
Result<Session> opening_session(const ModelPlaces& places);

}  // namespace headscope
