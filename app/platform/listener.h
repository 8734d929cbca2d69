#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "core/result.h"

namespace headscope {

/// Serves requests of other processes of the same user on a Unix socket that nobody else may access, one at a
/// time. A request is a line, and so is the reply. A client whose line is longer than `max_bytes`, or takes
/// longer than `timeout_ms`, gets no reply.
class Listener {
 public:
  static constexpr std::size_t max_bytes = 4096;
  static constexpr int timeout_ms = 2000;
  /// Returns the reply. Called on the listener's thread.
  using Answer = std::function<std::string(const std::string& message)>;

  /// Errors: another program listens there, or the socket cannot be made.
  static Result<std::unique_ptr<Listener>> open(const std::filesystem::path& socket, Answer answer);
  /// Finishes the current request, stops listening and removes the socket.
  ~Listener();
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

 private:
  struct State;
  explicit Listener(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace headscope
