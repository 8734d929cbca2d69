#pragma once

#include <atomic>
#include <csignal>
#include <functional>
#include <mutex>
#include <thread>

namespace headscope {

/// Installs process-wide signal handlers. Call this before anything else runs.
/// - Exceeding the file size limit becomes a write error instead of terminating the process.
/// - A mapped file that is truncated reads as zeros beyond its end, which MappedFile::is_unchanged() detects.
void install_signal_handlers();

/// Terminates the program like an unhandled signal: restores the default action and raises the signal.
void terminate_by_signal(int signal);

/// Handles termination signals (SIGINT, SIGTERM, SIGHUP) on a thread of its own, so that the program can shut
/// down cleanly. If it does not exit in time, or if a second signal arrives, calls the function set by
/// on_termination() and lets the signal terminate the program. Construct this before any other thread, since
/// threads inherit the signal mask.
class SignalWatch {
 public:
  SignalWatch();
  ~SignalWatch();
  SignalWatch(const SignalWatch&) = delete;
  SignalWatch& operator=(const SignalWatch&) = delete;

  const std::atomic<bool>& shutdown_requested() const { return shutdown_requested_; }
  /// Disables the timeout: the program is saving its work, so only a second signal terminates it.
  void disable_timeout() { timeout_disabled_ = true; }
  /// Sets the function that the watch's thread calls when a signal arrives.
  void on_signal(std::function<void()> wake);
  /// Sets the function that the watch's thread calls before it terminates a running program. It has half a
  /// second.
  void on_termination(std::function<void()> rescue);

 private:
  void run();
  void end(int signal);

  sigset_t signals_;
  sigset_t mask_before_{};
  std::atomic<bool> shutdown_requested_{false};
  std::atomic<bool> timeout_disabled_{false};
  std::atomic<bool> closing_{false};
  std::mutex mutex_;
  std::function<void()> wake_;
  std::function<void()> rescue_;
  std::thread thread_;
};

}  // namespace headscope
