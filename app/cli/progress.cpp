#include "app/cli/progress.h"

#include <algorithm>
#include <iomanip>
#include <iostream>
#include <sstream>

#include "app/cli/option_values.h"
#include "app/cli/session_options.h"
#include "core/system/process.h"
#include "core/train/training_settings.h"

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

std::string percent(double share) {
  return fixed(100.0 * share, 1) + " %";
}

Result<void> check_new_model(const CommandOptions& o) {
  if (!o.has("--out")) return usage_error("train needs --out, the folder to write the model to");
  if (o.has("--preset")) return usage_error("train does not take --preset: it starts from random weights");
  if (o.has(setting("model")) && o.texts("--text").empty())
    return usage_error("train takes --model only with --text: a task is learned from random weights");
  return {};
}

Result<void> read_training(const CommandOptions& o, TrainingRecipe& model) {
  TrainOptions& options = model.options;
  Session session;
  session.training = {model.steps, options.batch_size, options.adam.learning_rate};
  session.attention.dropout = options.dropout;
  for (const char* prefix : {"training.", "attention.dropout"}) {
    auto read = with_settings(o, prefix, std::move(session));
    if (!read) return tl::unexpected(read.error());
    session = std::move(*read);
  }
  model.steps = session.training.steps;
  options.batch_size = session.training.batch_size;
  options.adam.learning_rate = session.training.learning_rate;
  options.adam.decay_steps = model.steps;
  options.dropout = session.attention.dropout;
  if (!o.has("--weight-decay")) return {};
  return parse_decimal_number("--weight-decay", *o.text("--weight-decay"), 0.0, 1.0).map([&](double decay) {
    options.adam.weight_decay = static_cast<float>(decay);
  });
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
