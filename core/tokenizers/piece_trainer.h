#pragma once

#include <atomic>
#include <string>
#include <string_view>

#include "core/result.h"
#include "core/tokenizers/sentencepiece_model.h"

namespace headscope {

/// The first ids of every trained vocabulary: <unk>, <s>, </s>, and a piece for each byte.
inline constexpr int unknown_piece = 0;
inline constexpr int begin_piece = 1;
inline constexpr int end_piece = 2;
inline constexpr int first_text_piece = 259;
inline constexpr int max_trained_pieces = 1 << 16;

/// What the pieces of a vocabulary are.
enum class PieceKind {
  byte_pairs,  ///< The pairs of neighbours that occur most, joined one after another (Sennrich et al. 2016).
  whole_words  ///< The words that occur most; all other words are spelled.
};

/// Makes a vocabulary of at most `n_pieces` pieces for a text in valid UTF-8, in the format of sentencepiece
/// with byte fallback, as in Llama. Pieces never cross the border between letters, digits and other
/// characters; a digit is a piece of its own. There are fewer pieces if no pair, or no word, occurs twice.
/// `documents` are separate: no piece crosses from one to the next. Returns an empty model if `stop` becomes
/// true. It is an error if the text has no characters or if `n_pieces` is below 2 · first_text_piece.
Result<SentencePieceModel> train_pieces(const std::vector<std::string_view>& documents, PieceKind kind,
                                        int n_pieces, const std::atomic<bool>* stop = nullptr);

/// The bytes of tokenizer.model for such a vocabulary.
std::string sentencepiece_file(const SentencePieceModel& model);
/// The text of tokenizer.json for such a vocabulary: texts begin with <s>.
std::string tokenizer_json_file(const SentencePieceModel& model);

}  // namespace headscope
