#pragma once

#include <optional>

#include "app/parts/frame.h"

namespace headscope {

/// Steps of a page that can follow each other by themselves.
struct Steps {
  int step = 1;  ///< the present one, counted from 1
  int n = 1;
  const char* tooltip = "";  ///< of the button that plays them
};

/// A slider as one column of a line, so that it is only so wide (ImGui pixels). True when it was moved.
bool slider_in_line(Frame& frame, const char* label, int& value, int least, int most, const char* tooltip,
                    float width);

/// Goes on to the next step when it is time, and stops at the last; the button that plays or pauses. The step
/// to go to, nothing where it stays.
std::optional<int> step_player(Frame& frame, StepPlay& playing, const Steps& steps);

}  // namespace headscope
