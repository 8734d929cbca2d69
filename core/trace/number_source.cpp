#include "core/trace/number_source.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>
#include <utility>

#include "core/model/mask.h"
#include "core/tensor/parallel.h"
#include "core/trace/trace.h"

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

class StageSource final : public NumberSource {
 public:
  StageSource(const Trace& trace, const StageId& id) : trace_(trace), id_(id), extent_(trace.extent(id)) {
    StageId scores = id;
    scores.kind = StageKind::masked;
    const bool has_scores = info(id.kind).is_share && trace.extent(scores) == extent_;
    if (has_scores) scores_ = scores;
  }

  Extent extent() const override { return extent_; }
  StageNumbers read(const StageWindow& window) const override {
    const StageNumbers numbers = trace_.read(id_, window);
    return scores_ ? with_hidden_cells(numbers, window) : numbers;
  }
  std::optional<StageStats> stats(const std::atomic<bool>* stop) const override {
    return trace_.stats(id_, stop);
  }
  bool is_at_hand() const override { return trace_.is_at_hand(id_); }

 private:
  /// Replaces the weights of hidden cells by −∞. Only cells with a weight of 0 can be hidden, and the scores
  /// are needed only for those that the mask leaves visible.
  StageNumbers with_hidden_cells(const StageNumbers& weights, const StageWindow& window) const {
    const CombinedMask& mask = trace_.mask(id_);
    const auto is_visible = [&](int row, int col) {
      return mask.is_visible(id_.head, window.first_row + row, window.first_col + col);
    };
    bool hides = false;
    bool needs_scores = false;
    for (int row = 0; row < window.n_rows; ++row) {
      const auto line = weights.view.row(row);
      for (int col = 0; col < window.n_cols; ++col) {
        if (line[static_cast<std::size_t>(col)] != 0.0F) continue;
        (is_visible(row, col) ? needs_scores : hides) = true;
      }
    }
    if (!hides && !needs_scores) return weights;
    const StageNumbers scores = needs_scores ? trace_.read(*scores_, window) : StageNumbers{};
    const auto shown = std::make_shared<OwnedMatrix>(window.n_rows, window.n_cols);
    for (int row = 0; row < window.n_rows; ++row) {
      for (int col = 0; col < window.n_cols; ++col) {
        const float weight = weights.view(row, col);
        const bool is_hidden =
            weight == 0.0F && (!is_visible(row, col) || scores.view(row, col) <= -hidden_magnitude);
        shown->at(row, col) = is_hidden ? -std::numeric_limits<float>::infinity() : weight;
      }
    }
    return {shown->view(), shown};
  }

  const Trace& trace_;
  StageId id_;
  Extent extent_;
  std::optional<StageId> scores_;  ///< The masked scores. No value if no cell of the stage can be hidden.
};

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

NumberSourcePtr source_of_stage(const Trace& trace, const StageId& id) {
  return std::make_shared<const StageSource>(trace, id);
}

}  // namespace headscope
