#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>
#include <string>

#include "core/trace/number_source.h"
#include "core/trace/trace.h"

namespace headscope {
namespace {

/// A token that stands between the same neighbours as as many others did before has replaced one of those.
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

std::vector<int> tokens_before(const std::vector<Token>& now, const std::vector<Token>& before) {
  std::vector<int> indices(now.size(), -1);
  const std::vector<int> followed = follow_tokens(before, now);
  for (std::size_t old = 0; old < followed.size(); ++old) {
    if (followed[old] >= 0) indices[static_cast<std::size_t>(followed[old])] = static_cast<int>(old);
  }
  pair_replaced(indices, static_cast<int>(before.size()));
  return indices;
}

std::vector<int> words_before(const std::vector<std::string>& now, const std::vector<std::string>& before) {
  std::vector<int> indices;
  for (const std::string& word : now) {
    const auto found = std::find(before.begin(), before.end(), word);
    indices.push_back(found == before.end() ? -1 : static_cast<int>(found - before.begin()));
  }
  return indices;
}

/// For every index of an axis now its index before, or −1 where it has no counterpart.
Result<std::vector<int>> counterparts(const Comparison& of, Axis axis, int size_now, int size_before) {
  if (runs_over_tokens(axis)) {
    return tokens_before(of.now.tokens(of.id, axis), of.before.tokens(of.id_before, axis));
  }
  if (axis == Axis::vocabulary) return words_before(of.now.vocabulary(), of.before.vocabulary());
  if (size_now != size_before) {
    return failure(std::string(axis_name(axis)) + " " + std::to_string(size_before) + " before, " +
                   std::to_string(size_now) + " now");
  }
  std::vector<int> same(static_cast<std::size_t>(size_now));
  for (int i = 0; i < size_now; ++i) same[static_cast<std::size_t>(i)] = i;
  return same;
}

float minus(float now, float before) {
  return std::isfinite(now) && std::isfinite(before) ? now - before : std::numeric_limits<float>::quiet_NaN();
}

/// The indices from `first` on that had counterparts, all of which stood side by side before.
struct Run {
  int first = 0;
  int n = 0;
  int first_before = 0;
};

std::vector<Run> runs_of(const std::vector<int>& before, int first, int n) {
  std::vector<Run> runs;
  for (int i = first; i < first + n; ++i) {
    const int at = before[static_cast<std::size_t>(i)];
    if (at < 0) continue;
    const bool continues = !runs.empty() && runs.back().first + runs.back().n == i &&
                           runs.back().first_before + runs.back().n == at;
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
  DifferenceSource(const Comparison& compared, std::vector<int> rows, std::vector<int> cols)
      : of_(compared), rows_(std::move(rows)), cols_(std::move(cols)) {}

  Extent extent() const override { return {static_cast<int>(rows_.size()), static_cast<int>(cols_.size())}; }

  StageNumbers read(const StageWindow& window) const override {
    const auto result = std::make_shared<OwnedMatrix>(window.n_rows, window.n_cols);
    std::ranges::fill(result->values, std::numeric_limits<float>::quiet_NaN());
    const std::vector<Run> cols = runs_of(cols_, window.first_col, window.n_cols);
    if (cols.empty()) return {result->view(), result};
    const StageNumbers now = of_.now.read(of_.id, window);
    const auto [least, greatest] = span_before(cols);
    for (const Run& rows : runs_of(rows_, window.first_row, window.n_rows)) {
      const StageNumbers before =
          of_.before.read(of_.id_before, {rows.first_before, least, rows.n, greatest - least});
      for (int r = 0; r < rows.n; ++r) {
        const int row = rows.first - window.first_row + r;
        for (const Run& run : cols) {
          for (int c = 0; c < run.n; ++c) {
            const int col = run.first - window.first_col + c;
            result->at(row, col) = minus(now.view(row, col), before.view(r, run.first_before - least + c));
          }
        }
      }
    }
    return {result->view(), result};
  }

  std::optional<StageStats> stats(const std::atomic<bool>* stop) const override {
    const std::lock_guard lock(mutex_);
    if (!stats_) {
      stats_ = stats_of_blocks(extent(), counted_below(of_.now, of_.id), stop,
                               [this](const StageWindow& window) { return read(window); });
    }
    return stats_;
  }
  bool is_at_hand() const override {
    return of_.now.is_at_hand(of_.id) && of_.before.is_at_hand(of_.id_before);
  }

 private:
  static std::pair<int, int> span_before(const std::vector<Run>& runs) {
    int least = runs.front().first_before;
    int greatest = 0;
    for (const Run& run : runs) {
      least = std::min(least, run.first_before);
      greatest = std::max(greatest, run.first_before + run.n);
    }
    return {least, greatest};
  }

  Comparison of_;
  std::vector<int> rows_, cols_;  ///< where each was before; −1: nowhere
  mutable std::mutex mutex_;
  mutable std::optional<StageStats> stats_;
};

}  // namespace

Result<NumberSourcePtr> source_of_difference(const Comparison& compared) {
  const Comparison of{compared.now, normalized(compared.id), compared.before, normalized(compared.id_before)};
  if (!of.now.has(of.id)) return failure("there is no " + path(of.id) + " now");
  if (!of.before.has(of.id_before)) return failure("there was no " + path(of.id_before) + " before");
  const Extent now = of.now.extent(of.id);
  const Extent before = of.before.extent(of.id_before);
  auto rows = counterparts(of, info(of.id.kind).rows, now.rows, before.rows);
  if (!rows) return tl::unexpected(rows.error());
  auto cols = counterparts(of, info(of.id.kind).cols, now.cols, before.cols);
  if (!cols) return tl::unexpected(cols.error());
  return std::make_shared<const DifferenceSource>(of, std::move(*rows), std::move(*cols));
}

}  // namespace headscope
