#include "core/system/signals.h"

#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <ctime>
#include <utility>

namespace headscope {
namespace {

/// Maps a page of zeros where a mapped file was truncated, so that its reader can continue. For any other
/// SIGBUS, restores the default action.
void map_zero_page(int signal, siginfo_t* info, void* /*context*/) {
  const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  const auto address = reinterpret_cast<std::uintptr_t>(info->si_addr) / page * page;
  const bool is_beyond_file = info->si_code == BUS_ADRERR;
  void* const begin = reinterpret_cast<void*>(address);  // NOLINT(performance-no-int-to-ptr)
  constexpr int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED;
  if (is_beyond_file && ::mmap(begin, page, PROT_READ, flags, -1, 0) == begin) return;
  std::signal(signal, SIG_DFL);
}

}  // namespace

void install_signal_handlers() {
  std::signal(SIGXFSZ, SIG_IGN);
  struct sigaction guard {};
  guard.sa_sigaction = map_zero_page;
  guard.sa_flags = SA_SIGINFO;
  ::sigemptyset(&guard.sa_mask);
  ::sigaction(SIGBUS, &guard, nullptr);
}

void terminate_by_signal(int signal) {
  struct sigaction default_action {};
  default_action.sa_handler = SIG_DFL;
  ::sigaction(signal, &default_action, nullptr);
  sigset_t only;
  sigemptyset(&only);
  sigaddset(&only, signal);
  ::pthread_sigmask(SIG_UNBLOCK, &only, nullptr);
  ::raise(signal);
}

namespace {

/// The termination signals. Signals that were ignored at startup, as under nohup, stay ignored.
sigset_t termination_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction now {};
    ::sigaction(signal, nullptr, &now);
    if (now.sa_handler != SIG_IGN) sigaddset(&signals, signal);
  }
  return signals;
}

/// Only the destructor sends this signal.
constexpr int wake_signal = SIGUSR1;

}  // namespace

SignalWatch::SignalWatch() : signals_(termination_signals()) {
  sigaddset(&signals_, wake_signal);
  ::pthread_sigmask(SIG_BLOCK, &signals_, &mask_before_);
  thread_ = std::thread([this] { run(); });
}

SignalWatch::~SignalWatch() {
  closing_ = true;
  ::pthread_kill(thread_.native_handle(), wake_signal);
  thread_.join();
  ::pthread_sigmask(SIG_SETMASK, &mask_before_, nullptr);
}

void SignalWatch::on_signal(std::function<void()> wake) {
  const std::lock_guard lock(mutex_);
  wake_ = std::move(wake);
}

void SignalWatch::on_termination(std::function<void()> rescue) {
  const std::lock_guard lock(mutex_);
  rescue_ = std::move(rescue);
}

void SignalWatch::end(int signal) {
  {
    const std::lock_guard lock(mutex_);
    if (rescue_) rescue_();
  }
  terminate_by_signal(signal);
}

void SignalWatch::run() {
  using Clock = std::chrono::steady_clock;
  constexpr std::chrono::milliseconds grace_period(1300);
  int first = 0;
  Clock::time_point end_at;
  while (!closing_) {
    int signal = 0;
    if (first == 0 || timeout_disabled_) {
      if (::sigwait(&signals_, &signal) != 0) return;
    } else {
      const auto left = std::chrono::nanoseconds(std::max(end_at - Clock::now(), Clock::duration::zero()));
      const timespec time{static_cast<time_t>(left.count() / 1'000'000'000),
                          static_cast<long>(left.count() % 1'000'000'000)};
      signal = ::sigtimedwait(&signals_, nullptr, &time);
    }
    if (closing_) return;
    if (signal == wake_signal || (signal < 0 && (errno == EINTR || timeout_disabled_))) continue;
    if (first != 0) return end(first);
    first = signal;
    end_at = Clock::now() + grace_period;
    shutdown_requested_ = true;
    const std::lock_guard lock(mutex_);
    if (wake_) wake_();
  }
}

}  // namespace headscope
