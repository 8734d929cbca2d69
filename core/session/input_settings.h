#pragma once

#include <array>

#include "core/session/setting.h"

namespace headscope {

inline constexpr std::string_view input_group = "Input";
inline constexpr std::string_view model_group = "Model";

/// Returns the index of the batch's last sentence.
int last_sequence(const Session& session);
/// Sets the sentence to the selected one of the batch, if there is a batch.
void use_batch_sentence(Session& session);

/// The settings of the input, and the words that are predicted.
inline constexpr std::array input_settings{
    Setting{"sentence", "the sentence", "--sentence", "TEXT", input_group,
            "The sentence, in quotes; with two stacks, the source", "",
            field::Text{accessor_of<&Session::sentence>}},
    Setting{"target", "the target", "--target", "TEXT", input_group,
            "The decoder's sentence, with --stacks encoder-decoder or cross", "",
            field::Text{accessor_of<&Session::target>}},
    Setting{"batch", "the batch", "--batch", "FILE", input_group,
            "A file with one sentence per line; padded to one length", "",
            field::Texts{accessor_of<&Session::batch>}},
    as_selection({"sequence",
                  "the sentence of the batch",
                  "--sequence",
                  "I",
                  input_group,
                  "Which sentence of the batch to show, counted from 0",
                  "",
                  field::Integer{accessor_of<&Session::sequence>, 0, 0, last_sequence},
                  {},
                  use_batch_sentence}),
    Setting{"tokenizer", "the tokenizer", "--tokenizer", "WHICH", input_group,
            "How sentences are split into tokens", "", field::choice<&Session::tokenizer>()},
    Setting{"output_words", "the output words", "--output-words", "WORDS", model_group,
            "The words to predict with random weights, such as \"a am I student\"", "those of the sentences",
            field::Text{accessor_of<&Session::output_words>}},
    Setting{
        "model", "the trained weights", "--model", "NAME|DIR|FILE", model_group,
        "pronouns, stories, copying, reversing, untrained (random weights), the folder of a trained model, or a GGUF file",
        "pronouns; untrained if an option sets the architecture",
        field::Weights{accessor_of<&Session::model>}},
};

}  // namespace headscope
