#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>

#include "core/trace/summary.h"

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

/// For every index of an axis of B its index in A, or −1 where it has no counterpart.
Result<std::vector<int>> along(const Trace& b, const StageId& stage_b, const Trace& a, const StageId& stage_a,
                               Axis axis) {
  if (runs_over_tokens(axis)) return tokens_before(b.tokens(stage_b, axis), a.tokens(stage_a, axis));
  if (axis == Axis::vocabulary) return words_before(b.vocabulary(), a.vocabulary());
  const bool is_row = info(stage_b.kind).rows == axis;
  const Extent extent_b = b.extent(stage_b);
  const Extent extent_a = a.extent(stage_a);
  const int size_b = is_row ? extent_b.rows : extent_b.cols;
  const int size_a = is_row ? extent_a.rows : extent_a.cols;
  if (size_b != size_a) {
    return failure(std::string(axis_name(axis)) + " is " + std::to_string(size_a) + " in A, " +
                   std::to_string(size_b) + " in B");
  }
  std::vector<int> same(static_cast<std::size_t>(size_b));
  std::iota(same.begin(), same.end(), 0);
  return same;
}

float minus(float b, float a) {
  return std::isfinite(b) && std::isfinite(a) ? b - a : std::numeric_limits<float>::quiet_NaN();
}

}  // namespace

Result<Counterparts> counterparts(const Trace& b, const StageId& stage_b, const Trace& a,
                                  const StageId& stage_a) {
  if (!b.has(stage_b)) return failure("B has no " + path(stage_b));
  if (!a.has(stage_a)) return failure("A has no " + path(stage_a));
  auto rows = along(b, stage_b, a, stage_a, info(stage_b.kind).rows);
  if (!rows) return tl::unexpected(rows.error());
  auto cols = along(b, stage_b, a, stage_a, info(stage_b.kind).cols);
  if (!cols) return tl::unexpected(cols.error());
  return Counterparts{std::move(*rows), std::move(*cols)};
}

Result<OwnedMatrix> difference(const Trace& b, const StageId& stage_b, const Trace& a,
                               const StageId& stage_a) {
  const auto found = counterparts(b, stage_b, a, stage_a);
  if (!found) return tl::unexpected(found.error());
  const MatrixView numbers_b = b.value(stage_b);
  const MatrixView numbers_a = a.value(stage_a);
  OwnedMatrix result(numbers_b.rows, numbers_b.cols);
  for (int r = 0; r < result.rows; ++r) {
    const int row = found->rows[static_cast<std::size_t>(r)];
    for (int c = 0; c < result.cols; ++c) {
      const int col = found->cols[static_cast<std::size_t>(c)];
      const bool has_counterpart = row >= 0 && col >= 0;
      result.at(r, c) = has_counterpart ? minus(numbers_b(r, c), numbers_a(row, col))
                                        : std::numeric_limits<float>::quiet_NaN();
    }
  }
  return result;
}

}  // namespace headscope
