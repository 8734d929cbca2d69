#include "app/cli/interrupt.h"

#include <unistd.h>

#include <ctime>

namespace headscope {

void end_by(int signal) {
  struct sigaction usual {};
  usual.sa_handler = SIG_DFL;
  ::sigaction(signal, &usual, nullptr);
  sigset_t only;
  sigemptyset(&only);
  sigaddset(&only, signal);
  ::pthread_sigmask(SIG_UNBLOCK, &only, nullptr);
  ::raise(signal);
}

namespace {

std::atomic<bool> interrupted{false};
std::atomic<int> first_signal{0};
static_assert(std::atomic<bool>::is_always_lock_free);  // a signal handler requires it
static_assert(std::atomic<int>::is_always_lock_free);

constexpr std::array<int, 3> signals{SIGINT, SIGTERM, SIGHUP};

/// Sends SIGALRM when a program that was asked to end has taken too long. The timer is created in advance
/// because a signal handler may set a timer (POSIX.1, 2.4.3) but not create one.
timer_t patience_timer{};
bool has_timer = false;

void set_timer(long milliseconds) {
  constexpr long in_second = 1000;
  constexpr long nanoseconds = 1'000'000;
  const itimerspec time{{0, 0}, {milliseconds / in_second, milliseconds % in_second * nanoseconds}};
  ::timer_settime(patience_timer, 0, &time, nullptr);
}

extern "C" void note_interrupt(int signal) {
  constexpr long patience = 1700;  // milliseconds
  if (interrupted.exchange(true)) return end_by(signal);
  first_signal = signal;
  if (has_timer) {
    set_timer(patience);
  } else {
    ::alarm(2);  // alarm() counts whole seconds
  }
}

extern "C" void end_at_last(int) {
  end_by(first_signal);
}

}  // namespace

InterruptWatch::InterruptWatch() {
  interrupted = false;
  struct sigevent rings {};
  rings.sigev_notify = SIGEV_SIGNAL;
  rings.sigev_signo = SIGALRM;
  has_timer = ::timer_create(CLOCK_MONOTONIC, &rings, &patience_timer) == 0;
  struct sigaction action {};
  action.sa_handler = end_at_last;
  ::sigaction(SIGALRM, &action, &alarm_before_);
  action.sa_handler = note_interrupt;
  for (std::size_t i = 0; i < signals.size(); ++i) {
    ::sigaction(signals[i], &action, &before_[i]);
    const bool was_ignored = before_[i].sa_handler == SIG_IGN;  // nohup relies on this
    if (was_ignored) ::sigaction(signals[i], &before_[i], nullptr);
  }
}

InterruptWatch::~InterruptWatch() {
  for (std::size_t i = 0; i < signals.size(); ++i) ::sigaction(signals[i], &before_[i], nullptr);
  if (has_timer) ::timer_delete(patience_timer);
  ::alarm(0);
  ::sigaction(SIGALRM, &alarm_before_, nullptr);
}

const std::atomic<bool>& InterruptWatch::flag() const {
  return interrupted;
}

}  // namespace headscope
