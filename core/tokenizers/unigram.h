#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/result.h"
#include "core/tokenizers/bpe.h"
#include "core/tokenizers/subword_model.h"

namespace headscope {

/// A unigram language model (Kudo 2018): of all ways to split a word into pieces, it takes the one with the
/// greatest sum of scores. Like Hugging Face's tokenizers, it computes in double precision. The id of a piece
/// is its index in the list. It is an error if the unknown id is not in the list or a score is not a number.
Result<SubwordModelPointer> make_unigram(std::vector<std::pair<std::string, double>> pieces,
                                         std::optional<int> unknown, bool falls_back_to_bytes);

/// The same as in sentencepiece, in single precision: user-defined pieces take precedence, and unused ones
/// are left out.
Result<SubwordModelPointer> make_scored_unigram(std::vector<ScoredPiece> pieces, bool falls_back_to_bytes);

}  // namespace headscope
