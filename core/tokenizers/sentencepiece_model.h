#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "core/tokenizers/bpe.h"
#include "core/tokenizers/charsmap.h"
#include "core/tokenizers/model_configuration.h"
#include "core/tokenizers/tokenizer_parts.h"

namespace headscope {

/// The content of a sentencepiece model (sentencepiece_model.proto).
struct SentencePieceModel {
  enum class Algorithm { unigram = 1, bpe = 2 };
  std::vector<ScoredPiece> pieces;  ///< The id of each piece is its index.
  Algorithm algorithm = Algorithm::unigram;
  bool falls_back_to_bytes = false;
  bool has_space_behind = false;
  std::string unknown_surface = " ⁇ ";
  Charsmap map;
  bool adds_dummy_prefix = true;
  bool removes_extra_spaces = true;
  bool escapes_spaces = true;
};

/// Reads tokenizer.model, spiece.model and the like. It is an error if the bytes are not such a file (the
/// message gives the place) or if the algorithm is "word" or "char" (the message names it).
Result<SentencePieceModel> parse_sentencepiece(std::string_view bytes);

/// Puts special tokens around texts as the tokenizer's class does, whatever its tokenizer.json says: Llama's
/// and Gemma's classes follow add_bos_token and add_eos_token. Does nothing for others, or without these
/// keys.
Result<void> follow_tokenizer_class(TokenizerParts& parts, const ModelConfiguration& configuration);

/// The tokenizer of such a model. If no family is named, it does what sentencepiece does, which adds no
/// special tokens and finds none in a text. For the families llama, mistral, gemma, t5 and xlm-roberta, it
/// does what their tokenizers in Hugging Face's transformers do. Errors are those of the pieces, and a family
/// that is not supported.
Result<TokenizerParts> sentencepiece_parts(SentencePieceModel model, const ModelConfiguration& configuration);

}  // namespace headscope
