#pragma once

#include <optional>
#include <vector>

#include "core/trace/number_source.h"
#include "core/trace/trace.h"

namespace headscope {

/// The mean, variance (population variance, divided by n) and range of the finite cells of a stage.
struct Statistics {
  int count = 0;   ///< the number of finite cells
  int hidden = 0;  ///< the number of cells that are −∞
  double mean = 0.0;
  double variance = 0.0;
  double minimum = 0.0;
  double maximum = 0.0;

  /// The variance divided by n − 1, as computed by torch.var() and by NumPy with ddof=1. 0 if there are fewer
  /// than two cells.
  double sample_variance() const { return count > 1 ? variance * count / (count - 1.0) : 0.0; }
};
Statistics statistics(const NumberSource& numbers);

/// The counts in bins of equal width between the smallest and the largest finite value.
struct Histogram {
  double low = 0.0;
  double high = 0.0;
  std::vector<int> counts;
};
Histogram histogram(const NumberSource& numbers, int n_bins);

/// A key of one query. Keys are ranked by their weights, the largest first and NaN last, and by position
/// among equal weights.
struct RankedKey {
  int key = 0;
  float weight = 0.0F;
};
std::vector<RankedKey> ranked_keys(const MatrixView& weights, int query);

/// The key with the greatest weight in a row of the head that `place` identifies. Empty if the pass does not
/// have the row at hand, if the mask hides all of it, or if numbers of the pass overflow.
std::optional<RankedKey> strongest_key(const Trace& trace, const StageId& place, int row);

/// The position of a word, “ (5)”, if its sentence contains the word more than once. Empty otherwise.
std::string position_mark(const std::vector<Token>& tokens, int position);

/// The entropy of one row of weights, in nats: −Σ w ln w. NaN if a weight is.
double entropy(const MatrixView& weights, int query);

}  // namespace headscope
