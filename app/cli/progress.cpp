#include "app/cli/progress.h"

#include <algorithm>
#include <iomanip>
#include <iostream>
#include <sstream>

#include "core/system/process.h"

namespace headscope {
namespace {

double seconds_between(std::chrono::steady_clock::time_point from, std::chrono::steady_clock::time_point to) {
  return std::chrono::duration<double>(to - from).count();
}

}  // namespace

std::string fixed(double number, int digits) {
  std::ostringstream text;
  text << std::fixed << std::setprecision(digits) << number;
  return text.str();
}

TrainProgress::TrainProgress(int steps, int done, std::string unit)
    : steps_(steps), done_(done), unit_(std::move(unit)), is_terminal_(stderr_is_terminal()) {}

void TrainProgress::show(int step, const std::function<std::string()>& text) {
  constexpr double renew_seconds = 0.1;
  constexpr double line_seconds = 10.0;
  const auto now = Clock::now();
  const double since_last = seconds_between(shown_, now);
  const bool is_due = is_terminal_ ? step == done_ + 1 || since_last >= renew_seconds
                                   : step % std::max(steps_ / 10, 1) == 0 || since_last >= line_seconds;
  if (!is_due && step != steps_) return;
  shown_ = now;
  std::ostringstream line;
  line << unit_ << " " << step << " of " << steps_ << "  " << text();
  if (step < steps_) line << "  " << fixed(seconds() / (step - done_) * (steps_ - step), 0) << " s left";
  if (is_terminal_) {
    std::cerr << '\r' << bar(step) << line.str() << "\x1b[K" << std::flush;
    line_is_open_ = true;
  } else {
    std::cerr << line.str() << '\n';
  }
}

void TrainProgress::end() {
  if (line_is_open_) std::cerr << '\n';
  line_is_open_ = false;
}

double TrainProgress::seconds() const {
  return seconds_between(start_, Clock::now());
}

std::string TrainProgress::bar(int step) const {
  constexpr int width = 24;
  std::string text;
  for (int i = 0; i < width; ++i) text += i * steps_ < step * width ? "█" : "░";
  return text + " ";
}

}  // namespace headscope
