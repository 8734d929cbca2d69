#include "core/trace/summary.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/tensor/descending.h"

namespace headscope {
namespace {

template <class Visit>
void for_each_cell(const NumberSource& numbers, const Visit& visit) {
  const Extent size = numbers.extent();
  const int at_once = rows_at_once(size);
  for (int first = 0; first < size.rows; first += at_once) {
    const int n = std::min(at_once, size.rows - first);
    const StageNumbers some = numbers.read({first, 0, n, size.cols});
    for (int row = 0; row < n; ++row) {
      for (const float number : some.view.row(row)) visit(number);
    }
  }
}

void add_new(std::vector<int>& words, int word) {
  if (std::ranges::find(words, word) == words.end()) words.push_back(word);
}

}  // namespace

Statistics statistics(const NumberSource& numbers) {
  Statistics result;
  double sum = 0.0;
  for_each_cell(numbers, [&](float cell) {
    const double number = cell;
    if (std::isinf(number) && number < 0) ++result.hidden;
    if (!std::isfinite(number)) return;
    result.minimum = result.count == 0 ? number : std::min(result.minimum, number);
    result.maximum = result.count == 0 ? number : std::max(result.maximum, number);
    sum += number;
    ++result.count;
  });
  if (result.count == 0) return result;
  result.mean = sum / result.count;
  double squares = 0.0;
  for_each_cell(numbers, [&](float number) {
    if (!std::isfinite(number)) return;
    const double deviation = static_cast<double>(number) - result.mean;
    squares += deviation * deviation;
  });
  result.variance = squares / result.count;
  return result;
}

Histogram histogram(const NumberSource& numbers, int n_bins) {
  const Statistics range = statistics(numbers);
  Histogram result{range.minimum, range.maximum, {}};
  if (n_bins <= 0) return result;
  result.counts.assign(static_cast<std::size_t>(n_bins), 0);
  const double width = result.high - result.low;
  for_each_cell(numbers, [&](float number) {
    if (!std::isfinite(number)) return;
    const double share = width > 0.0 ? (static_cast<double>(number) - result.low) / width : 0.0;
    const int bin = std::min(n_bins - 1, static_cast<int>(share * n_bins));
    ++result.counts[static_cast<std::size_t>(bin)];
  });
  return result;
}

std::optional<RankedKey> strongest_key(const Trace& trace, const StageId& place, int row) {
  const StageId weights = weights_in_use(trace, place);
  if (!trace.has(weights) || !trace.is_quick_to_read(weights)) return std::nullopt;
  const Extent size = trace.extent(weights);
  if (row < 0 || row >= size.rows || size.cols == 0) return std::nullopt;
  const StageNumbers numbers = trace.read_row(weights, row);
  const auto all = numbers.view.row(0);
  const auto first = std::ranges::min_element(all, Descending{});
  return *first > 0.0F && !trace.overflow()
             ? std::optional(RankedKey{static_cast<int>(first - all.begin()), *first})
             : std::nullopt;
}

std::string position_mark(const std::vector<Token>& tokens, int position) {
  const std::string& text = tokens[static_cast<std::size_t>(position)].text;
  const auto times = std::ranges::count(tokens, text, &Token::text);
  return times > 1 ? " (" + std::to_string(position) + ")" : "";
}

std::vector<RankedKey> ranked_keys(const MatrixView& weights, int query) {
  std::vector<RankedKey> ranked;
  if (query < 0 || query >= weights.rows) return ranked;
  for (const float weight : weights.row(query)) ranked.push_back({static_cast<int>(ranked.size()), weight});
  std::ranges::stable_sort(ranked, Descending{}, &RankedKey::weight);
  return ranked;
}

long long parameter_count(const Trace& trace) {
  long long count = 0;
  for (const StageId& id : trace.graph().stages()) {
    const bool is_tied =
        id.kind == StageKind::w_logits && trace.architecture().output_layer == OutputLayer::tied;
    const bool repeats = trace.architecture().foreign.shares_layers && id.layer > 0;
    if (!info(id.kind).is_parameter() || is_tied || repeats) continue;
    const Extent values = trace.extent(id);
    count += static_cast<long long>(values.rows) * values.cols;
  }
  return count;
}

double entropy(const MatrixView& weights, int query) {
  if (query < 0 || query >= weights.rows) return 0.0;
  double sum = 0.0;
  for (const float cell : weights.row(query)) {
    const double weight = cell;
    if (!(weight <= 0.0)) sum -= weight * std::log(weight);  // NaN must not count as 0
  }
  return sum;
}

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
