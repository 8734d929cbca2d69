#include "app/cli/interrupt.h"

namespace headscope {
namespace {

std::atomic<bool> interrupted{false};
static_assert(std::atomic<bool>::is_always_lock_free);  // as a signal handler needs it

constexpr std::array<int, 2> signals{SIGINT, SIGTERM};

extern "C" void note_interrupt(int) {
  interrupted = true;
}

}  // namespace

InterruptWatch::InterruptWatch() {
  interrupted = false;
  struct sigaction action {};
  action.sa_handler = note_interrupt;
  for (std::size_t i = 0; i < signals.size(); ++i) ::sigaction(signals[i], &action, &before_[i]);
}

InterruptWatch::~InterruptWatch() {
  for (std::size_t i = 0; i < signals.size(); ++i) ::sigaction(signals[i], &before_[i], nullptr);
}

const std::atomic<bool>& InterruptWatch::flag() const {
  return interrupted;
}

}  // namespace headscope
