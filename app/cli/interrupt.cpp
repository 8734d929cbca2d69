#include "app/cli/interrupt.h"

namespace headscope {
namespace {

std::atomic<bool> interrupted{false};
static_assert(std::atomic<bool>::is_always_lock_free);  // as a signal handler needs it

constexpr std::array<int, 3> signals{SIGINT, SIGTERM, SIGHUP};

extern "C" void note_interrupt(int) {
  interrupted = true;
}

}  // namespace

InterruptWatch::InterruptWatch() {
  interrupted = false;
  struct sigaction action {};
  action.sa_handler = note_interrupt;
  for (std::size_t i = 0; i < signals.size(); ++i) {
    ::sigaction(signals[i], &action, &before_[i]);
    const bool was_ignored = before_[i].sa_handler == SIG_IGN;  // as nohup wants it
    if (was_ignored) ::sigaction(signals[i], &before_[i], nullptr);
  }
}

InterruptWatch::~InterruptWatch() {
  for (std::size_t i = 0; i < signals.size(); ++i) ::sigaction(signals[i], &before_[i], nullptr);
}

const std::atomic<bool>& InterruptWatch::flag() const {
  return interrupted;
}

}  // namespace headscope
