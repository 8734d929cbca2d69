#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/enum_count.h"

namespace headscope {

/// A head of a given stack and attention.
struct HeadIndex {
  int layer = 0;
  int head = 0;
  auto operator<=>(const HeadIndex&) const = default;  // NOLINT(modernize-use-nullptr): clang-tidy 14 errs
};

/// Formats layer 1, head 2 as "1.2". parse_head_name() is the inverse.
std::string head_name(const HeadIndex& place);
std::optional<HeadIndex> parse_head_name(std::string_view name);

/// Measures of a head's attention weights. Each has a record in `measure_table`.
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
  /// The corresponding head of TransformerLens's detector, whose scores count all rows. Empty for measures
  /// over rows that see at least two keys.
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

/// A measure of one row. Empty if not applicable.
std::optional<double> measure_row(HeadMeasure measure, const MeasuredRow& row);

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

/// The text that heads are measured on: the sentence, repeated random words, or held-out sentences of the
/// task.
enum class MeasuredOn { sentence, random, task };

/// The map that combines several heads.
enum class Combine { none, mean, max, rollout };

/// How the heads page sorts, filters and combines heads.
struct HeadsOptions {
  /// The measure to sort by, descending. If unset, in model order.
  std::optional<HeadMeasure> sorted_by;
  /// Hides heads whose value of `sorted_by`, or else of their strongest role, is below this.
  float min_value = 0.0F;
  MeasuredOn measured_on = MeasuredOn::sentence;
  Combine combine = Combine::none;  ///< Replaces the map of the selected head
  DetectorOptions detector;         ///< Options of TransformerLens's head detector
  bool operator==(const HeadsOptions&) const = default;
};

/// The previous, duplicate and induction patterns are those of TransformerLens's head detector (Nanda and
/// Bloom 2022), with induction as in Olsson et al. 2022, "In-context Learning and Induction Heads"; attention
/// to the first token is as in Xiao et al. 2023, "Efficient Streaming Language Models with Attention Sinks".
/// The first ten measures are means over rows that see at least two keys. The others are the detector's own
/// scores under its names: those of detect_head() in transformer_lens/head_detector.py with error_measure
/// "mul" and "abs".
inline constexpr std::array<MeasureRecord, n_measures> measure_table{{
    {HeadMeasure::previous, "previous", "previous token", "→ prev", "looks at the token before",
     "The weight on the token before the query, averaged over the tokens after the first that see two keys or more",
     "the text has a single token", true, false},
    {HeadMeasure::next, "next", "next token", "→ next", "looks at the token after",
     "The weight on the token after the query, averaged over the tokens before the last that see two keys or more; 0 where a mask hides it",
     "the text has a single token", true, false},
    {HeadMeasure::first, "first", "first token", "→ 1st", "looks at the first token",
     "The weight on the first token, where heads with nothing to do often look, averaged over all other tokens that see two keys or more",
     "the text has a single token", true, true},
    {HeadMeasure::self, "self", "same token", "→ self", "looks at the token itself",
     "The weight on the query itself: the map's diagonal, averaged over all tokens that see two keys or more",
     "the text has a single token", true, false},
    {HeadMeasure::duplicate, "duplicate", "duplicate token", "→ dupl",
     "looks at earlier occurrences of the same word",
     "The weight on earlier occurrences of the same word, averaged over the words that have one and see two keys or more",
     "no word occurs twice", true, false, "", "repeated token"},
    {HeadMeasure::induction, "induction", "induction", "induction",
     "looks at what came after earlier occurrences of the same word",
     "The weight on the tokens that came after earlier occurrences of the same word, averaged over the words that have one and see two keys or more: such a head finds what is likely to follow",
     "no word occurs twice", true, false, "", "repeated token"},
    {HeadMeasure::punctuation, "punctuation", "punctuation", "→ punc", "looks at punctuation",
     "The weight on all punctuation marks together, averaged over all tokens that see two keys or more",
     "there is no punctuation", true, true},
    {HeadMeasure::noun, "noun", "pronoun → noun", "→ noun",
     "looks from a pronoun at the noun that it stands for",
     "The weight from a pronoun on the noun that it stands for, averaged over the pronouns whose noun the task knows, and that see two keys or more",
     "there is no pronoun whose noun is known", true, false},
    {HeadMeasure::entropy, "entropy", "entropy", "entr", "",
     "How evenly the attention is spread: −Σ w ln w over the keys, divided by the ln of the number of visible keys. 0: all on one key, 1: the same on each; averaged over all tokens that see two keys or more. Where a sink or hidden cells take a share, w are the weights of the visible keys divided by their sum",
     "no token sees two keys", false, true},
    {HeadMeasure::distance, "distance", "mean distance", "dist", "",
     "How many tokens away the query looks: the mean of |query − key|, weighted by the attention, averaged over all tokens that see two keys or more",
     "no token sees two keys", false, false},
    {HeadMeasure::previous_mul, "previous_token_head-mul", "previous_token_head (mul)", "p mul", "",
     "TransformerLens's detect_head with error_measure mul: the share of all attention that goes to the token before, Σ A P / Σ A over all tokens",
     "no counted token gets any attention", false, false, "previous_token_head"},
    {HeadMeasure::duplicate_mul, "duplicate_token_head-mul", "duplicate_token_head (mul)", "d mul", "",
     "TransformerLens's detect_head with error_measure mul: the share of all attention that goes to earlier occurrences of the same word, Σ A P / Σ A over all tokens, including those that have none",
     "no counted token gets any attention", false, false, "duplicate_token_head"},
    {HeadMeasure::induction_mul, "induction_head-mul", "induction_head (mul)", "i mul", "",
     "TransformerLens's detect_head with error_measure mul: the share of all attention that goes to what came after earlier occurrences of the same word, Σ A P / Σ A over all tokens, including those that have none",
     "no counted token gets any attention", false, false, "induction_head"},
    {HeadMeasure::previous_abs, "previous_token_head-abs", "previous_token_head (abs)", "p abs", "",
     "TransformerLens's detect_head with error_measure abs: 1 − Σ |A − P| / T over all T tokens, where P is 1 at the token before and 0 elsewhere. TransformerLens rounds it to three decimals",
     "there are no tokens", false, false, "previous_token_head"},
    {HeadMeasure::duplicate_abs, "duplicate_token_head-abs", "duplicate_token_head (abs)", "d abs", "",
     "TransformerLens's detect_head with error_measure abs: 1 − Σ |A − P| / T over all T tokens, where P is 1 at every earlier occurrence of the same word. TransformerLens rounds it to three decimals",
     "there are no tokens", false, false, "duplicate_token_head"},
    {HeadMeasure::induction_abs, "induction_head-abs", "induction_head (abs)", "i abs", "",
     "TransformerLens's detect_head with error_measure abs: 1 − Σ |A − P| / T over all T tokens, where P is 1 at what came after every earlier occurrence of the same word. TransformerLens rounds it to three decimals",
     "there are no tokens", false, false, "induction_head"},
}};

constexpr const MeasureRecord& record_of(HeadMeasure measure) {
  return measure_table[static_cast<std::size_t>(measure)];
}

consteval bool measures_are_in_order() {
  for (std::size_t i = 0; i < n_measures; ++i) {
    const MeasureRecord& each = measure_table[i];
    const bool is_complete = !each.name.empty() && !each.tag.empty() && !each.meaning.empty() &&
                             !each.none.empty() && each.does.empty() != each.is_role;
    if (static_cast<std::size_t>(each.measure) != i || !is_complete) return false;
  }
  return true;
}
static_assert(measures_are_in_order(), "one complete record for each measure, in their order");

}  // namespace headscope
