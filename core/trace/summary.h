#pragma once

#include <vector>

#include "core/trace/number_source.h"
#include "core/trace/trace.h"

namespace headscope {

/// Mean, variance (population: divided by n) and range over the finite cells of a stage.
struct Statistics {
  int count = 0;   ///< finite cells
  int hidden = 0;  ///< −∞ cells
  double mean = 0.0;
  double variance = 0.0;
  double minimum = 0.0;
  double maximum = 0.0;

  /// Divided by n − 1, as torch.var() and numpy's ddof=1 do; 0 where there are fewer than two cells.
  double sample_variance() const { return count > 1 ? variance * count / (count - 1.0) : 0.0; }
};
Statistics statistics(const NumberSource& numbers);

/// Equal-width counts between the least and the greatest finite value.
struct Histogram {
  double low = 0.0;
  double high = 0.0;
  std::vector<int> counts;
};
Histogram histogram(const NumberSource& numbers, int n_bins);

/// The weights that a head's output is made of: those after dropout, if there is any.
StageId weights_in_use(const Trace& trace, StageId place);

/// Keys of one query, the greatest weight first; ties by position.
struct RankedKey {
  int key = 0;
  float weight = 0.0F;
};
std::vector<RankedKey> ranked_keys(const MatrixView& weights, int query);

/// “ (5)”, its position, where a sentence has the same word more than once; empty where it has it once.
std::string position_mark(const std::vector<Token>& tokens, int position);

/// Entropy in nats of one row of weights: −Σ w ln w.
double entropy(const MatrixView& weights, int query);

}  // namespace headscope
