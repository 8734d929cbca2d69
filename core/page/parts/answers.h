#pragma once

#include <string>
#include <vector>

#include "core/page/parts/page_text.h"

namespace headscope {

/// Whether the model predicts the word at a token, as trained encoders do, or the word after it.
bool fills_in(const Trace& trace);

/// How much a token of the last stack surprised the model: −log₂ of the probability that it gave the token
/// after those before it, in bits (Hale 2001, "A probabilistic Earley parser as a psycholinguistic model").
/// Empty for the first token, for models that do not predict next words, and if numbers of the pass overflow.
std::optional<double> surprise(const Trace& trace, int token);
/// The surprise of every token of the last stack. Empty if no token has one, or if reading the probabilities
/// of all words after all tokens would hold up a frame.
std::vector<std::optional<double>> surprises(const Trace& trace);

/// A word in quotation marks, as pictures show it, without the space with which a piece may begin.
std::string quoted_word(const std::string& word);

/// The heading for the words predicted at a row of the logits: “The model's answer for “it””, “After “the””.
std::string prediction_heading(const Trace& trace, int position);

/// Whether the words that the model does not know are together likelier than any that it knows.
bool answers_unknown(const Trace& trace, int position);

/// Whether a list of words has one common entry for all words that the model does not know.
enum class UnknownWords { listed, left_out };

/// Adds the likeliest words at a row of the logits as bars with their probabilities. Beyond the first five,
/// words with less than 0.0005 are added up.
/// `label_width` is the least width of the words, which makes the bars of several lists equally long.
void ranked_words(PageText& page, const PageInputs& in, int position, std::size_t most,
                  UnknownWords unknown = UnknownWords::listed, float label_width = 0.0F);
/// The width of the words that ranked_words() lists.
float ranked_words_width(const PageInputs& in, int position, std::size_t most, const MeasureText& measure);

/// Adds the likeliest words at a row of the logits, each with the probability that the session's sampling
/// draws it. Words that it cuts off are marked.
void drawn_words(PageText& page, const PageInputs& in, int position, std::size_t most);

/// How many words of the first sentence a model does not know, of all words but punctuation. Both are 0 for a
/// model that was trained on none of the tasks, and for very long texts.
struct WordCount {
  int unknown = 0, all = 0;
};
WordCount count_words(const Trace& trace, const TrainedModel& model);
/// Says how many words are unknown: “8 of 12 words are unknown to this model, which knows 5,101 English
/// words.” Empty if it knows all.
std::string unknown_words_text(const Trace& trace, const TrainedModel& model);

/// Adds notes below the words if they apply: the row lies outside what the model learned, or the selected
/// head looks most at a word other than the model's answer.
void answer_notes(PageText& page, const PageInputs& in, PageTools& tools, int position);

}  // namespace headscope
