#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/result.h"
#include "core/tokenizers/regex.h"

namespace headscope {

/// Turns letters into the bytes that they stand for, and then invalid UTF-8 into U+FFFD.
struct DecodeByteLetters {};
/// Joins pieces that begin with the prefix to the previous piece, and puts a space before the others.
struct DecodeWordPieces {
  std::string prefix = "##";
  bool cleans_up = true;  ///< Whether to remove the space before . , ! ? and inside don't.
};
/// Replaces each ▁ with a space, except for one at the beginning if `was_prepended`.
struct DecodeMetaspace {
  std::string mark = "▁";
  bool was_prepended = true;
};
/// Replaces the suffix of words with a space.
struct DecodeWordSuffix {
  std::string suffix = "</w>";
};
/// Turns pieces like <0xE2> into characters, and each byte that is not valid UTF-8 into U+FFFD.
struct DecodeByteFallback {};
struct FuseTokens {};
/// Removes up to this many of a character from the beginning and the end of each token.
struct DecodeStrip {
  std::string content = " ";
  std::size_t n_begin = 0;
  std::size_t n_end = 0;
};
struct DecodeReplace {
  Regex pattern;
  std::string content;
};
/// Removes repetitions and padding, as after connectionist temporal classification.
struct DecodeCtc {
  std::string pad = "<pad>";
  std::string delimiter = "|";
  bool cleans_up = true;
};
/// The decoding that sentencepiece does: each ▁ becomes a space except for the first of the text, bytes are
/// decoded as above, and the unknown piece becomes `unknown_surface`.
struct DecodeSentencePiece {
  bool drops_first_space = true;
  bool drops_all_first_spaces = true;
  std::string unknown = "<unk>";
  std::string unknown_surface = " ⁇ ";
};

using DecoderStep =
    std::variant<DecodeByteLetters, DecodeWordPieces, DecodeMetaspace, DecodeWordSuffix, DecodeByteFallback,
                 FuseTokens, DecodeStrip, DecodeReplace, DecodeCtc, DecodeSentencePiece>;
using Decoder = std::vector<DecoderStep>;

/// The text of tokens as valid UTF-8. Without steps, these are the tokens with spaces between them. It is an
/// error if a pattern takes too many steps. Throws OverBudget.
Result<std::string> decoded(std::vector<std::string> tokens, const Decoder& decoder, Budget& budget);

/// Replaces every occurrence of `from`, unless that is empty.
void replace_all(std::string& text, std::string_view from, std::string_view to);

}  // namespace headscope
