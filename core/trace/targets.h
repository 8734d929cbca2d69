#pragma once

#include <span>
#include <vector>

#include "core/trace/trace.h"

namespace headscope {

/// The cross-entropy of one row of logits with the wanted word, in nats: ln Σ e^l − l_wanted, which is −ln of
/// the word's probability (Vaswani et al. 2017, 3.4, and torch.nn.functional.cross_entropy for one row).
double cross_entropy(std::span<const float> logits, int wanted);

/// The targets and predictions of a model, limited to a few words.
struct Targets {
  std::vector<int> rows;       ///< the rows of the logits in which a word is wanted
  std::vector<int> wanted;     ///< the wanted word of each of these rows
  std::vector<int> words;      ///< the columns that are shown: all wanted words, then the most likely others
  std::vector<double> losses;  ///< the loss of each row, in nats
  double mean_loss = 0.0;
  OwnedMatrix one_hot;        ///< [rows, words]
  OwnedMatrix probabilities;  ///< [rows, words] from the softmax over all words
};

/// For each row of a decoder's logits, the column of the word that comes next in its sentence, or −1 if it
/// has no column. After the last word, this is “<eos>” or “[end]”. Empty if no decoder predicts words.
std::vector<int> next_words(const Trace& trace);

/// `wanted` holds the wanted word for each row of the pass's logits, or −1. Likely words are added to the
/// wanted ones until there are `most_words` columns. If there are no more than `most_words` words altogether,
/// all of them are shown in their own order.
Targets targets_of(const Trace& trace, std::span<const int> wanted, int most_words);

}  // namespace headscope
