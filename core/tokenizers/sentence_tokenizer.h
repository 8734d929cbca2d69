#pragma once

#include <memory>
#include <vector>

#include "core/text/tokenizer.h"
#include "core/text/vocabulary.h"
#include "core/tokenizers/model_tokenizer.h"

namespace headscope {

/// Reads sentences as the model does: with the special tokens that it expects around a text.
std::shared_ptr<const Tokenizer> sentence_tokenizer(std::shared_ptr<const ModelTokenizer> tokenizer);

/// The pieces of a tokenizer as people read them, filled up to the `n_rows` of the model's embedding table,
/// which may have more rows than the tokenizer has pieces.
Vocabulary vocabulary_of(const ModelTokenizer& tokenizer, int n_rows);

}  // namespace headscope
