#include "app/cli/interrupt.h"

#include <sys/time.h>

namespace headscope {
namespace {

std::atomic<bool> interrupted{false};
std::atomic<int> first_signal{0};
static_assert(std::atomic<bool>::is_always_lock_free);  // as a signal handler needs it
static_assert(std::atomic<int>::is_always_lock_free);

constexpr std::array<int, 3> signals{SIGINT, SIGTERM, SIGHUP};

/// The signal takes its usual course.
void end_by(int signal) {
  struct sigaction usual {};
  usual.sa_handler = SIG_DFL;
  ::sigaction(signal, &usual, nullptr);
  sigset_t only;
  sigemptyset(&only);
  sigaddset(&only, signal);
  ::sigprocmask(SIG_UNBLOCK, &only, nullptr);
  ::raise(signal);
}

void set_alarm(long milliseconds) {
  constexpr long in_second = 1000;
  const itimerval time{{0, 0}, {milliseconds / in_second, milliseconds % in_second * in_second}};
  ::setitimer(ITIMER_REAL, &time, nullptr);
}

extern "C" void note_interrupt(int signal) {
  constexpr long patience = 1700;  // milliseconds
  if (interrupted.exchange(true)) return end_by(signal);
  first_signal = signal;
  set_alarm(patience);
}

extern "C" void end_at_last(int) {
  end_by(first_signal);
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
  action.sa_handler = end_at_last;
  ::sigaction(SIGALRM, &action, &alarm_before_);
}

InterruptWatch::~InterruptWatch() {
  set_alarm(0);
  ::sigaction(SIGALRM, &alarm_before_, nullptr);
  for (std::size_t i = 0; i < signals.size(); ++i) ::sigaction(signals[i], &before_[i], nullptr);
}

const std::atomic<bool>& InterruptWatch::flag() const {
  return interrupted;
}

}  // namespace headscope
