#include "app/shell/signal_watch.h"

#include <pthread.h>

#include <csignal>
#include <utility>

namespace headscope {
namespace {

sigset_t signals_to_end() {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&signals, signal);
  return signals;
}

}  // namespace

SignalWatch::SignalWatch() {
  const sigset_t signals = signals_to_end();
  ::pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  thread_ = std::thread([this] { run(); });
}

SignalWatch::~SignalWatch() {
  closing_ = true;
  ::pthread_kill(thread_.native_handle(), SIGTERM);
  thread_.join();
}

void SignalWatch::on_signal(std::function<void()> wake) {
  const std::lock_guard lock(mutex_);
  wake_ = std::move(wake);
}

void SignalWatch::run() {
  const sigset_t signals = signals_to_end();
  while (!closing_) {
    int signal = 0;
    if (::sigwait(&signals, &signal) != 0) return;
    if (closing_) return;
    asked_ = true;
    const std::lock_guard lock(mutex_);
    if (wake_) wake_();
  }
}

}  // namespace headscope
