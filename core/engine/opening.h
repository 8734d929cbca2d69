#pragma once

#include <memory>

#include "core/checkpoint/bundled_models.h"
#include "core/session/action.h"

namespace headscope {

/// The token of the last stack whose row shows what a task is about: a pronoun or a blank, a word of the
/// second half, the word after "[begin]". Nothing where the sentence has none, or the session is for no task.
std::optional<int> token_to_look_at(const Session& session);

/// A change of the sentence, with which a target that is the wanted one stays so.
SetSentence with_wanted_target(const Session& session, SetSentence action);

/// How a model is opened: with the first sentence that its task has to show, for where the present one says
/// nothing to it.
OpenModel opening(const std::shared_ptr<const TrainedModel>& model);

/// What the program opens on: the default sentence with "it" selected, read by the first of the bundled
/// models. Errors: those of open_model().
Result<Session> opening_session(const ModelPlaces& places);

}  // namespace headscope
