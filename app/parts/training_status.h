#pragma once

#include "app/parts/frame.h"

namespace headscope {

/// How far the training of the session's model is, always of the same height.
void training_bar(Frame& frame);
/// What stands in its way; nothing where nothing does.
void training_problem(Frame& frame);
/// Both, of the weights that are shown (which may be a snapshot), with what stops it or lets it go on; as
/// much room for every state but a problem that must be told. Nothing where nothing is trained.
void training_status(Frame& frame);

/// "12 s", "3 min": about so long.
std::string about(double seconds);

}  // namespace headscope
