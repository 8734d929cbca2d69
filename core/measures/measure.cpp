#include "core/measures/measure.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "core/trace/place_text.h"

namespace headscope {
namespace {

/// The total weight of the keys that satisfy `is_meant`. Empty if there are none.
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

std::optional<double> entropy_of(const MeasuredRow& row) {
  // If hidden cells have weight, the weights of visible keys do not sum to 1.
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

bool is_previous(const MeasuredRow& row, int key) {
  return key == row.query - 1;
}

bool is_duplicate(const MeasuredRow& row, int key) {
  return key < row.query && same_word(row, key);
}

bool is_induction(const MeasuredRow& row, int key) {
  return key >= 1 && key <= row.query && is_duplicate(row, key - 1);
}

bool is_left_out(const MeasuredRow& row, int key) {
  const DetectorOptions& options = row.text.detector;
  return (options.exclude_bos && key == 0) || (options.exclude_current_token && key == row.query);
}

/// The attention to keys that satisfy `is_meant`, without the cells that the detector excludes.
template <class IsMeant>
double counted_attention(const MeasuredRow& row, const IsMeant& is_meant) {
  double sum = 0.0;
  for (int key = 0; key < n_keys(row); ++key) {
    if (!is_left_out(row, key) && is_meant(key)) sum += static_cast<double>(row.at(key));
  }
  return sum;
}

double attention_of(const MeasuredRow& row) {
  return counted_attention(row, [](int) { return true; });
}

/// Whether a measure is a score with error_measure "mul", whose weight in the mean is attention_of().
bool is_share(HeadMeasure measure) {
  using enum HeadMeasure;
  return measure == previous_mul || measure == duplicate_mul || measure == induction_mul;
}

/// error_measure "mul" of one row, Σ A P / Σ A, or "abs": 1 − Σ |A − P|, whose mean over T rows is 1 − T ·
/// mean |A − P|.
std::optional<double> detector_score(HeadMeasure measure, const MeasuredRow& row,
                                     bool (*in_pattern)(const MeasuredRow&, int)) {
  if (is_share(measure)) {
    const double all = attention_of(row);
    if (all <= 0.0) return std::nullopt;
    return counted_attention(row, [&](int key) { return in_pattern(row, key); }) / all;
  }
  double sum = 0.0;
  for (int key = 0; key < n_keys(row); ++key) {
    if (is_left_out(row, key)) continue;
    sum += std::abs(static_cast<double>(row.at(key)) - (in_pattern(row, key) ? 1.0 : 0.0));
  }
  return 1.0 - sum;
}

}  // namespace

std::string head_name(const HeadIndex& place) {
  return head_label(place.layer, place.head);
}

std::optional<HeadIndex> parse_head_name(std::string_view name) {
  const std::size_t dot = name.find('.');
  if (dot == std::string_view::npos) return std::nullopt;
  const auto number = [](std::string_view text, int& value) {
    const char* end = text.data() + text.size();
    const auto read = std::from_chars(text.data(), end, value);
    return !text.empty() && text.front() != '-' && read.ec == std::errc() && read.ptr == end;
  };
  HeadIndex place;
  const bool is_read = number(name.substr(0, dot), place.layer) && number(name.substr(dot + 1), place.head);
  return is_read ? std::optional(place) : std::nullopt;
}

std::optional<double> measure_row(HeadMeasure measure, const MeasuredRow& row) {
  switch (measure) {
    case HeadMeasure::previous:
      return weight_on(row, row.query - 1);
    case HeadMeasure::next:
      return weight_on(row, row.query + 1 < row.text.n_queries() ? row.query + 1 : -1);
    case HeadMeasure::first:
      return weight_on(row, row.text.is_cross || row.query > 0 ? 0 : -1);
    case HeadMeasure::self:
      return weight_on(row, row.query);
    case HeadMeasure::duplicate:
      return sum_over(row, 0, row.query, [&](int key) { return same_word(row, key); });
    case HeadMeasure::induction:
      return sum_over(row, 1, row.query + 1, [&](int key) { return same_word(row, key - 1); });
    case HeadMeasure::punctuation:
      return sum_over(row, 0, n_keys(row),
                      [&](int key) { return row.text.is_punctuation[static_cast<std::size_t>(key)] != 0U; });
    case HeadMeasure::noun: {
      const auto query = static_cast<std::size_t>(row.query);
      return weight_on(row, query < row.text.nouns.size() ? row.text.nouns[query] : -1);
    }
    case HeadMeasure::entropy:
      return entropy_of(row);
    case HeadMeasure::distance: {
      double sum = 0.0;
      for (int key = 0; key < n_keys(row); ++key)
        sum += static_cast<double>(row.at(key)) * std::abs(row.query - key);
      return sum;
    }
    case HeadMeasure::previous_mul:
    case HeadMeasure::previous_abs:
      return detector_score(measure, row, is_previous);
    case HeadMeasure::duplicate_mul:
    case HeadMeasure::duplicate_abs:
      return detector_score(measure, row, is_duplicate);
    case HeadMeasure::induction_mul:
    case HeadMeasure::induction_abs:
      return detector_score(measure, row, is_induction);
  }
  return std::nullopt;
}

void add_row(const MeasuredRow& row, MeasureSums& sums) {
  for (const MeasureRecord& record : measure_table) {
    const bool counts_all_rows = !record.detector.empty();
    if (!counts_all_rows && row.n_visible < 2) continue;
    if (row.text.is_cross && !record.has_cross) continue;
    const std::optional<double> value = measure_row(record.measure, row);
    if (!value) continue;
    const auto index = static_cast<std::size_t>(record.measure);
    const double weight = is_share(record.measure) ? attention_of(row) : 1.0;
    sums.sum[index] += weight * *value;
    sums.weight[index] += weight;
  }
}

HeadMeasures means_of(const MeasureSums& sums) {
  HeadMeasures means;
  for (std::size_t i = 0; i < n_measures; ++i) {
    if (!(sums.weight[i] <= 0.0)) means[i] = sums.sum[i] / sums.weight[i];
  }
  return means;
}

bool is_nan(const HeadMeasures& values) {
  return std::ranges::any_of(values, [](const auto& value) { return value && std::isnan(*value); });
}

std::optional<StrongestRole> strongest_role(const HeadMeasures& values, double min_value) {
  std::optional<StrongestRole> strongest;
  for (const MeasureRecord& record : measure_table) {
    const std::optional<double> value = value_of(values, record.measure);
    if (!record.is_role || !value || !(*value >= min_value)) continue;
    if (!strongest || *value > strongest->value) strongest = {record.measure, *value};
  }
  return strongest;
}

}  // namespace headscope
