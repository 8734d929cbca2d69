#pragma once

#include "app/parts/frame.h"
#include "core/tasks/task.h"

namespace headscope {

/// The progress of training the session's model, always of the same height.
void training_bar(Frame& frame);
/// The problem that stops it, if any.
void training_problem(Frame& frame);
/// Both, of the weights that are shown (which may be a snapshot), with the link that stops or resumes it; of
/// the same height in every state except for a problem. Nothing if nothing is trained.
void training_status(Frame& frame);

/// "12 s", "3 min": an approximate duration.
std::string about(double seconds);

/// The loss of the last batch, in nats, and the parts that it is the mean of; nothing before the first step.
void parts_of_loss(Frame& frame, const Task& shown);

}  // namespace headscope
