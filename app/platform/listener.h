#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "core/result.h"

namespace headscope {

/// Answers messages of other programs of the same user, one after the other, through a Unix socket that
/// nobody else may use. A message is a line, and so is its answer. A program that sends a longer line than
/// `most_bytes`, or takes longer than `patience_ms` to send it, gets no answer.
class Listener {
 public:
  static constexpr std::size_t most_bytes = 4096;
  static constexpr int patience_ms = 2000;
  /// Called from the listener's thread. Returns the answer.
  using Answer = std::function<std::string(const std::string& message)>;

  /// Errors: another program listens there, or the socket cannot be made.
  static Result<std::unique_ptr<Listener>> open(const std::filesystem::path& socket, Answer answer);
  /// Stops listening and removes the socket. Waits until the message that is being answered has its answer.
  ~Listener();
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

 private:
  struct State;
  explicit Listener(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace headscope
