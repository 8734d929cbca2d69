#include "core/trace/number_source.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>
#include <utility>

#include "core/tensor/parallel.h"

namespace headscope {
namespace {

/// The number of floats that one thread reads at a time.
constexpr std::int64_t floats_at_once = 256 * 1024;

/// A source whose matrix belongs to the caller or to the source itself.
class MatrixSource final : public NumberSource {
 public:
  explicit MatrixSource(OwnedMatrix numbers) : own_(std::move(numbers)), view_(own_.view()) {}
  explicit MatrixSource(const MatrixView& view) : view_(view) {}

  Extent extent() const override { return {view_.rows, view_.cols}; }
  StageNumbers read(const StageWindow& w) const override {
    return {view_.block(w.first_row, w.first_col, w.n_rows, w.n_cols), nullptr};
  }
  std::optional<StageStats> stats(const std::atomic<bool>* stop) const override {
    return stats_of_blocks(extent(), std::numeric_limits<float>::infinity(), stop,
                           [this](const StageWindow& window) { return read(window); });
  }
  bool is_at_hand() const override { return true; }

 private:
  OwnedMatrix own_;
  MatrixView view_;
};

bool is_finite(float value) {
  return std::abs(value) <= std::numeric_limits<float>::max();
}

StageStats stats_of(const MatrixView& rows, float below) {
  float minimum = std::numeric_limits<float>::infinity();
  float maximum = -minimum;
  float counted = 0.0F;
  StageStats stats;
  for (int row = 0; row < rows.rows; ++row) {
    for (const float value : rows.row(row)) {
      const bool counts = is_finite(value);
      stats.n_finite += counts ? 1 : 0;
      stats.n_hidden += value == -std::numeric_limits<float>::infinity() ? 1 : 0;
      minimum = counts && value < minimum ? value : minimum;
      maximum = counts && value > maximum ? value : maximum;
      const float magnitude = std::abs(value);
      counted = magnitude < below && magnitude > counted ? magnitude : counted;
    }
  }
  if (stats.n_finite == 0) return stats;
  stats.minimum = static_cast<double>(minimum);
  stats.maximum = static_cast<double>(maximum);
  stats.magnitude = std::max(std::abs(stats.minimum), std::abs(stats.maximum));
  stats.counted_magnitude = static_cast<double>(counted);
  return stats;
}

void add(const StageStats& some, StageStats& all) {
  if (some.n_finite > 0) {
    all.minimum = all.n_finite == 0 ? some.minimum : std::min(all.minimum, some.minimum);
    all.maximum = all.n_finite == 0 ? some.maximum : std::max(all.maximum, some.maximum);
  }
  all.magnitude = std::max(all.magnitude, some.magnitude);
  all.counted_magnitude = std::max(all.counted_magnitude, some.counted_magnitude);
  all.n_finite += some.n_finite;
  all.n_hidden += some.n_hidden;
}

}  // namespace

NumberSourcePtr source_of(const MatrixView& numbers) {
  return std::make_shared<const MatrixSource>(numbers);
}

NumberSourcePtr source_of(OwnedMatrix numbers) {
  return std::make_shared<const MatrixSource>(std::move(numbers));
}

OwnedMatrix all_numbers(const Extent& extent, const ReadRows& read) {
  OwnedMatrix all(extent.rows, extent.cols);
  for_row_blocks(0, extent.rows, extent.cols, nullptr, [&](int first, int n) {
    const StageNumbers some = read({first, 0, n, extent.cols});
    for (int row = 0; row < n; ++row) std::ranges::copy(some.view.row(row), &all.at(first + row, 0));
  });
  return all;
}

bool for_row_blocks(int first, int n, std::int64_t row_cost, const std::atomic<bool>* stop,
                    const std::function<void(int, int)>& work) {
  const auto stopped = [stop] { return stop != nullptr && stop->load(std::memory_order_relaxed); };
  if (n <= 0) return !stopped();
  const auto at_once =
      static_cast<int>(std::clamp<std::int64_t>(floats_at_once / std::max<std::int64_t>(row_cost, 1), 1, n));
  const int n_blocks = (n + at_once - 1) / at_once;
  TaskPool pool(n_blocks == 1 ? 1 : 0);
  pool.for_each(n_blocks, [&](int block) {
    if (stopped()) return;
    work(first + block * at_once, std::min(at_once, n - block * at_once));
  });
  return !stopped();
}

int rows_at_once(const Extent& extent) {
  const std::int64_t rows = floats_at_once / std::max(extent.cols, 1);
  return static_cast<int>(std::clamp<std::int64_t>(rows, 1, std::max(extent.rows, 1)));
}

std::optional<StageStats> stats_of_blocks(const Extent& extent, float below, const std::atomic<bool>* stop,
                                          const ReadRows& read) {
  StageStats all;
  std::mutex adding;
  const bool complete = for_row_blocks(0, extent.rows, extent.cols, stop, [&](int first, int n) {
    const StageStats some = stats_of(read({first, 0, n, extent.cols}).view, below);
    const std::lock_guard lock(adding);
    add(some, all);
  });
  return complete ? std::optional(all) : std::nullopt;
}

}  // namespace headscope
