#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "core/tokenizers/regex.h"

namespace headscope {

/// A step from tokens towards their text. Fails if a pattern takes too many steps. Throws OverBudget.
using DecoderStep = std::function<Result<std::vector<std::string>>(std::vector<std::string>, Budget&)>;
using Decoder = std::vector<DecoderStep>;

/// Turns letters into the bytes that they stand for, and then invalid UTF-8 into U+FFFD.
DecoderStep decode_byte_letters();
/// Joins pieces that begin with the prefix to the previous piece, and puts a space before the others.
/// Cleaning up removes the space before . , ! ? and inside don't.
DecoderStep decode_word_pieces(std::string prefix = "##", bool cleans_up = true);
/// Replaces each mark with a space, except for one at the beginning if it was put there.
DecoderStep decode_metaspace(std::string mark, bool was_prepended);
/// Replaces the suffix of words with a space.
DecoderStep decode_word_suffix(std::string suffix);
/// Turns pieces like <0xE2> into characters, and each byte that is not valid UTF-8 into U+FFFD.
DecoderStep decode_byte_fallback();
DecoderStep fuse_tokens();
/// Removes up to this many of a text from the beginning and the end of each token.
DecoderStep decode_strip(std::string content, int n_begin, int n_end);
DecoderStep decode_replace(Regex pattern, std::string content);

/// The decoding that sentencepiece does: each ▁ becomes a space except for the first of the text, bytes are
/// decoded as above, and the unknown piece becomes `unknown_surface`.
struct SentencePieceDecoding {
  bool drops_first_space = true;
  bool drops_all_first_spaces = true;
  std::string unknown = "<unk>";
  std::string unknown_surface = " ⁇ ";
};
DecoderStep decode_sentencepiece(SentencePieceDecoding rules);

/// The text of tokens as valid UTF-8. Without steps, these are the tokens with spaces between them. It is an
/// error if a pattern takes too many steps. Throws OverBudget.
Result<std::string> decoded(std::vector<std::string> tokens, const Decoder& decoder, Budget& budget);

/// Replaces every occurrence of `from`, unless that is empty.
void replace_all(std::string& text, std::string_view from, std::string_view to);

}  // namespace headscope
