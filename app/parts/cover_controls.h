#pragma once

#include <string>

#include "app/parts/frame.h"

namespace headscope {

/// The controls for the cells covered for an exercise, and for how many of them have been filled in.
void cover_controls(Frame& frame);
std::string cover_words(const Session& session);

}  // namespace headscope
