#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/result.h"
#include "core/tokenizers/bpe.h"
#include "core/tokenizers/subword_model.h"

namespace headscope {

/// A unigram language model (Kudo 2018): of all ways to make pieces of a word, the one whose scores have the
/// greatest sum. As Hugging Face's tokenizers have it, in double precision; the id of a piece is its place in
/// the list. Errors: an unknown id that is none, scores that are no numbers.
Result<SubwordModelPointer> make_unigram(std::vector<std::pair<std::string, double>> pieces,
                                         std::optional<int> unknown, bool falls_back_to_bytes);

/// The same as sentencepiece has it, in single precision: pieces of the user win, unused ones are left out.
Result<SubwordModelPointer> make_scored_unigram(std::vector<ScoredPiece> pieces, bool falls_back_to_bytes);

}  // namespace headscope
