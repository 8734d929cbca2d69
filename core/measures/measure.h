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

/// The quantities that can be measured from a head's attention weights. Each has a record in measure_table.h.
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

/// The cells that TransformerLens's head detector leaves out of both the attention and the pattern.
struct DetectorOptions {
  bool exclude_bos = false;            ///< Leaves out attention to the first token.
  bool exclude_current_token = false;  ///< Leaves out the attention of a token to itself.
  bool operator==(const DetectorOptions&) const = default;
};

/// The properties of a head's text that measures depend on.
struct MeasuredText {
  bool is_cross = false;  ///< True if queries and keys belong to different texts.
  /// A number for the word of each query. Words with the same lookup have the same number.
  std::vector<int> words;
  std::vector<std::uint8_t> is_punctuation;  ///< Whether each key is a punctuation mark.
  /// For each query, the index of the key that it stands for (a pronoun's noun), or −1. Empty if unknown.
  std::vector<int> nouns;
  DetectorOptions detector;
  int n_queries() const { return static_cast<int>(words.size()); }
};

/// The weights of one query. Those of hidden keys are 0.
struct MeasuredRow {
  const MeasuredText& text;
  int query = 0;
  std::span<const float> weights;
  /// The number of keys that the mask leaves visible. At least 2, except for measures that count all rows.
  int n_visible = 0;

  float at(int key) const {
    const bool is_there = key >= 0 && key < static_cast<int>(weights.size());
    return is_there ? weights[static_cast<std::size_t>(key)] : 0.0F;
  }
};

/// Everything that the program knows about a measure.
struct MeasureRecord {
  HeadMeasure measure = HeadMeasure::previous;
  std::string_view name = {};     ///< The name on the command line and in files, such as "previous".
  std::string_view title = {};    ///< The name for display, such as "previous token".
  std::string_view tag = {};      ///< The name where there is little room, such as "prev".
  std::string_view does = {};     ///< What a head with this role does, such as "looks at the token before".
  std::string_view meaning = {};  ///< An explanation in one sentence.
  std::string_view none = {};     ///< The reason why a text may have no row with this measure.
  /// True if it ranges from 0 to 1 and names what a head with 1 does, false if it is just a number about the
  /// head.
  bool is_role = true;
  bool has_cross = false;  ///< True if it also has a meaning in cross-attention.
  /// Measures one row. Returns nullopt if the measure has no meaning there.
  std::optional<double> (*of_row)(const MeasuredRow&) = nullptr;
  /// The weight of a row in the mean. If null, all rows that see at least two keys count equally.
  double (*weight_of_row)(const MeasuredRow&) = nullptr;
  /// The head of TransformerLens's detector whose score this is. Empty if TransformerLens has no such score.
  std::string_view detector = {};
  /// What the rows with this measure have in common, where a text may have so few that their number must be
  /// said: "repeated token".
  std::string_view of_few = {};
};

/// The sums for one head over the rows in which each measure has a meaning.
struct MeasureSums {
  std::array<double, n_measures> sum{};
  /// The sum of the rows' weights, which is the number of rows if all count equally.
  std::array<double, n_measures> weight{};
};

/// The mean of each measure over those rows, or nullopt if there were none.
using HeadMeasures = std::array<std::optional<double>, n_measures>;

inline std::optional<double> value_of(const HeadMeasures& values, HeadMeasure measure) {
  return values[static_cast<std::size_t>(measure)];
}

/// Adds one query. A row that sees fewer than two keys has no choice, so it counts only in the scores of
/// TransformerLens's detector, which include all rows.
void add_row(const MeasuredRow& row, MeasureSums& sums);

HeadMeasures means_of(const MeasureSums& sums);

/// A role of a head and its value.
struct StrongestRole {
  HeadMeasure measure = HeadMeasure::previous;
  double value = 0.0;
};
/// A head is said to have a role if the role takes at least this share of its attention.
inline constexpr double role_threshold = 0.4;

/// Whether a measure is NaN, because weights that it was measured on are.
bool is_nan(const HeadMeasures& values);

/// Returns the role with the greatest value, or the first of them in the table if several are equal. Returns
/// nullopt if none reaches `least`.
std::optional<StrongestRole> strongest_role(const HeadMeasures& values, double least = role_threshold);

}  // namespace headscope
