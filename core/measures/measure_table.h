#pragma once

#include <array>
#include <span>

#include "core/measures/measure.h"

namespace headscope {

std::optional<double> previous_of(const MeasuredRow& row);
std::optional<double> next_of(const MeasuredRow& row);
std::optional<double> first_of(const MeasuredRow& row);
std::optional<double> self_of(const MeasuredRow& row);
std::optional<double> duplicate_of(const MeasuredRow& row);
std::optional<double> induction_of(const MeasuredRow& row);
std::optional<double> punctuation_of(const MeasuredRow& row);
std::optional<double> noun_of(const MeasuredRow& row);
std::optional<double> entropy_of(const MeasuredRow& row);
std::optional<double> distance_of(const MeasuredRow& row);
std::optional<double> previous_mul_of(const MeasuredRow& row);
std::optional<double> duplicate_mul_of(const MeasuredRow& row);
std::optional<double> induction_mul_of(const MeasuredRow& row);
std::optional<double> previous_abs_of(const MeasuredRow& row);
std::optional<double> duplicate_abs_of(const MeasuredRow& row);
std::optional<double> induction_abs_of(const MeasuredRow& row);
/// Σ of the weights that the detector includes.
double attention_of_row(const MeasuredRow& row);
double one_of_row(const MeasuredRow& row);

/// The previous, duplicate and induction patterns are those of TransformerLens's head detector (Nanda and
/// Bloom 2022), with induction as in Olsson et al. 2022, "In-context Learning and Induction Heads"; attention
/// to the first token is as in Xiao et al. 2023, "Efficient Streaming Language Models with Attention Sinks".
/// The first ten measures are means over rows that see at least two keys. The others are the detector's own
/// scores under its names: those of detect_head() in transformer_lens/head_detector.py with error_measure
/// "mul" and "abs".
inline constexpr std::array<MeasureRecord, n_measures> measure_table{{
    {HeadMeasure::previous, "previous", "previous token", "→ prev", "looks at the token before",
     "The weight on the token before the query, averaged over the tokens after the first that see two keys or more",
     "the text has a single token", true, false, previous_of},
    {HeadMeasure::next, "next", "next token", "→ next", "looks at the token after",
     "The weight on the token after the query, averaged over the tokens before the last that see two keys or more; 0 where a mask hides it",
     "the text has a single token", true, false, next_of},
    {HeadMeasure::first, "first", "first token", "→ 1st", "looks at the first token",
     "The weight on the first token, where heads with nothing to do often look, averaged over all other tokens that see two keys or more",
     "the text has a single token", true, true, first_of},
    {HeadMeasure::self, "self", "same token", "→ self", "looks at the token itself",
     "The weight on the query itself: the map's diagonal, averaged over all tokens that see two keys or more",
     "the text has a single token", true, false, self_of},
    {HeadMeasure::duplicate, "duplicate", "duplicate token", "→ dupl",
     "looks at earlier occurrences of the same word",
     "The weight on earlier occurrences of the same word, averaged over the words that have one and see two keys or more",
     "no word occurs twice", true, false, duplicate_of, nullptr, "", "repeated token"},
    {HeadMeasure::induction, "induction", "induction", "induction",
     "looks at what came after earlier occurrences of the same word",
     "The weight on the tokens that came after earlier occurrences of the same word, averaged over the words that have one and see two keys or more: such a head finds what is likely to follow",
     "no word occurs twice", true, false, induction_of, nullptr, "", "repeated token"},
    {HeadMeasure::punctuation, "punctuation", "punctuation", "→ punc", "looks at punctuation",
     "The weight on all punctuation marks together, averaged over all tokens that see two keys or more",
     "there is no punctuation", true, true, punctuation_of},
    {HeadMeasure::noun, "noun", "pronoun → noun", "→ noun",
     "looks from a pronoun at the noun that it stands for",
     "The weight from a pronoun on the noun that it stands for, averaged over the pronouns whose noun the task knows, and that see two keys or more",
     "there is no pronoun whose noun is known", true, false, noun_of},
    {HeadMeasure::entropy, "entropy", "entropy", "entr", "",
     "How evenly the attention is spread: −Σ w ln w over the keys, divided by the ln of the number of visible keys. 0: all on one key, 1: the same on each; averaged over all tokens that see two keys or more. Where a sink or hidden cells take a share, w are the weights of the visible keys divided by their sum",
     "no token sees two keys", false, true, entropy_of},
    {HeadMeasure::distance, "distance", "mean distance", "dist", "",
     "How many tokens away the query looks: the mean of |query − key|, weighted by the attention, averaged over all tokens that see two keys or more",
     "no token sees two keys", false, false, distance_of},
    {HeadMeasure::previous_mul, "previous_token_head-mul", "previous_token_head (mul)", "p mul", "",
     "TransformerLens's detect_head with error_measure mul: the share of all attention that goes to the token before, Σ A P / Σ A over all tokens",
     "no counted token gets any attention", false, false, previous_mul_of, attention_of_row,
     "previous_token_head"},
    {HeadMeasure::duplicate_mul, "duplicate_token_head-mul", "duplicate_token_head (mul)", "d mul", "",
     "TransformerLens's detect_head with error_measure mul: the share of all attention that goes to earlier occurrences of the same word, Σ A P / Σ A over all tokens, including those that have none",
     "no counted token gets any attention", false, false, duplicate_mul_of, attention_of_row,
     "duplicate_token_head"},
    {HeadMeasure::induction_mul, "induction_head-mul", "induction_head (mul)", "i mul", "",
     "TransformerLens's detect_head with error_measure mul: the share of all attention that goes to what came after earlier occurrences of the same word, Σ A P / Σ A over all tokens, including those that have none",
     "no counted token gets any attention", false, false, induction_mul_of, attention_of_row,
     "induction_head"},
    {HeadMeasure::previous_abs, "previous_token_head-abs", "previous_token_head (abs)", "p abs", "",
     "TransformerLens's detect_head with error_measure abs: 1 − Σ |A − P| / T over all T tokens, where P is 1 at the token before and 0 elsewhere. TransformerLens rounds it to three decimals",
     "there are no tokens", false, false, previous_abs_of, one_of_row, "previous_token_head"},
    {HeadMeasure::duplicate_abs, "duplicate_token_head-abs", "duplicate_token_head (abs)", "d abs", "",
     "TransformerLens's detect_head with error_measure abs: 1 − Σ |A − P| / T over all T tokens, where P is 1 at every earlier occurrence of the same word. TransformerLens rounds it to three decimals",
     "there are no tokens", false, false, duplicate_abs_of, one_of_row, "duplicate_token_head"},
    {HeadMeasure::induction_abs, "induction_head-abs", "induction_head (abs)", "i abs", "",
     "TransformerLens's detect_head with error_measure abs: 1 − Σ |A − P| / T over all T tokens, where P is 1 at what came after every earlier occurrence of the same word. TransformerLens rounds it to three decimals",
     "there are no tokens", false, false, induction_abs_of, one_of_row, "induction_head"},
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
