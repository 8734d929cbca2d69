#include "app/platform/frame_pacer.h"

#include <algorithm>

namespace headscope {

void FramePacer::due_in(double seconds) {
  due_in_ = std::min(due_in_, std::max(0.0, seconds));
}

void FramePacer::frame_drawn() {
  if (frames_left_ == 0) event();
  --frames_left_;
  due_in_ = longest_sleep;
}

double FramePacer::sleep_seconds() const {
  return frames_left_ > 0 ? 0.0 : due_in_;
}

}  // namespace headscope
