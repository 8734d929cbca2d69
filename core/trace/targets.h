#pragma once

#include <span>
#include <vector>

#include "core/trace/trace.h"

namespace headscope {

/// Cross-entropy in nats of one row of logits against the word that is wanted there: ln Σ e^l − l_wanted,
/// which is −ln of its probability (Vaswani et al. 2017, 3.4, and torch.nn.functional.cross_entropy of one
/// row).
double cross_entropy(std::span<const float> logits, int wanted);

/// Targets and predictions of a model, over a few of the words.
struct Targets {
  std::vector<int> rows;       ///< of the logits: those where a word is wanted
  std::vector<int> wanted;     ///< the word of each
  std::vector<int> words;      ///< the columns that are shown: all that are wanted, then the likeliest others
  std::vector<double> losses;  ///< of each row, nats
  double mean_loss = 0.0;
  OwnedMatrix one_hot;        ///< [rows, words]
  OwnedMatrix probabilities;  ///< [rows, words], of the softmax over all words
};

/// For each row of a decoder's logits the word that comes next in its sentence, as a column of the logits; −1
/// if that is none of them. After the last word it is “<eos>” or “[end]”. Empty where no decoder predicts.
std::vector<int> next_words(const Trace& trace);

/// `wanted`: for each row of the pass's logits the word wanted there, or −1. Likely words beside those that
/// are wanted are added up to `most_words` columns; where there are no more words than these, all of them
/// stand in their own order.
Targets targets_of(const Trace& trace, std::span<const int> wanted, int most_words);

}  // namespace headscope
