#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

namespace headscope {

/// The keys from `first` up to but not including `last`.
struct KeyRange {
  int first = 0;
  int last = 0;
  bool operator==(const KeyRange&) const = default;
};

/// The keys that one query sees: of these ranges, those whose distance from `origin` is a multiple of `step`.
struct VisibleKeys {
  std::span<const KeyRange> ranges;  ///< Ascending. They neither touch nor overlap, and none is empty.
  int step = 1;
  int origin = 0;    ///< The query's own place among the keys.
  bool all = false;  ///< Whether every key is visible, whatever the ranges are.
  /// The key from which the functions below count. Ranges and origin count from the first key of the text.
  int first = 0;

  /// Returns the same keys, counted from the key `start`.
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
  /// One past the last of `n` keys that is visible. 0 if none is.
  int end(int n) const {
    int end = all ? n : ranges.empty() ? 0 : std::clamp(ranges.back().last - first, 0, n);
    while (end > 0 && !sees(end - 1)) --end;
    return end;
  }
};

/// Which keys the queries see, in ranges: a causal mask or a window takes as much memory as there are
/// queries. Has no rows if every query sees every key.
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
  /// Adds a row. Ranges and origin are as in VisibleKeys.
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

/// Appends a range, and joins it with the last one if they touch.
inline void add_range(KeyRange range, std::vector<KeyRange>& ranges) {
  if (range.first >= range.last) return;
  if (!ranges.empty() && range.first <= ranges.back().last) {
    ranges.back().last = std::max(ranges.back().last, range.last);
  } else {
    ranges.push_back(range);
  }
}

}  // namespace headscope
