#pragma once

#include <array>
#include <atomic>
#include <csignal>

namespace headscope {

/// While it lives, Ctrl+C, a request to end and a terminal that closes set a flag, and end the program only
/// if it has not ended soon after, or by a second one. One at a time.
class InterruptWatch {
 public:
  InterruptWatch();
  ~InterruptWatch();
  InterruptWatch(const InterruptWatch&) = delete;
  InterruptWatch& operator=(const InterruptWatch&) = delete;

  const std::atomic<bool>& flag() const;

 private:
  std::array<struct sigaction, 3> before_{};
  struct sigaction alarm_before_ {};
};

}  // namespace headscope
