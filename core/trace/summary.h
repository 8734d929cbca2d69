#pragma once

#include <optional>
#include <vector>

#include "core/trace/number_source.h"
#include "core/trace/trace.h"

namespace headscope {

/// The mean, population variance and range of the finite cells of a stage.
struct Statistics {
  int count = 0;   ///< the number of finite cells
  int hidden = 0;  ///< the number of cells that are −∞
  double mean = 0.0;
  double variance = 0.0;
  double minimum = 0.0;
  double maximum = 0.0;

  /// The sample variance (divided by n − 1), like torch.var() and NumPy with ddof=1. 0 for fewer than two
  /// cells.
  double sample_variance() const { return count > 1 ? variance * count / (count - 1.0) : 0.0; }
};
Statistics statistics(const NumberSource& numbers);

/// Counts in equal-width bins between the smallest and largest finite value.
struct Histogram {
  double low = 0.0;
  double high = 0.0;
  std::vector<int> counts;
};
Histogram histogram(const NumberSource& numbers, int n_bins);

/// A key of a query. Keys are ranked by descending weight with NaN last, ties by position.
struct RankedKey {
  int key = 0;
  float weight = 0.0F;
};
std::vector<RankedKey> ranked_keys(const MatrixView& weights, int query);

/// The key with the maximum weight in a row of the head of `place`. Empty if the row is not cheap to read, if
/// the mask hides all of it, or if the pass overflows.
std::optional<RankedKey> strongest_key(const Trace& trace, const StageId& place, int row);

/// The position of a word, “ (5)”, if it occurs more than once. Empty otherwise.
std::string position_mark(const std::vector<Token>& tokens, int position);

/// The entropy of one row of weights, in nats: −Σ w ln w. NaN if a weight is.
double entropy(const MatrixView& weights, int query);

}  // namespace headscope
