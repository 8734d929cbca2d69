#pragma once

#include <memory>
#include <string>

#include "app/parts/frame.h"
#include "core/tasks/task.h"

namespace headscope {

/// The progress of training the session's model. Its height is always the same.
void training_bar(Frame& frame);
/// Whether training replaces trained weights by random ones because it cannot continue from them.
/// `training` is null if the session's weights are not being trained.
bool drops_trained_weights(const Session& session, const std::shared_ptr<const TrainingProgress>& training);
/// The problem that stopped training, as a sentence without a full stop. Empty if there is none.
std::string training_problem(const Frame& frame);
/// The progress of the weights that are shown, which may be a snapshot, with the links that start and stop
/// training. It has the same height in every state. Draws nothing if nothing is being trained.
void training_status(Frame& frame);

/// An approximate duration: "12 s", "3 min".
std::string about(double seconds);

/// The loss of the last batch in nats, and the parts of which it is the mean. Draws nothing before the first
/// step.
void parts_of_loss(Frame& frame, const Task& shown);

}  // namespace headscope
