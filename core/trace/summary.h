#pragma once

#include <optional>
#include <span>
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

/// The number of parameters of the pass's model, including its embedding tables. Parameters that several
/// heads or layers, or a tied unembedding, share count once.
long long parameter_count(const Trace& trace);

/// The entropy of one row of weights, in nats: −Σ w ln w. NaN if a weight is.
double entropy(const MatrixView& weights, int query);

/// The cross-entropy of a row of logits in nats: ln Σ e^l − l_expected = −ln p(expected), like
/// torch.nn.functional.cross_entropy.
double cross_entropy(std::span<const float> logits, int expected);

/// Labels and predictions of a model, limited to a few words.
struct Targets {
  std::vector<int> rows;       ///< the rows of the logits that have labels
  std::vector<int> expected;   ///< the label of each of these rows
  std::vector<int> words;      ///< the columns: all labels, then the most likely other words
  std::vector<double> losses;  ///< the loss of each row, in nats
  double mean_loss = 0.0;
  OwnedMatrix one_hot;        ///< [rows, words]
  OwnedMatrix probabilities;  ///< [rows, words] from the softmax over all words
};

/// For each row of a decoder's logits, the column of the next word of the sentence, or −1. After the last
/// word, that is “<eos>” or “[end]”. Empty if no decoder predicts words.
std::vector<int> next_words(const Trace& trace);

/// `expected` holds the label of each row of logits, or −1. Likely words fill up the columns to `max_words`;
/// a vocabulary of at most `max_words` is used entirely, in its own order.
Targets targets_of(const Trace& trace, std::span<const int> expected, int max_words);

}  // namespace headscope
