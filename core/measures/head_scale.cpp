#include "core/measures/head_scale.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "core/measures/measured_heads.h"
#include "core/measures/tiled_head.h"
#include "core/model/positions.h"
#include "core/tensor/random.h"
#include "core/trace/number_source.h"
#include "core/trace/trace.h"

namespace headscope {
namespace {

/// The queries and keys of the raw scores.
std::pair<StageId, StageId> multiplied_rows(const Trace& trace, const StageId& head) {
  const std::vector<StageId> rows = trace.graph().inputs(with_kind(head, StageKind::raw));
  if (rows.empty()) return {with_kind(head, StageKind::query), with_kind(head, StageKind::key)};
  return {rows.front(), rows.back()};
}

/// Rows of raw scores with their position biases.
struct RawRows {
  StageNumbers raw, bias;
  int first = 0;
  double factor = 0.0;  ///< That of the biases if they are scaled like the scores, or 0.
};

RawRows raw_rows(const Trace& trace, const StageId& head, int first, int n) {
  const StageId raw = with_kind(head, StageKind::raw);
  const StageId bias = with_kind(head, StageKind::position_bias);
  const StageWindow window{first, 0, n, trace.extent(raw).cols};
  const ScoreFactors factors = score_factors(trace, head);
  const bool is_scaled = trace.architecture().foreign.disentangled.has_value();
  return {trace.read(raw, window), trace.has(bias) ? trace.read(bias, window) : StageNumbers{}, first,
          !is_scaled           ? 0.0
          : factors.is_divided ? factors.divided
                               : factors.undivided};
}

SoftmaxRow softmax_of(const Trace& trace, const StageId& head, const RawRows& rows, int row, double factor,
                      double sink) {
  const CombinedMask& mask = trace.mask(head);
  const auto cap = static_cast<double>(trace.architecture().softcap);
  const int query = rows.first + row;
  const auto raw = rows.raw.view.row(row);
  std::vector<double> scores(raw.size());
  for (std::size_t key = 0; key < raw.size(); ++key) {
    const auto at = static_cast<int>(key);
    if (!mask.is_visible(head.head, query, at)) {
      scores[key] = static_cast<double>(mask.value);
      continue;
    }
    double score = static_cast<double>(raw[key]) * factor;
    if (cap > 0.0) score = cap * std::tanh(score / cap);
    if (!rows.bias.view.empty())
      score +=
          static_cast<double>(rows.bias.view(row, at)) * (rows.factor > 0.0 ? factor / rows.factor : 1.0);
    scores[key] = score + static_cast<double>(mask.addend(head.head, query, at));
  }
  return softmax_row(std::move(scores), sink);
}

double variance_of(const Trace& trace, const StageId& stage, int n_rows) {
  const Extent extent = trace.extent(stage);
  const int at_once = rows_at_once(extent);
  VarianceSums sums;
  for (int first = 0; first < std::min(n_rows, extent.rows); first += at_once) {
    const int n = std::min(at_once, std::min(n_rows, extent.rows) - first);
    const StageNumbers block = trace.read(stage, {first, 0, n, extent.cols});
    for (int row = 0; row < n; ++row) {
      for (const float number : block.view.row(row)) sums.add(static_cast<double>(number));
    }
  }
  return sums.variance();
}

/// Sums over rows of scores: of their numbers, and of their softmax with the division and without it.
struct ScoreSums {
  VarianceSums raw;
  SoftmaxMeans divided, undivided;
  int n_rows = 0;
};

void add(const SoftmaxRow& row, SoftmaxMeans& sums) {
  sums.norm += jacobian_norm(row);
  sums.greatest += max_weight(row);
  sums.entropy += entropy_of(row);
}

SoftmaxMeans means_over(int n_rows, const SoftmaxMeans& sums) {
  const double n = std::max(n_rows, 1);
  return {sums.norm / n, sums.greatest / n, sums.entropy / n};
}

void add_row_of_head(const Trace& trace, const StageId& head, const RawRows& rows, int row,
                     const ScoreFactors& factors, double sink, ScoreSums& sums) {
  const CombinedMask& mask = trace.mask(head);
  int n_visible = 0;
  for (int key = 0; key < rows.raw.view.cols; ++key) {
    if (!mask.sees(head.head, rows.first + row, key)) continue;
    ++n_visible;
    sums.raw.add(static_cast<double>(rows.raw.view(row, key)));
  }
  // A single visible key has all the weight, apart from a sink.
  if (n_visible < (std::isfinite(sink) ? 1 : 2)) return;
  add(softmax_of(trace, head, rows, row, factors.divided, sink), sums.divided);
  add(softmax_of(trace, head, rows, row, factors.undivided, sink), sums.undivided);
  ++sums.n_rows;
}

/// The number of queries that share their keys, since drawing keys dominates the time. Grows with the number
/// of keys per row, such that there are at least `random_rows` distinct keys; fewer would distort the
/// measured variance.
int queries_of_a_draw(int n_keys) {
  constexpr int keys_for_a_query = 4;
  constexpr int max_queries = 16;
  return static_cast<int>(
      std::bit_floor(static_cast<unsigned>(std::clamp(n_keys / keys_for_a_query, 1, max_queries))));
}

std::vector<float> drawn_rows(RandomStream& random, int n) {
  std::vector<float> numbers(static_cast<std::size_t>(n) * static_cast<std::size_t>(max_product_width));
  random.fill_normal(numbers, 1.0F);
  return numbers;
}

void add_products(const std::vector<double>& products, int width, ScoreSums& sums) {
  std::vector<double> scaled = products;
  const double root = std::sqrt(static_cast<double>(width));
  for (const double product : products) sums.raw.add(product);
  for (double& score : scaled) score /= root;
  add(softmax_row(std::move(scaled)), sums.divided);
  add(softmax_row(products), sums.undivided);
  ++sums.n_rows;
}

/// Adds the products of a query with all keys, extending them from each width to the next.
void add_query(const float* query, const std::vector<float>& keys, std::map<int, ScoreSums>& sums) {
  constexpr auto stride = static_cast<std::size_t>(max_product_width);
  std::vector<double> products(keys.size() / stride, 0.0);
  int from = 0;
  for (auto& [width, of_width] : sums) {
    for (std::size_t key = 0; key < products.size(); ++key) {
      const float* numbers = keys.data() + key * stride;
      for (int d = from; d < width; ++d)
        products[key] += static_cast<double>(query[d]) * static_cast<double>(numbers[d]);
    }
    from = width;
    add_products(products, width, of_width);
  }
}

}  // namespace

SoftmaxRow softmax_row(std::vector<double> scores, double sink) {
  SoftmaxRow row;
  row.weights.assign(scores.size(), 0.0);
  double maximum = sink;
  for (const double score : scores) maximum = std::max(maximum, score);
  if (std::isfinite(maximum)) {
    row.sink = std::exp(sink - maximum);
    double sum = row.sink;
    for (std::size_t i = 0; i < scores.size(); ++i) sum += row.weights[i] = std::exp(scores[i] - maximum);
    for (double& weight : row.weights) weight /= sum;
    row.sink /= sum;
  }
  row.scores = std::move(scores);
  return row;
}

double jacobian_cell(const SoftmaxRow& row, int weight, int score) {
  const double p = row.weights[static_cast<std::size_t>(weight)];
  return p * ((weight == score ? 1.0 : 0.0) - row.weights[static_cast<std::size_t>(score)]);
}

double jacobian_norm(const SoftmaxRow& row) {
  if (row.weights.empty()) return 0.0;
  const auto greatest = std::ranges::max_element(row.weights);
  // Sum the other weights instead of subtracting from 1, which would cancel near one-hot rows.
  double others = row.sink;
  double squares = 0.0;
  double fourths = 0.0;
  double diagonal = 0.0;
  for (auto each = row.weights.begin(); each != row.weights.end(); ++each) {
    if (each == greatest) continue;
    const double square = *each * *each;
    others += *each;
    squares += square;
    fourths += square * square;
    diagonal += square * (1.0 - *each) * (1.0 - *each);
  }
  const double square = *greatest * *greatest;
  diagonal += square * others * others;
  return std::sqrt(diagonal + 2.0 * square * squares + std::max(squares * squares - fourths, 0.0));
}

double entropy_of(const SoftmaxRow& row) {
  const auto term = [](double p) { return p > 0.0 ? -p * std::log(p) : 0.0; };
  double entropy = term(row.sink);
  for (const double p : row.weights) entropy += term(p);
  return entropy;
}

double max_weight(const SoftmaxRow& row) {
  return row.weights.empty() ? 0.0 : *std::ranges::max_element(row.weights);
}

void VarianceSums::add(double number) {
  ++n_;
  const double from_mean = number - mean_;
  mean_ += from_mean / static_cast<double>(n_);
  squares_ += from_mean * (number - mean_);
}

ScoreFactors score_factors(const Trace& trace, const StageId& head) {
  const Architecture& a = trace.architecture();
  const auto temperature = static_cast<double>(trace.options().temperature);
  ScoreFactors factors;
  factors.width = trace.extent(multiplied_rows(trace, head).first).cols;
  if (factors.width == 0) factors.width = a.head_width(head.layer);
  factors.has_own_scale = a.score_scale > 0.0F;
  factors.yarn = score_amplitude(a, head.attention, head.layer);
  factors.divided = factors.yarn *
                    (factors.has_own_scale ? static_cast<double>(a.score_scale)
                                           : 1.0 / std::sqrt(static_cast<double>(factors.width))) /
                    temperature;
  factors.undivided = factors.yarn / temperature;
  factors.is_divided = trace.options().scale;
  return factors;
}

std::vector<SoftmaxRow> softmax_rows(const Trace& trace, const StageId& head, int first, int n,
                                     double factor) {
  const RawRows rows = raw_rows(trace, head, first, n);
  const double sink = sink_score(trace, head);
  std::vector<SoftmaxRow> found;
  found.reserve(static_cast<std::size_t>(n));
  for (int row = 0; row < n; ++row) found.push_back(softmax_of(trace, head, rows, row, factor, sink));
  return found;
}

HeadScale head_scale(const Trace& trace, const StageId& head, int max_rows) {
  const ScoreFactors factors = score_factors(trace, head);
  const MeasuredText text = measured_text(trace, head);
  const int n = text.n_queries();
  const int step = std::max((n + max_rows - 1) / std::max(max_rows, 1), 1);
  const double sink = sink_score(trace, head);
  ScoreSums sums;
  // Read consecutive rows together.
  const int at_once = step > 1 ? 1 : rows_at_once(trace.extent(with_kind(head, StageKind::raw)));
  for (int first = 0; first < n; first += step * at_once) {
    const RawRows rows = raw_rows(trace, head, first, std::min(at_once, n - first));
    for (int row = 0; row < rows.raw.view.rows; ++row)
      add_row_of_head(trace, head, rows, row, factors, sink, sums);
  }
  HeadScale found{head,
                  means_over(sums.n_rows, sums.divided),
                  means_over(sums.n_rows, sums.undivided),
                  sums.raw.variance(),
                  0.0,
                  0.0,
                  sums.n_rows};
  const auto [query, key] = multiplied_rows(trace, head);
  found.query_variance = variance_of(trace, query, n);
  found.key_variance = variance_of(trace, key, static_cast<int>(text.is_punctuation.size()));
  return found;
}

std::optional<ScaleGain> most_affected_query(const Trace& trace, const StageId& head, int shown) {
  constexpr int max_queries = 64;
  constexpr double little = 0.05;
  constexpr double much = 0.1;
  const int n = trace.extent(head).rows;
  const ScoreFactors factors = score_factors(trace, head);
  if (n > max_queries || shown >= n || factors.has_own_scale) return std::nullopt;
  const std::vector<SoftmaxRow> divided = softmax_rows(trace, head, 0, n, factors.divided);
  const std::vector<SoftmaxRow> undivided = softmax_rows(trace, head, 0, n, factors.undivided);
  const auto gain = [&](int query) {
    const auto row = static_cast<std::size_t>(query);
    return ScaleGain{query, max_weight(divided[row]), max_weight(undivided[row])};
  };
  const auto size_of = [](const ScaleGain& of_row) { return of_row.undivided - of_row.divided; };
  if (size_of(gain(shown)) >= little) return std::nullopt;
  ScaleGain best = gain(0);
  for (int query = 1; query < n; ++query) {
    if (const ScaleGain each = gain(query); size_of(each) > size_of(best)) best = each;
  }
  return size_of(best) < much ? std::nullopt : std::optional(best);
}

Slices<std::vector<RandomProducts>> random_products(int n_keys, int own_width) {
  constexpr std::uint64_t seed = 1;
  RandomStream random(seed, "queries and " + std::to_string(n_keys) + " keys");
  std::map<int, ScoreSums> sums{{std::min(own_width, max_product_width), {}}};
  for (int width = 1; width <= max_product_width; width *= 2) sums[width] = {};
  const int n_queries = queries_of_a_draw(n_keys);
  for (int row = 0; row < random_rows; row += n_queries) {
    const std::vector<float> keys = drawn_rows(random, n_keys);
    const std::vector<float> queries = drawn_rows(random, n_queries);
    for (int q = 0; q < n_queries; ++q)
      add_query(queries.data() + static_cast<std::ptrdiff_t>(q) * max_product_width, keys, sums);
    co_yield static_cast<double>(row) / random_rows;
  }
  std::vector<RandomProducts> found;
  found.reserve(sums.size());
  for (auto& [width, of_width] : sums) {
    found.push_back({width, of_width.raw.variance(), means_over(of_width.n_rows, of_width.divided),
                     means_over(of_width.n_rows, of_width.undivided)});
  }
  co_return found;
}

}  // namespace headscope
