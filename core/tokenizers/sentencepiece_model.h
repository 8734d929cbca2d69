#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "core/slices.h"
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
  /// Whether scores are summed as doubles, as in llama.cpp and in Hugging Face's tokenizers, instead of
  /// floats.
  bool sums_doubles = false;
};

/// Parses tokenizer.model, spiece.model etc. Fails if the file is malformed (the message gives the offset) or
/// the algorithm is "word" or "char".
Result<SentencePieceModel> parse_sentencepiece(std::string_view bytes);

/// Applies overrides of the tokenizer class to tokenizer.json: for Llama and Gemma, add_bos_token and
/// add_eos_token determine the special tokens around texts. Does nothing for others, or without these keys.
/// Throws an Error if the vocabulary lacks one of the tokens.
void apply_tokenizer_class(TokenizerParts& parts, const ModelConfiguration& configuration);

/// The tokenizer of such a model. Without a family, behaves like sentencepiece, which neither adds nor
/// matches special tokens; for llama, mistral, gemma, t5 and xlm-roberta, like Hugging Face's transformers.
/// Fails on invalid pieces or an unsupported family.
Result<TokenizerParts> sentencepiece_parts(SentencePieceModel model, const ModelConfiguration& configuration);

/// The first ids of a trained vocabulary: <unk>, <s>, </s>, and the bytes.
inline constexpr int unknown_piece = 0;
inline constexpr int begin_piece = 1;
inline constexpr int end_piece = 2;
inline constexpr int first_text_piece = 259;
inline constexpr int max_trained_pieces = 1 << 16;

/// The algorithm of a trained vocabulary.
enum class PieceKind {
  byte_pairs,   ///< BPE: repeatedly merges the most frequent pair (Sennrich et al. 2016)
  whole_words,  ///< The most frequent words; others are spelled out
  characters
};

/// Trains a vocabulary of at most `n_pieces` pieces on documents in valid UTF-8, as a sentencepiece model
/// with byte fallback, like Llama. Pieces do not mix letters, digits and other characters; each digit is a
/// piece; no piece spans documents. Stops early when no pair or word occurs twice. Fails if the text is empty
/// or `n_pieces` is below 2 · first_text_piece. A slice reads 32 KiB of the documents or 2,048 of their
/// words.
Slices<Result<SentencePieceModel>> train_pieces(std::vector<std::string_view> documents, PieceKind kind,
                                                int n_pieces);

/// Serialises such a vocabulary as tokenizer.model.
std::string sentencepiece_file(const SentencePieceModel& model);
/// Serialises such a vocabulary as tokenizer.json; texts begin with <s>.
std::string tokenizer_json_file(const SentencePieceModel& model);

}  // namespace headscope
