#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "core/enum_count.h"

namespace headscope {

/// Measures of a head's attention weights. Each has a record in measure_table.h.
enum class HeadMeasure {
  previous,
  next,
  first,
  self,
  duplicate,
  induction,
  punctuation,
  noun,
  entropy,
  distance,
  previous_mul,
  duplicate_mul,
  induction_mul,
  previous_abs,
  duplicate_abs,
  induction_abs
};
inline constexpr std::size_t n_measures = enum_count<HeadMeasure>;

/// Cells that TransformerLens's head detector excludes from both attention and pattern.
struct DetectorOptions {
  bool exclude_bos = false;            ///< Excludes the first token as a key
  bool exclude_current_token = false;  ///< Excludes the diagonal
  bool operator==(const DetectorOptions&) const = default;
};

/// The text of a head, as far as measures depend on it.
struct MeasuredText {
  bool is_cross = false;  ///< Whether queries and keys are in different texts
  /// A word id for each query; words with the same lookup text have the same id.
  std::vector<int> words;
  std::vector<std::uint8_t> is_punctuation;  ///< Whether each key is a punctuation mark.
  /// For each query, the key that it refers to (a pronoun's noun), or −1. Empty if unknown.
  std::vector<int> nouns;
  DetectorOptions detector;
  int n_queries() const { return static_cast<int>(words.size()); }
};

/// The weights of one query. Those of hidden keys are 0.
struct MeasuredRow {
  const MeasuredText& text;
  int query = 0;
  std::span<const float> weights;
  /// The number of visible keys. At least 2, except for measures that count all rows.
  int n_visible = 0;

  float at(int key) const {
    const bool is_there = key >= 0 && key < static_cast<int>(weights.size());
    return is_there ? weights[static_cast<std::size_t>(key)] : 0.0F;
  }
};

/// The definition of a measure.
struct MeasureRecord {
  HeadMeasure measure = HeadMeasure::previous;
  std::string_view name = {};     ///< Identifier on the command line and in files: "previous"
  std::string_view title = {};    ///< Display name: "previous token"
  std::string_view tag = {};      ///< Short display name: "prev"
  std::string_view does = {};     ///< What heads with this role do: "looks at the token before"
  std::string_view meaning = {};  ///< A one-sentence explanation
  std::string_view none = {};     ///< Why a text may not have this measure
  /// Whether it is a role: a value from 0 to 1, where 1 means that the head does exactly this. Otherwise it
  /// is just a statistic.
  bool is_role = true;
  bool has_cross = false;  ///< Whether it also applies to cross-attention
  /// Measures one row. Empty if not applicable.
  std::optional<double> (*measure_row)(const MeasuredRow&) = nullptr;
  /// The weight of a row in the mean. If null, all rows that see at least two keys have equal weight.
  double (*row_weight)(const MeasuredRow&) = nullptr;
  /// The corresponding head of TransformerLens's detector, if any.
  std::string_view detector = {};
  /// If the measure may apply to only a few rows, so their number is displayed: what they are ("repeated
  /// token").
  std::string_view rare_rows = {};
};

/// The sums of each measure of a head over the rows that it applies to.
struct MeasureSums {
  std::array<double, n_measures> sum{};
  /// The sum of the row weights.
  std::array<double, n_measures> weight{};
};

/// The mean of each measure over its rows. Empty without rows.
using HeadMeasures = std::array<std::optional<double>, n_measures>;

inline std::optional<double> value_of(const HeadMeasures& values, HeadMeasure measure) {
  return values[static_cast<std::size_t>(measure)];
}

/// Adds one query. A row that sees fewer than two keys counts only in the scores of TransformerLens's
/// detector, which include all rows.
void add_row(const MeasuredRow& row, MeasureSums& sums);

HeadMeasures means_of(const MeasureSums& sums);

/// A role of a head with its value.
struct StrongestRole {
  HeadMeasure measure = HeadMeasure::previous;
  double value = 0.0;
};
/// The minimum value of a role for a head to have it.
inline constexpr double role_threshold = 0.4;

/// Whether any measure is NaN, because weights are.
bool is_nan(const HeadMeasures& values);

/// The role with the maximum value, the first one in the table on ties. Empty if none reaches `min_value`.
std::optional<StrongestRole> strongest_role(const HeadMeasures& values, double min_value = role_threshold);

}  // namespace headscope
