#pragma once

#include <atomic>
#include <csignal>
#include <functional>
#include <mutex>
#include <thread>

#include "app/cli/run_command_line.h"

namespace headscope {

/// Waits for the signals that ask a program to end (SIGINT, SIGTERM, SIGHUP), so that it can end as if its
/// window had been closed. If the program has not ended in time, because a frame or job takes long, or if a
/// second signal arrives, the signal itself ends it, after the rescue function has been called. Create this
/// object before any other thread, because threads inherit the mask that blocks these signals.
class SignalWatch {
 public:
  SignalWatch();
  ~SignalWatch();
  SignalWatch(const SignalWatch&) = delete;
  SignalWatch& operator=(const SignalWatch&) = delete;

  bool asked_to_end() const { return asked_; }
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
  std::atomic<bool> closing_{false};
  std::mutex mutex_;
  std::function<void()> wake_;
  std::function<void()> rescue_;
  std::thread thread_;
};

/// Opens the window, runs it until it is closed, and saves the settings. Returns the exit code: 0, or 1 after
/// a message on standard error (no display, no OpenGL 3.3, a screenshot that cannot be written).
int run_window(const WindowRequest& request);

}  // namespace headscope
