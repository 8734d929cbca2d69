#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/result.h"
#include "core/tokenizers/bpe.h"
#include "core/tokenizers/subword_model.h"

namespace headscope {

/// A unigram language model (Kudo 2018): splits a word into the pieces with the maximum total score, in
/// double precision like Hugging Face's tokenizers. Ids are list indices. Fails if the unknown id is out of
/// range or a score is NaN.
Result<SubwordModelPtr> make_unigram(std::vector<std::pair<std::string, double>> pieces,
                                     std::optional<int> unknown, bool falls_back_to_bytes);

/// sentencepiece's variant, in single precision: user-defined pieces take precedence, and unused ones are
/// ignored.
Result<SubwordModelPtr> make_scored_unigram(std::vector<ScoredPiece> pieces, bool falls_back_to_bytes);

}  // namespace headscope
