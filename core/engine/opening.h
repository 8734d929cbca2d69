#pragma once

#include <memory>

#include "core/session/action.h"

namespace headscope {

/// How a model is opened: with the first sentence that its task has to show, for where the present one says
/// nothing to it.
OpenModel opening(const std::shared_ptr<const TrainedModel>& model);

/// What the program opens on: the default sentence with "it" selected, read by the first of the bundled
/// models. Errors: those of open_model().
Result<Session> opening_session();

}  // namespace headscope
