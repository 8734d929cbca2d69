#pragma once

#include <chrono>
#include <string>

#include "core/train/trainer.h"

namespace headscope {

/// A number with so many digits behind the point.
std::string fixed(double number, int digits);
/// A share from 0 to 1 as "99.9 %".
std::string percent(double share);

/// How far a training is, on the standard error: a line that renews itself on a terminal, else a line now and
/// then.
class TrainProgress {
 public:
  TrainProgress(const Task& task, int steps);

  void show(int step, const Score& score);
  /// Leaves the line that renews itself as it is; what is printed next begins a line of its own.
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
