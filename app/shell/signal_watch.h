#pragma once

#include <atomic>
#include <csignal>
#include <functional>
#include <mutex>
#include <thread>

namespace headscope {

/// Waits for the signals that ask a program to end (SIGINT, SIGTERM, SIGHUP), so that it can end as if its
/// window had been closed. One that has not ended in time, as a frame or a job takes long, is ended by the
/// signal itself, and so is one that gets a second signal; what rescues its work is called before. To be made
/// before any other thread: those inherit that the signals are not theirs.
class SignalWatch {
 public:
  SignalWatch();
  ~SignalWatch();
  SignalWatch(const SignalWatch&) = delete;
  SignalWatch& operator=(const SignalWatch&) = delete;

  bool asked_to_end() const { return asked_; }
  /// Is called, from the watch's thread, when a signal has come.
  void on_signal(std::function<void()> wake);
  /// Is called, from the watch's thread, before the program is ended although it still runs. It has half a
  /// second.
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

}  // namespace headscope
