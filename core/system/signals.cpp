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

/// Maps a page of zeros where a mapped file has been cut off, so that its reader can continue. If anything
/// else raised the signal, the process ends as it would without this handler.
void put_zeros(int signal, siginfo_t* info, void* /*context*/) {
  const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  const auto address = reinterpret_cast<std::uintptr_t>(info->si_addr) / page * page;
  const bool is_beyond_file = info->si_code == BUS_ADRERR;
  void* const begin = reinterpret_cast<void*>(address);  // NOLINT(performance-no-int-to-ptr)
  constexpr int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED;
  if (is_beyond_file && ::mmap(begin, page, PROT_READ, flags, -1, 0) == begin) return;
  std::signal(signal, SIG_DFL);
}

}  // namespace

void prepare_signals() {
  std::signal(SIGXFSZ, SIG_IGN);
  struct sigaction guard {};
  guard.sa_sigaction = put_zeros;
  guard.sa_flags = SA_SIGINFO;
  ::sigemptyset(&guard.sa_mask);
  ::sigaction(SIGBUS, &guard, nullptr);
}

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

/// The signals that end the program. A signal that was ignored from the start, as nohup arranges, stays
/// ignored.
sigset_t signals_to_end() {
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
constexpr int wake_up = SIGUSR1;

}  // namespace

SignalWatch::SignalWatch() : signals_(signals_to_end()) {
  sigaddset(&signals_, wake_up);
  ::pthread_sigmask(SIG_BLOCK, &signals_, &mask_before_);
  thread_ = std::thread([this] { run(); });
}

SignalWatch::~SignalWatch() {
  closing_ = true;
  ::pthread_kill(thread_.native_handle(), wake_up);
  thread_.join();
  ::pthread_sigmask(SIG_SETMASK, &mask_before_, nullptr);
}

void SignalWatch::on_signal(std::function<void()> wake) {
  const std::lock_guard lock(mutex_);
  wake_ = std::move(wake);
}

void SignalWatch::rescue_by(std::function<void()> rescue) {
  const std::lock_guard lock(mutex_);
  rescue_ = std::move(rescue);
}

void SignalWatch::end(int signal) {
  {
    const std::lock_guard lock(mutex_);
    if (rescue_) rescue_();
  }
  end_by(signal);
}

void SignalWatch::run() {
  using Clock = std::chrono::steady_clock;
  constexpr std::chrono::milliseconds patience(1300);
  int first = 0;
  Clock::time_point end_at;
  while (!closing_) {
    int signal = 0;
    if (first == 0 || finishes_) {
      if (::sigwait(&signals_, &signal) != 0) return;
    } else {
      const auto left = std::chrono::nanoseconds(std::max(end_at - Clock::now(), Clock::duration::zero()));
      const timespec time{static_cast<time_t>(left.count() / 1'000'000'000),
                          static_cast<long>(left.count() % 1'000'000'000)};
      signal = ::sigtimedwait(&signals_, nullptr, &time);
    }
    if (closing_) return;
    if (signal == wake_up || (signal < 0 && (errno == EINTR || finishes_))) continue;
    if (first != 0) return end(first);
    first = signal;
    end_at = Clock::now() + patience;
    asked_ = true;
    const std::lock_guard lock(mutex_);
    if (wake_) wake_();
  }
}

}  // namespace headscope
