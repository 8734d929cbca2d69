#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/checkpoint/bundled_models.h"
#include "core/session/action.h"

namespace headscope {

/// The token of the last stack whose row shows what a task is about: a pronoun or a blank, a word of the
/// second half, the word after "[begin]"; of a model from elsewhere that fills in words, its first mask.
/// Nothing where the sentence has none, or the session is for no task.
std::optional<int> token_to_look_at(const Session& session);

/// A change of the sentence that keeps a correct target correct.
SetSentence with_wanted_target(const Session& session, SetSentence action);

/// What shows a sentence of the session's task: with its wanted target, and the token selected that shows
/// what the task is about.
std::vector<Action> showing_example(const Session& session, const std::string& sentence);

/// Returns the session's subject with random weights, which learned nothing.
Subject untrained_twin(const Session& session);
/// Returns the session's subject without the mask of the selected attention.
Subject unmasked_twin(const Session& session);

/// Returns the session's subject without the division of its scores.
Subject unscaled_twin(const Session& session);

/// Returns the actions that begin a comparison with something to see at once. If two heads are picked, these
/// are compared; otherwise A becomes the example of the task that differs from the sentence in one word; if
/// there is none, the same model without training, or the same attention without its mask; otherwise what is
/// shown now.
std::vector<Action> beginning_comparison(const Session& session);

/// What typing a sentence does: itself, or each of those that it stands for where it has a choice in it, as
/// far as so many can be held; with their wanted targets.
Action typed(const Session& session, const SetSentence& action);

/// How a model is opened: with its task's first example, in case the current sentence means nothing to it.
OpenModel opening(const std::shared_ptr<const TrainedModel>& model);

/// The session that the program opens with: the default sentence with "it" selected, read by the first of the
/// bundled models. Errors: those of open_model().
Result<Session> opening_session(const ModelPlaces& places);

}  // namespace headscope
