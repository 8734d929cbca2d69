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

/// What can be measured of a head's attention weights. Each has a record in measure_table.h.
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

/// What TransformerLens's head detector leaves out of attention and pattern.
struct DetectorOptions {
  bool exclude_bos = false;            ///< attention to the first token
  bool exclude_current_token = false;  ///< attention of a token to itself
  bool operator==(const DetectorOptions&) const = default;
};

/// What measures need to know of the text that a head reads.
struct MeasuredText {
  bool is_cross = false;                     ///< queries and keys are of different texts
  std::vector<int> words;                    ///< of the queries, equal where they are looked up alike
  std::vector<std::uint8_t> is_punctuation;  ///< of the keys
  std::vector<int> nouns;  ///< the key that a query stands for, a pronoun's noun; −1: none. Empty: not known
  DetectorOptions detector;
  int n_queries() const { return static_cast<int>(words.size()); }
};

/// One query's weights. Those of hidden keys are 0.
struct MeasuredRow {
  const MeasuredText& text;
  int query = 0;
  std::span<const float> weights;
  int n_visible = 0;  ///< keys that the mask leaves; at least 2, but for measures that count all rows

  float at(int key) const {
    const bool is_there = key >= 0 && key < static_cast<int>(weights.size());
    return is_there ? weights[static_cast<std::size_t>(key)] : 0.0F;
  }
};

/// Everything that the program knows of a measure.
struct MeasureRecord {
  HeadMeasure measure = HeadMeasure::previous;
  std::string_view name = {};     ///< on the command line and in files: "previous"
  std::string_view title = {};    ///< "previous token"
  std::string_view tag = {};      ///< where there is little room: "prev"
  std::string_view does = {};     ///< of a role: "looks at the token before"
  std::string_view meaning = {};  ///< one sentence
  std::string_view none = {};     ///< why a text may have no row of it
  bool is_role = true;            ///< 0 to 1, and what a head with 1 does; else a number about it
  bool has_cross = false;         ///< has a meaning in cross-attention, too
  /// Of one row; nothing where it has no meaning there.
  std::optional<double> (*of_row)(const MeasuredRow&) = nullptr;
  /// How much a row counts in the mean. Null: all alike, of those that see two keys or more.
  double (*weight_of_row)(const MeasuredRow&) = nullptr;
  /// The head of TransformerLens's detector whose score it is; empty: it is a measure of our own.
  std::string_view detector = {};
};

/// Sums over rows that have a meaning, of one head.
struct MeasureSums {
  std::array<double, n_measures> sum{};
  std::array<double, n_measures> weight{};  ///< of the rows: how many, where all count alike
};

/// The mean of each measure over those rows; nothing where there were none.
using HeadMeasures = std::array<std::optional<double>, n_measures>;

inline std::optional<double> value_of(const HeadMeasures& values, HeadMeasure measure) {
  return values[static_cast<std::size_t>(measure)];
}

/// Adds one query. Rows that see fewer than two keys have no choice, and count only in the scores of
/// TransformerLens's detector, which leave out none.
void add_row(const MeasuredRow& row, MeasureSums& sums);

HeadMeasures means_of(const MeasureSums& sums);

/// A role and its number.
struct StrongestRole {
  HeadMeasure measure = HeadMeasure::previous;
  double value = 0.0;
};
/// A head is said to do what takes at least this share of its attention.
inline constexpr double role_threshold = 0.4;

/// The role with the greatest number, the first in the table of several; nothing where none reaches `least`.
std::optional<StrongestRole> strongest_role(const HeadMeasures& values, double least = role_threshold);

}  // namespace headscope
