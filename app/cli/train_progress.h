#pragma once

#include <chrono>
#include <string>

#include "core/train/trainer.h"

namespace headscope {

/// A number with that many digits after the decimal point.
std::string fixed(double number, int digits);
/// A share from 0 to 1 as a percentage: "99.9 %".
std::string percent(double share);

/// Shows the progress of training on standard error: on a terminal, a line that updates itself; otherwise, a
/// line from time to time.
class TrainProgress {
 public:
  TrainProgress(const Task& task, int steps);

  void show(int step, const Score& score);
  /// Ends the updating line, so that whatever is printed next starts on a new line.
  void end();
  double seconds() const;

 private:
  using Clock = std::chrono::steady_clock;
  std::string bar(int step) const;

  const Task& task_;
  int steps_;
  bool is_terminal_;
  bool line_is_open_ = false;
  Clock::time_point start_ = Clock::now();
  Clock::time_point shown_ = start_;
};

}  // namespace headscope
