#pragma once

#include <span>
#include <vector>

#include "core/trace/trace.h"

namespace headscope {

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
