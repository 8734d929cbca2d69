#pragma once

#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "core/result.h"
#include "core/tokenizers/charsmap.h"
#include "core/tokenizers/located_text.h"
#include "core/tokenizers/prefix_trie.h"
#include "core/tokenizers/regex.h"

namespace headscope {

/// Unicode's normalization forms.
struct UnicodeForm {
  bool composes = true;        ///< NFC, NFKC
  bool is_compatible = false;  ///< NFKC, NFKD
};
struct Lowercase {};
struct StripSpace {
  bool left = true;
  bool right = true;
};
/// Removes all marks. Letters that are one character with theirs keep them.
struct StripAccents {};
/// Puts a text in the place of each match.
struct ReplaceMatches {
  Regex pattern;
  std::string content;
};
/// Puts a text before a text that is not empty.
struct PrependText {
  std::string text;
};
/// What BERT does: removes control characters, makes each white space a space, puts spaces around ideographs,
/// removes accents, makes letters small.
struct BertText {
  bool cleans = true;
  bool separates_ideographs = true;
  bool strips_accents = true;
  bool lowers = true;
};
/// sentencepiece's map as Hugging Face's tokenizers apply it: to a grapheme below six bytes as a whole, else
/// to each character.
struct PrecompiledMap {
  Charsmap map;
};
/// What sentencepiece itself does to a text.
struct SentencePieceText {
  Charsmap map;
  PrefixTrie kept;  ///< pieces of the user, which are left as they are
  bool adds_dummy_prefix = true;
  bool removes_extra_spaces = true;
  bool escapes_spaces = true;     ///< ▁ for a space
  bool has_space_behind = false;  ///< the dummy prefix is a suffix
};
/// The letters of all bytes (letter_of_byte).
struct ByteLetterText {};
/// Google's rules for neural machine translation: removes control characters, makes others spaces.
struct NmtText {};

using NormalizerStep =
    std::variant<UnicodeForm, Lowercase, StripSpace, StripAccents, ReplaceMatches, PrependText, BertText,
                 PrecompiledMap, SentencePieceText, ByteLetterText, NmtText>;

/// What is done to a text before tokens are made of it, step by step.
using Normalizer = std::vector<NormalizerStep>;

/// Errors: a pattern that takes too many steps. Linear in the text.
Result<LocatedText> normalized(LocatedText text, const Normalizer& normalizer);

}  // namespace headscope
