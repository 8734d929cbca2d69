#pragma once

#include <memory>
#include <string>

#include "app/parts/frame.h"
#include "core/tasks/task.h"

namespace headscope {

/// The progress of training the session's model. Its height is always the same.
void training_bar(Frame& frame);
/// Whether training has to start from random weights because it cannot continue from the trained ones.
/// `training` is null if the session's weights are not being trained.
inline bool drops_trained_weights(const Session& session,
                                  const std::shared_ptr<const TrainingProgress>& training) {
  return !training && session.model && session.model->steps > 0;
}
/// Why training stopped, as a sentence without a full stop. Empty if it did not.
std::string training_problem(const Frame& frame);
/// The training progress of the weights shown, which may be a snapshot's, with links that start and stop
/// training. The height is the same in every state. Draws nothing if nothing is being trained.
void training_status(Frame& frame);

/// An approximate duration: "12 s", "3 min".
std::string about(double seconds);

/// The loss of the last batch in nats, and the parts of which it is the mean. Draws nothing before the first
/// step.
void loss_components(Frame& frame, const Task& shown);

}  // namespace headscope
