#pragma once

#include <string>

#include "app/parts/frame.h"

namespace headscope {

/// What is hidden for an exercise, and how far it was filled in.
void cover_controls(Frame& frame);
std::string cover_words(const Session& session);

}  // namespace headscope
