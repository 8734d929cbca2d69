#pragma once

#include <array>
#include <atomic>
#include <csignal>

namespace headscope {

/// Ends the program as an unhandled signal would: restores the signal's default action and raises it.
void end_by(int signal);

/// While an object of this class exists, Ctrl+C, a request to terminate and a closed terminal set a flag.
/// They end the program only if it has not ended soon afterwards, or if a second one follows. Only one object
/// may exist at a time.
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
