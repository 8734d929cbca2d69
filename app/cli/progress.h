#pragma once

#include <chrono>
#include <functional>
#include <string>

namespace headscope {

/// A number with `digits` digits after the decimal point.
std::string fixed(double number, int digits);

/// Progress of training on standard error: on a terminal, a line that updates itself; otherwise, a line from
/// time to time.
class TrainProgress {
 public:
  /// `done` steps were made by an earlier run. `unit` is what a step is called.
  explicit TrainProgress(int steps, int done = 0, std::string unit = "step");

  /// Prints text() for a step if an update is due.
  void show(int step, const std::function<std::string()>& text);
  /// Ends the updating line, so that whatever is printed next starts on a new line.
  void end();
  double seconds() const;

 private:
  using Clock = std::chrono::steady_clock;
  std::string bar(int step) const;

  int steps_, done_;
  std::string unit_;
  bool is_terminal_;
  bool line_is_open_ = false;
  Clock::time_point start_ = Clock::now();
  Clock::time_point shown_ = start_;
};

}  // namespace headscope
