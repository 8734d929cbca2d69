#pragma once

#include <cstddef>
#include <string>
#include <variant>
#include <vector>

#include "core/result.h"
#include "core/tokenizers/regex.h"

namespace headscope {

/// Makes bytes of the letters that stand for them, and U+FFFD of what is then no UTF-8.
struct DecodeByteLetters {};
/// Joins pieces that begin with the prefix, and puts a space before the others.
struct DecodeWordPieces {
  std::string prefix = "##";
  bool cleans_up = true;  ///< takes away the space before . , ! ? and of don't
};
/// A space for each ▁, but none at the beginning if `was_prepended`.
struct DecodeMetaspace {
  std::string mark = "▁";
  bool was_prepended = true;
};
/// A space for the suffix of words.
struct DecodeWordSuffix {
  std::string suffix = "</w>";
};
/// Makes characters of pieces like <0xE2>, and U+FFFD of each byte of what is no UTF-8.
struct DecodeByteFallback {};
struct FuseTokens {};
/// Takes so many of a character from the beginning and the end of each token.
struct DecodeStrip {
  std::string content = " ";
  std::size_t n_begin = 0;
  std::size_t n_end = 0;
};
struct DecodeReplace {
  Regex pattern;
  std::string content;
};
/// Drops repetitions and padding, as after connectionist temporal classification.
struct DecodeCtc {
  std::string pad = "<pad>";
  std::string delimiter = "|";
  bool cleans_up = true;
};
/// sentencepiece's own: a space for each ▁ but the first of the text; bytes as above; a surface for what is
/// unknown.
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

/// The text of tokens, valid UTF-8; without steps, the tokens with spaces between them. Errors: a pattern
/// that takes too many steps.
Result<std::string> decoded(std::vector<std::string> tokens, const Decoder& decoder);

}  // namespace headscope
