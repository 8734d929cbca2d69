#pragma once

#include <string>
#include <vector>

#include "core/page/parts/page_builder.h"

namespace headscope {

/// Whether the model predicts the word at a token, as trained encoders do, or the word after it.
bool predicts_masked_words(const Trace& trace);

/// The surprisal of a token of the last stack, in bits: −log₂ of its probability after the tokens before it
/// (Hale 2001, "A probabilistic Earley parser as a psycholinguistic model"). Empty for the first token, for
/// models that do not predict next words, and if numbers of the pass overflow.
std::optional<double> surprise(const Trace& trace, int token);
/// The surprisal of every token of the last stack. Empty if no token has one, or if reading all probabilities
/// would delay a frame.
std::vector<std::optional<double>> surprises(const Trace& trace);

/// The heading for the words predicted at a row of the logits: “The model's answer for “it””, “After “the””.
std::string prediction_heading(const Trace& trace, int position);

/// Whether unknown words are together likelier than any known word.
bool answers_unknown(const Trace& trace, int position);

/// Whether a list of words has an entry for all unknown words together.
enum class UnknownWords { listed, left_out };

/// Adds the likeliest words at a row of the logits as bars with their probabilities. Beyond the first five,
/// words below 0.0005 are combined. `label_width` is the minimum width of the words, which aligns the bars of
/// several lists.
void add_ranked_words(PageBuilder& page, const PageInputs& in, int position, std::size_t max_words,
                      UnknownWords unknown = UnknownWords::listed, float label_width = 0.0F);
/// The width of the words that add_ranked_words() lists.
float ranked_words_width(const PageInputs& in, int position, std::size_t max_words,
                         const MeasureText& measure);

/// Adds the likeliest words at a row of the logits with their probabilities under the session's sampling.
/// Marks words that it excludes.
void add_sampled_words(PageBuilder& page, const PageInputs& in, int position, std::size_t max_words);

/// The numbers of unknown words and of all words of the first sentence, without punctuation. Both are 0 for a
/// model that was not trained on a task, and for very long texts.
struct WordCount {
  int unknown = 0, all = 0;
};
/// Whether a token is a word, not punctuation or a special token, that the model does not know.
bool is_unknown_word(const Token& token, const TrainedModel& model);
WordCount count_words(const Trace& trace, const TrainedModel& model);
/// “8 of 12 words are unknown to this model, which knows 5,101 English words.” Empty if it knows all.
std::string unknown_words_text(const Trace& trace, const TrainedModel& model);

/// Adds notes below the words where they apply: the row is outside what the model learned, or the selected
/// head attends most to a word other than the model's answer.
void answer_notes(PageBuilder& page, const PageInputs& in, PageTools& tools, int position);

}  // namespace headscope
