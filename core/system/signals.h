#pragma once

#include <atomic>
#include <csignal>
#include <functional>
#include <mutex>
#include <thread>

namespace headscope {

/// Prepares the whole process before anything else runs:
/// - Writing a file beyond the allowed size becomes an error instead of ending the process.
/// - A file that becomes shorter while it is mapped reads as zeros beyond its end, which
/// MappedFile::is_whole() detects.
void prepare_signals();

/// Ends the program as an unhandled signal would: restores the signal's default action and raises it.
void end_by(int signal);

/// Waits for the signals that ask a program to end (SIGINT, SIGTERM, SIGHUP), so that it can end as if its
/// window had been closed, or its work had been done. If the program has not ended in time, because a frame
/// or job takes long, or if a second signal arrives, the signal itself ends it, after the rescue function has
/// been called. Create this object before any other thread, because threads inherit the mask that blocks
/// these signals.
class SignalWatch {
 public:
  SignalWatch();
  ~SignalWatch();
  SignalWatch(const SignalWatch&) = delete;
  SignalWatch& operator=(const SignalWatch&) = delete;

  const std::atomic<bool>& asked_to_end() const { return asked_; }
  /// From now on, only a second signal ends the program: it has seen the first one and saves its work.
  void let_finish() { finishes_ = true; }
  /// Sets the function to call from the watch's thread when a signal has arrived.
  void on_signal(std::function<void()> wake);
  /// Sets the function to call from the watch's thread before a program that is still running is ended. It
  /// has half a second.
  void rescue_by(std::function<void()> rescue);

 private:
  void run();
  void end(int signal);

  sigset_t signals_;
  sigset_t mask_before_{};
  std::atomic<bool> asked_{false};
  std::atomic<bool> finishes_{false};
  std::atomic<bool> closing_{false};
  std::mutex mutex_;
  std::function<void()> wake_;
  std::function<void()> rescue_;
  std::thread thread_;
};

}  // namespace headscope
