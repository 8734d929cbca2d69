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

/// What a model of sentencepiece holds (sentencepiece_model.proto).
struct SentencePieceModel {
  enum class Algorithm { unigram = 1, bpe = 2 };
  std::vector<ScoredPiece> pieces;  ///< the id of each is its place
  Algorithm algorithm = Algorithm::unigram;
  bool falls_back_to_bytes = false;
  bool has_space_behind = false;
  std::string unknown_surface = " ⁇ ";
  Charsmap map;
  bool adds_dummy_prefix = true;
  bool removes_extra_spaces = true;
  bool escapes_spaces = true;
};

/// Reads tokenizer.model, spiece.model and the like. Errors: what is no such file, with the byte, and the
/// algorithms "word" and "char", by name.
Result<SentencePieceModel> parse_sentencepiece(std::string_view bytes);

/// The tokenizer of such a model. Where no family is named it does what sentencepiece does, which adds no
/// special tokens and finds none in a text; the families llama, mistral, gemma, t5 and xlm-roberta do it as
/// their tokenizers in Hugging Face's transformers. Errors: those of the pieces, and a family that is not
/// supported.
Result<TokenizerParts> sentencepiece_parts(SentencePieceModel model, const ModelConfiguration& configuration);

}  // namespace headscope
