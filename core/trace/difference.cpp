#include <algorithm>
#include <cmath>
#include <limits>
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

/// For every index of an axis now its index before, or −1 where it has no counterpart.
Result<std::vector<int>> counterparts(const Trace& now, const Trace& before, const StageId& id, Axis axis,
                                      int size_now, int size_before) {
  if (runs_over_tokens(axis)) return tokens_before(now.tokens(id, axis), before.tokens(id, axis));
  if (axis == Axis::vocabulary) return words_before(now.vocabulary(), before.vocabulary());
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

}  // namespace

Result<OwnedMatrix> difference(const Trace& now, const Trace& before, const StageId& id) {
  const StageId stage = normalized(id);
  if (!now.has(stage)) return failure("there is no " + path(stage) + " now");
  if (!before.has(stage)) return failure("there was no " + path(stage) + " before");
  const MatrixView numbers_now = now.value(stage);
  const MatrixView numbers_before = before.value(stage);
  const auto rows =
      counterparts(now, before, stage, info(stage.kind).rows, numbers_now.rows, numbers_before.rows);
  if (!rows) return tl::unexpected(rows.error());
  const auto cols =
      counterparts(now, before, stage, info(stage.kind).cols, numbers_now.cols, numbers_before.cols);
  if (!cols) return tl::unexpected(cols.error());

  OwnedMatrix result(numbers_now.rows, numbers_now.cols);
  for (int r = 0; r < result.rows; ++r) {
    const int row = (*rows)[static_cast<std::size_t>(r)];
    for (int c = 0; c < result.cols; ++c) {
      const int col = (*cols)[static_cast<std::size_t>(c)];
      const bool has_counterpart = row >= 0 && col >= 0;
      result.at(r, c) = has_counterpart ? minus(numbers_now(r, c), numbers_before(row, col))
                                        : std::numeric_limits<float>::quiet_NaN();
    }
  }
  return result;
}

}  // namespace headscope
