#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

namespace headscope {

/// The keys [first, last).
struct KeyRange {
  int first = 0;
  int last = 0;
  bool operator==(const KeyRange&) const = default;
};

/// The keys visible to one query: those in `ranges` whose distance from `origin` is a multiple of `step`.
struct VisibleKeys {
  std::span<const KeyRange> ranges;  ///< Ascending, non-empty, neither touching nor overlapping.
  int step = 1;
  int origin = 0;    ///< The query's own position among the keys.
  bool all = false;  ///< Whether every key is visible; overrides `ranges`.
  /// Key 0 of the functions below. `ranges` and `origin` count from the first key of the text.
  int first = 0;

  /// The same keys, counted from key `start`.
  VisibleKeys from(int start) const {
    VisibleKeys later = *this;
    later.first = start;
    return later;
  }
  bool is_on_step(int key) const { return step == 1 || (first + key - origin) % step == 0; }
  bool sees(int key) const {
    if (all) return true;
    key += first;
    const auto after = std::ranges::upper_bound(ranges, key, {}, &KeyRange::first);
    return after != ranges.begin() && key < std::prev(after)->last && is_on_step(key - first);
  }
  /// One past the last visible key of the first `n`. 0 if none is visible.
  int end(int n) const {
    int end = all ? n : ranges.empty() ? 0 : std::clamp(ranges.back().last - first, 0, n);
    while (end > 0 && !sees(end - 1)) --end;
    return end;
  }
};

/// The visible keys of all queries, as ranges: a causal or windowed mask needs O(queries) memory. Has no rows
/// if every query sees every key.
class KeyMask {
 public:
  KeyMask() = default;
  explicit KeyMask(int step) : step_(step) {}

  bool empty() const { return rows_.empty(); }
  int n_rows() const { return static_cast<int>(rows_.size()); }
  int step() const { return step_; }
  VisibleKeys row(int index) const {
    if (empty()) return {.ranges = {}, .all = true};
    const auto at = static_cast<std::size_t>(index);
    const std::size_t begin = at == 0 ? 0 : rows_[at - 1].end;
    return {std::span(ranges_).subspan(begin, rows_[at].end - begin), step_, rows_[at].origin};
  }
  /// Appends a row; see VisibleKeys.
  void add_row(std::span<const KeyRange> ranges, int origin) {
    ranges_.insert(ranges_.end(), ranges.begin(), ranges.end());
    rows_.push_back({ranges_.size(), origin});
  }

 private:
  struct Row {
    std::size_t end;  ///< One past its last range.
    int origin;
  };
  int step_ = 1;
  std::vector<KeyRange> ranges_;
  std::vector<Row> rows_;
};

/// Appends a range, merging it with the last one if they touch.
inline void add_range(KeyRange range, std::vector<KeyRange>& ranges) {
  if (range.first >= range.last) return;
  if (!ranges.empty() && range.first <= ranges.back().last) {
    ranges.back().last = std::max(ranges.back().last, range.last);
  } else {
    ranges.push_back(range);
  }
}

}  // namespace headscope
