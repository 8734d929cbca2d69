#pragma once

#include <string>

namespace headscope {

/// Notices that the connection to the X server has broken. Without this watch, Xlib ends the process.
class DisplayWatch {
 public:
  DisplayWatch() = default;
  DisplayWatch(const DisplayWatch&) = delete;
  DisplayWatch& operator=(const DisplayWatch&) = delete;

  /// Call this after the window has been created. Does nothing on other window systems.
  void begin();
  bool lost() const { return lost_; }

 private:
  bool lost_ = false;
};

}  // namespace headscope
