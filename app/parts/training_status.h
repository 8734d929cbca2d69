#pragma once

#include "app/parts/frame.h"

namespace headscope {

enum class TrainingButtons { none, shown };

/// How far the training of the session's model is and what stands in its way; with buttons, also what stops
/// it or lets it go on. Nothing where nothing is trained.
void training_status(Frame& frame, TrainingButtons buttons);

/// "12 s", "3 min": about so long.
std::string about(double seconds);

}  // namespace headscope
