#pragma once

#include <string>
#include <vector>

#include "core/tokenizers/added_tokens.h"
#include "core/tokenizers/model_tokenizer.h"
#include "core/tokenizers/normalizer.h"
#include "core/tokenizers/post_processor.h"
#include "core/tokenizers/pre_tokenizer.h"
#include "core/tokenizers/subword_model.h"
#include "core/tokenizers/token_decoder.h"

namespace headscope {

/// How the pieces of a vocabulary are written, for showing them to people.
struct PieceWriting {
  bool has_byte_letters = false;  ///< "Ġthe"
  std::string space_mark{};       ///< "▁", where it stands for a space
  std::string word_suffix{};      ///< "</w>"
};

/// All that a tokenizer is made of, whatever file it was read from. A text goes through it in this order.
struct TokenizerParts {
  AddedTokens added;
  Normalizer normalizer;
  PreTokenizer pre_tokenizer;
  SubwordModelPointer model;  ///< never null
  PostProcessor post_processor;
  Decoder decoder;
  SpecialIds special_ids;
  PieceWriting writing;
};

}  // namespace headscope
