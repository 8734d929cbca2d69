#pragma once

#include <string>

#include "app/parts/frame.h"
#include "core/tasks/task.h"

namespace headscope {

/// The progress of training the session's model, always of the same height.
void training_bar(Frame& frame);
/// The problem that stopped it, in a sentence without its full stop; empty: there is none.
std::string training_problem(const Frame& frame);
/// The progress of the weights that are shown (which may be a snapshot), with the links that start and stop
/// it; of the same height in every state. Nothing if nothing is trained.
void training_status(Frame& frame);

/// "12 s", "3 min": an approximate duration.
std::string about(double seconds);

/// The loss of the last batch, in nats, and the parts that it is the mean of; nothing before the first step.
void parts_of_loss(Frame& frame, const Task& shown);

}  // namespace headscope
