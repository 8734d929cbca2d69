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
  bool has_byte_letters = false;  ///< Pieces look like "Ġthe".
  std::string space_mark{};       ///< "▁" if it stands for a space.
  std::string word_suffix{};      ///< Such as "</w>".
};

/// All parts of a tokenizer, whatever file it was read from, in the order in which a text passes through
/// them.
struct TokenizerParts {
  AddedTokens added;
  Normalizer normalizer;
  PreTokenizer pre_tokenizer;
  SubwordModelPointer model;  ///< Never null.
  PostProcessor post_processor;
  Decoder decoder;
  SpecialIds special_ids;
  PieceWriting writing;
};

}  // namespace headscope
