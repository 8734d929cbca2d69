#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "core/tokenizers/prefix_trie.h"
#include "core/tokenizers/subword_model.h"
#include "core/tokenizers/tokenizer_files.h"
#include "core/tokenizers/tokenizer_parts.h"

namespace headscope {

/// The content of a sentencepiece model (sentencepiece_model.proto).
struct SentencePieceModel {
  enum class Algorithm { unigram = 1, bpe = 2 };
  std::vector<ScoredPiece> pieces;  ///< Ids are indices
  Algorithm algorithm = Algorithm::unigram;
  bool falls_back_to_bytes = false;
  bool has_space_suffix = false;
  std::string unknown_surface = " ⁇ ";
  Charsmap map;
  bool adds_dummy_prefix = true;
  bool removes_extra_spaces = true;
  bool escapes_spaces = true;
};

/// Parses tokenizer.model, spiece.model etc. Fails if the file is malformed (the message gives the offset) or
/// the algorithm is "word" or "char".
Result<SentencePieceModel> parse_sentencepiece(std::string_view bytes);

/// Applies overrides of the tokenizer class to tokenizer.json: for Llama and Gemma, add_bos_token and
/// add_eos_token determine the special tokens around texts. Does nothing for others, or without these keys.
Result<void> apply_tokenizer_class(TokenizerParts& parts, const ModelConfiguration& configuration);

/// The tokenizer of such a model. Without a family, behaves like sentencepiece, which neither adds nor
/// matches special tokens; for llama, mistral, gemma, t5 and xlm-roberta, like Hugging Face's transformers.
/// Fails on invalid pieces or an unsupported family.
Result<TokenizerParts> sentencepiece_parts(SentencePieceModel model, const ModelConfiguration& configuration);

}  // namespace headscope
