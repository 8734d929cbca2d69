#include "core/measures/measure.h"

#include <algorithm>
#include <cmath>

#include "core/measures/measure_table.h"

namespace headscope {
namespace {

/// Sums the weights of the keys that `is_meant` names; nothing where there are none.
template <class IsMeant>
std::optional<double> sum_over(const MeasuredRow& row, int first, int end, const IsMeant& is_meant) {
  double sum = 0.0;
  bool is_any = false;
  for (int key = first; key < end; ++key) {
    if (!is_meant(key)) continue;
    is_any = true;
    sum += static_cast<double>(row.at(key));
  }
  return is_any ? std::optional(sum) : std::nullopt;
}

int n_keys(const MeasuredRow& row) {
  return static_cast<int>(row.weights.size());
}

bool same_word(const MeasuredRow& row, int key) {
  const std::vector<int>& words = row.text.words;
  return words[static_cast<std::size_t>(key)] == words[static_cast<std::size_t>(row.query)];
}

std::optional<double> weight_on(const MeasuredRow& row, int key) {
  if (key < 0 || key >= n_keys(row)) return std::nullopt;
  return static_cast<double>(row.at(key));
}

}  // namespace

std::optional<double> previous_of(const MeasuredRow& row) {
  return weight_on(row, row.query - 1);
}

std::optional<double> next_of(const MeasuredRow& row) {
  const bool is_last = row.query + 1 >= row.text.n_queries();
  return is_last ? std::nullopt : weight_on(row, row.query + 1);
}

std::optional<double> first_of(const MeasuredRow& row) {
  const bool is_itself = !row.text.is_cross && row.query == 0;
  return is_itself ? std::nullopt : weight_on(row, 0);
}

std::optional<double> self_of(const MeasuredRow& row) {
  return weight_on(row, row.query);
}

std::optional<double> duplicate_of(const MeasuredRow& row) {
  return sum_over(row, 0, row.query, [&](int key) { return same_word(row, key); });
}

std::optional<double> induction_of(const MeasuredRow& row) {
  return sum_over(row, 1, row.query + 1, [&](int key) { return same_word(row, key - 1); });
}

std::optional<double> punctuation_of(const MeasuredRow& row) {
  const std::vector<std::uint8_t>& marks = row.text.is_punctuation;
  return sum_over(row, 0, n_keys(row), [&](int key) { return marks[static_cast<std::size_t>(key)] != 0U; });
}

std::optional<double> noun_of(const MeasuredRow& row) {
  const std::vector<int>& nouns = row.text.nouns;
  const auto query = static_cast<std::size_t>(row.query);
  return query < nouns.size() ? weight_on(row, nouns[query]) : std::nullopt;
}

std::optional<double> entropy_of(const MeasuredRow& row) {
  // Where hidden cells have a share of the attention, what is left for the others does not sum to 1.
  double sum = 0.0;
  double logs = 0.0;
  for (const float weight : row.weights) {
    const auto w = static_cast<double>(weight);
    if (w <= 0.0) continue;
    sum += w;
    logs += w * std::log(w);
  }
  if (sum <= 0.0) return std::nullopt;
  return std::max(std::log(sum) - logs / sum, 0.0) / std::log(static_cast<double>(row.n_visible));
}

std::optional<double> distance_of(const MeasuredRow& row) {
  double sum = 0.0;
  for (int key = 0; key < n_keys(row); ++key)
    sum += static_cast<double>(row.at(key)) * std::abs(row.query - key);
  return sum;
}

void add_row(const MeasuredRow& row, MeasureSums& sums) {
  if (row.n_visible < 2) return;
  for (const MeasureRecord& record : measure_table) {
    if (row.text.is_cross && !record.has_cross) continue;
    const std::optional<double> value = record.of_row(row);
    if (!value) continue;
    const auto index = static_cast<std::size_t>(record.measure);
    sums.sum[index] += *value;
    ++sums.rows[index];
  }
}

HeadMeasures means_of(const MeasureSums& sums) {
  HeadMeasures means;
  for (std::size_t i = 0; i < n_measures; ++i) {
    if (sums.rows[i] > 0) means[i] = sums.sum[i] / static_cast<double>(sums.rows[i]);
  }
  return means;
}

std::optional<StrongestRole> strongest_role(const HeadMeasures& values, double least) {
  std::optional<StrongestRole> strongest;
  for (const MeasureRecord& record : measure_table) {
    const std::optional<double> value = value_of(values, record.measure);
    if (!record.is_role || !value || *value < least) continue;
    if (!strongest || *value > strongest->value) strongest = {record.measure, *value};
  }
  return strongest;
}

}  // namespace headscope
