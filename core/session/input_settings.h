#pragma once

#include <array>

#include "core/session/setting.h"

namespace headscope {

inline constexpr std::string_view input_group = "Input";
inline constexpr std::string_view model_group = "Model";

/// Returns the index of the batch's last sentence.
int last_sequence(const Session& session);
/// Makes the sentence that of the batch, if there is one.
void take_from_batch(Session& session);

/// The settings of the input, and the words that are predicted.
inline constexpr std::array input_settings{
    Setting{"sentence", "the sentence", "--sentence", "TEXT", input_group,
            "The sentence, in quotes; with two stacks, the source", "",
            field::Text{place_at<&Session::sentence>}},
    Setting{"target", "the target", "--target", "TEXT", input_group,
            "The decoder's sentence, with --stacks encoder-decoder or cross", "",
            field::Text{place_at<&Session::target>}},
    Setting{"batch", "the batch", "--batch", "FILE", input_group,
            "A file with one sentence per line; padded to one length", "",
            field::Texts{place_at<&Session::batch>}},
    selecting({"sequence",
               "the sentence of the batch",
               "--sequence",
               "I",
               input_group,
               "Which sentence of the batch to show, counted from 0",
               "",
               field::Whole{place_at<&Session::sequence>, 0, 0, last_sequence},
               {},
               take_from_batch}),
    Setting{"tokenizer", "the tokenizer", "--tokenizer", "WHICH", input_group,
            "How sentences are split into tokens", "", field::choice<&Session::tokenizer>()},
    Setting{"output_words", "the output words", "--output-words", "WORDS", model_group,
            "The words to predict with random weights, such as \"a am I student\"", "those of the sentences",
            field::Text{place_at<&Session::output_words>}},
    Setting{
        "model", "the trained weights", "--model", "NAME|DIR|FILE", model_group,
        "pronouns, stories, copying, reversing, untrained (random weights), the folder of a trained model, or a GGUF file",
        "pronouns; untrained if an option sets the architecture", field::Weights{place_at<&Session::model>}},
};

}  // namespace headscope
