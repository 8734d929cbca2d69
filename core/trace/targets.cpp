#include "core/trace/targets.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace headscope {
namespace {

void add_new(std::vector<int>& words, int word) {
  if (std::ranges::find(words, word) == words.end()) words.push_back(word);
}

}  // namespace

double cross_entropy(std::span<const float> logits, int expected) {
  const double max_logit = *std::ranges::max_element(logits);
  double sum = 0.0;
  for (const float logit : logits) sum += std::exp(static_cast<double>(logit) - max_logit);
  return std::log(sum) + max_logit - static_cast<double>(logits[static_cast<std::size_t>(expected)]);
}

std::vector<int> next_words(const Trace& trace) {
  std::vector<int> expected;
  if (trace.architecture().last_stack() != Stack::decoder) return expected;
  std::vector<std::string> lookups;
  for (const std::string& word : trace.vocabulary()) {
    const auto tokens = tokenize(word, TokenizerKind::word);
    lookups.push_back(tokens.empty() ? "" : tokens.front().lookup);
  }
  const auto column = [&](std::string_view lookup) {
    const auto found = std::ranges::find(lookups, lookup);
    return found == lookups.end() ? -1 : static_cast<int>(found - lookups.begin());
  };
  const std::vector<Token>& tokens = trace.tokens(Stack::decoder);
  for (std::size_t t = 1; t < tokens.size(); ++t) expected.push_back(column(tokens[t].lookup));
  expected.push_back(std::max(column("<eos>"), column("[end]")));
  return expected;
}

Targets targets_of(const Trace& trace, std::span<const int> expected, int max_words) {
  Targets targets;
  const StageId logits{.kind = StageKind::logits};
  const Extent size = trace.extent(logits);
  const int n = std::min(size.rows, static_cast<int>(expected.size()));
  for (int row = 0; row < n; ++row) {
    const int word = expected[static_cast<std::size_t>(row)];
    if (word < 0 || word >= size.cols) continue;
    targets.rows.push_back(row);
    targets.expected.push_back(word);
    targets.losses.push_back(cross_entropy(trace.read_row(logits, row).view.row(0), word));
    targets.mean_loss += targets.losses.back();
    add_new(targets.words, word);
  }
  if (targets.rows.empty()) return targets;
  targets.mean_loss /= static_cast<double>(targets.rows.size());
  if (size.cols <= max_words) {
    targets.words.resize(static_cast<std::size_t>(size.cols));
    std::iota(targets.words.begin(), targets.words.end(), 0);
  }
  for (const int row : targets.rows) {
    if (static_cast<int>(targets.words.size()) >= max_words) break;
    const StageNumbers of_row = trace.read_row(logits, row);
    const auto numbers = of_row.view.row(0);
    add_new(targets.words, static_cast<int>(std::ranges::max_element(numbers) - numbers.begin()));
  }
  const auto n_rows = static_cast<int>(targets.rows.size());
  const auto n_cols = static_cast<int>(targets.words.size());
  targets.one_hot = OwnedMatrix(n_rows, n_cols);
  targets.probabilities = OwnedMatrix(n_rows, n_cols);
  for (int r = 0; r < n_rows; ++r) {
    const auto at = static_cast<std::size_t>(r);
    const StageNumbers probabilities = trace.read_row({.kind = StageKind::probabilities}, targets.rows[at]);
    for (int c = 0; c < n_cols; ++c) {
      const int word = targets.words[static_cast<std::size_t>(c)];
      targets.one_hot.at(r, c) = word == targets.expected[at] ? 1.0F : 0.0F;
      targets.probabilities.at(r, c) = probabilities.view(0, word);
    }
  }
  return targets;
}

}  // namespace headscope
