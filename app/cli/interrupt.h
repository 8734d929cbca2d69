#pragma once

#include <array>
#include <atomic>
#include <csignal>

namespace headscope {

/// While it lives, Ctrl+C, a request to end and a terminal that closes only set a flag. One at a time.
class InterruptWatch {
 public:
  InterruptWatch();
  ~InterruptWatch();
  InterruptWatch(const InterruptWatch&) = delete;
  InterruptWatch& operator=(const InterruptWatch&) = delete;

  const std::atomic<bool>& flag() const;

 private:
  std::array<struct sigaction, 3> before_{};
};

}  // namespace headscope
