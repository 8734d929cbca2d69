#include "core/trace/number_source.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>
#include <numeric>
#include <string>
#include <utility>

#include "core/model/mask.h"
#include "core/tensor/parallel.h"
#include "core/trace/trace.h"

namespace headscope {
namespace {

/// The block size of a thread in floats.
constexpr std::int64_t floats_at_once = 256 * 1024;

/// A source for a matrix, owned or not.
class MatrixSource final : public NumberSource {
 public:
  explicit MatrixSource(OwnedMatrix numbers) : own_(std::move(numbers)), view_(own_.view()) {}
  explicit MatrixSource(const MatrixView& view) : view_(view) {}

  Extent extent() const override { return {view_.rows, view_.cols}; }
  StageNumbers read(const StageWindow& w) const override {
    return {view_.block(w.first_row, w.first_col, w.n_rows, w.n_cols), nullptr};
  }
  std::optional<StageStats> stats(const std::atomic<bool>* stop) const override {
    return block_stats(extent(), std::numeric_limits<float>::infinity(), stop,
                       [this](const StageWindow& window) { return read(window); });
  }
  bool is_quick_to_read() const override { return true; }

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
  float visible_max = 0.0F;
  StageStats stats;
  for (int row = 0; row < rows.rows; ++row) {
    for (const float value : rows.row(row)) {
      const bool counts = is_finite(value);
      stats.n_finite += counts ? 1 : 0;
      stats.n_hidden += value == -std::numeric_limits<float>::infinity() ? 1 : 0;
      minimum = counts && value < minimum ? value : minimum;
      maximum = counts && value > maximum ? value : maximum;
      const float magnitude = std::abs(value);
      visible_max = magnitude < below && magnitude > visible_max ? magnitude : visible_max;
    }
  }
  if (stats.n_finite == 0) return stats;
  stats.minimum = static_cast<double>(minimum);
  stats.maximum = static_cast<double>(maximum);
  stats.magnitude = std::max(std::abs(stats.minimum), std::abs(stats.maximum));
  stats.visible_magnitude = static_cast<double>(visible_max);
  return stats;
}

void add(const StageStats& some, StageStats& all) {
  if (some.n_finite > 0) {
    all.minimum = all.n_finite == 0 ? some.minimum : std::min(all.minimum, some.minimum);
    all.maximum = all.n_finite == 0 ? some.maximum : std::max(all.maximum, some.maximum);
  }
  all.magnitude = std::max(all.magnitude, some.magnitude);
  all.visible_magnitude = std::max(all.visible_magnitude, some.visible_magnitude);
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
  bool is_quick_to_read() const override { return trace_.is_quick_to_read(id_); }

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
  std::optional<StageId> scores_;  ///< The masked scores, unless no cell can be hidden
};

/// Pairs replaced tokens: equally many between the same neighbours.
void pair_replaced(std::vector<int>& indices, int n_before) {
  const auto n = static_cast<int>(indices.size());
  for (int begin = 0; begin < n;) {
    int end = begin;
    while (end < n && indices[static_cast<std::size_t>(end)] < 0) ++end;
    const int old_begin = begin == 0 ? 0 : indices[static_cast<std::size_t>(begin - 1)] + 1;
    const int old_end = end == n ? n_before : indices[static_cast<std::size_t>(end)];
    if (old_end - old_begin == end - begin) {
      for (int i = begin; i < end; ++i) indices[static_cast<std::size_t>(i)] = old_begin + i - begin;
    }
    begin = end + 1;
  }
}

std::vector<int> words_before(const std::vector<std::string>& now, const std::vector<std::string>& before) {
  std::vector<int> indices;
  for (const std::string& word : now) {
    const auto found = std::find(before.begin(), before.end(), word);
    indices.push_back(found == before.end() ? -1 : static_cast<int>(found - before.begin()));
  }
  return indices;
}

/// For every index along an axis of B, the index in A, or −1.
Result<std::vector<int>> along(const Comparison& of, Axis axis, int size_b, int size_a) {
  if (is_token_axis(axis))
    return counterpart_tokens(of.b.tokens(of.stage_b, axis), of.a.tokens(of.stage_a, axis));
  if (axis == Axis::vocabulary) return words_before(of.b.vocabulary(), of.a.vocabulary());
  if (size_b != size_a) {
    return failure(std::string(info(axis_in(of.b.architecture(), axis)).name) + " is " +
                   std::to_string(size_a) + " in A, but " + std::to_string(size_b) + " in B");
  }
  std::vector<int> same(static_cast<std::size_t>(size_b));
  std::iota(same.begin(), same.end(), 0);
  return same;
}

/// For weights, −∞ marks a cell that the mask hides. If it is hidden in one of the two, its weight counts as
/// 0 there; if it is hidden in both, the difference is NaN.
float minus_share(float b, float a) {
  constexpr float hidden = -std::numeric_limits<float>::infinity();
  if (b == hidden && a == hidden) return std::numeric_limits<float>::quiet_NaN();
  return (b == hidden ? 0.0F : b) - (a == hidden ? 0.0F : a);
}

float minus(float b, float a) {
  return std::isfinite(b) && std::isfinite(a) ? b - a : std::numeric_limits<float>::quiet_NaN();
}

/// A run of consecutive indices of B, from `first` on, whose counterparts in A are consecutive as well.
struct Run {
  int first = 0;
  int n = 0;
  int first_in_a = 0;
};

std::vector<Run> runs_of(const std::vector<int>& in_a, int first, int n) {
  std::vector<Run> runs;
  for (int i = first; i < first + n; ++i) {
    const int at = in_a[static_cast<std::size_t>(i)];
    if (at < 0) continue;
    const bool continues = !runs.empty() && runs.back().first + runs.back().n == i &&
                           runs.back().first_in_a + runs.back().n == at;
    if (continues) {
      ++runs.back().n;
    } else {
      runs.push_back({i, 1, at});
    }
  }
  return runs;
}

class DifferenceSource final : public NumberSource {
 public:
  DifferenceSource(const Comparison& compared, Counterparts found)
      : of_(compared),
        source_b_(stage_source(of_.b, of_.stage_b)),
        source_a_(stage_source(of_.a, of_.stage_a)),
        is_share_(info(of_.stage_b.kind).is_share),
        rows_(std::move(found.rows)),
        cols_(std::move(found.cols)) {}

  Extent extent() const override { return {static_cast<int>(rows_.size()), static_cast<int>(cols_.size())}; }

  StageNumbers read(const StageWindow& window) const override {
    const auto result = std::make_shared<OwnedMatrix>(window.n_rows, window.n_cols);
    std::ranges::fill(result->values, std::numeric_limits<float>::quiet_NaN());
    const std::vector<Run> cols = runs_of(cols_, window.first_col, window.n_cols);
    if (cols.empty()) return {result->view(), result};
    const StageNumbers b = source_b_->read(window);
    const auto [least, greatest] = span_in_a(cols);
    for (const Run& rows : runs_of(rows_, window.first_row, window.n_rows)) {
      const StageNumbers a = source_a_->read({rows.first_in_a, least, rows.n, greatest - least});
      for (int r = 0; r < rows.n; ++r) {
        const int row = rows.first - window.first_row + r;
        for (const Run& run : cols) {
          for (int c = 0; c < run.n; ++c) {
            const int col = run.first - window.first_col + c;
            const float in_b = b.view(row, col);
            const float in_a = a.view(r, run.first_in_a - least + c);
            result->at(row, col) = is_share_ ? minus_share(in_b, in_a) : minus(in_b, in_a);
          }
        }
      }
    }
    return {result->view(), result};
  }

  std::optional<StageStats> stats(const std::atomic<bool>* stop) const override {
    const std::lock_guard lock(mutex_);
    if (!stats_) {
      stats_ = block_stats(extent(), visible_magnitude_limit(of_.b, of_.stage_b), stop,
                           [this](const StageWindow& window) { return read(window); });
    }
    return stats_;
  }
  bool is_quick_to_read() const override {
    return of_.b.is_quick_to_read(of_.stage_b) && of_.a.is_quick_to_read(of_.stage_a);
  }

 private:
  static std::pair<int, int> span_in_a(const std::vector<Run>& runs) {
    int least = runs.front().first_in_a;
    int greatest = 0;
    for (const Run& run : runs) {
      least = std::min(least, run.first_in_a);
      greatest = std::max(greatest, run.first_in_a + run.n);
    }
    return {least, greatest};
  }

  Comparison of_;
  NumberSourcePtr source_b_, source_a_;
  bool is_share_ = false;
  std::vector<int> rows_, cols_;  ///< index in A of each row and column, or −1
  mutable std::mutex mutex_;
  mutable std::optional<StageStats> stats_;
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
  shared_pool().for_each(n_blocks, [&](int block) {
    if (stopped()) return;
    work(first + block * at_once, std::min(at_once, n - block * at_once));
  });
  return !stopped();
}

int rows_at_once(const Extent& extent) {
  const std::int64_t rows = floats_at_once / std::max(extent.cols, 1);
  return static_cast<int>(std::clamp<std::int64_t>(rows, 1, std::max(extent.rows, 1)));
}

std::optional<StageStats> block_stats(const Extent& extent, float below, const std::atomic<bool>* stop,
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

NumberSourcePtr stage_source(const Trace& trace, const StageId& id) {
  return std::make_shared<const StageSource>(trace, id);
}

std::vector<int> counterpart_tokens(const std::vector<Token>& b, const std::vector<Token>& a) {
  std::vector<int> indices(b.size(), -1);
  const std::vector<int> followed = align_tokens(a, b);
  for (std::size_t old = 0; old < followed.size(); ++old) {
    if (followed[old] >= 0) indices[static_cast<std::size_t>(followed[old])] = static_cast<int>(old);
  }
  pair_replaced(indices, static_cast<int>(a.size()));
  return indices;
}

Result<Counterparts> counterparts(const Comparison& compared) {
  const Comparison of{compared.b, normalized(compared.stage_b), compared.a, normalized(compared.stage_a)};
  if (!of.b.has(of.stage_b)) return failure("there is no " + path(of.stage_b) + " in B");
  if (!of.a.has(of.stage_a)) return failure("there is no " + path(of.stage_a) + " in A");
  const Extent b = of.b.extent(of.stage_b);
  const Extent a = of.a.extent(of.stage_a);
  auto rows = along(of, info(of.stage_b.kind).rows, b.rows, a.rows);
  if (!rows) return tl::unexpected(rows.error());
  auto cols = along(of, info(of.stage_b.kind).cols, b.cols, a.cols);
  if (!cols) return tl::unexpected(cols.error());
  return Counterparts{std::move(*rows), std::move(*cols)};
}

Result<NumberSourcePtr> difference_source(const Comparison& compared) {
  const Comparison of{compared.b, normalized(compared.stage_b), compared.a, normalized(compared.stage_a)};
  return counterparts(of).map([&](Counterparts found) {
    return NumberSourcePtr(std::make_shared<const DifferenceSource>(of, std::move(found)));
  });
}

}  // namespace headscope
