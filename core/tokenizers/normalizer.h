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

/// One of Unicode's normalization forms.
struct UnicodeForm {
  bool composes = true;        ///< NFC, NFKC
  bool is_compatible = false;  ///< NFKC, NFKD
};
struct Lowercase {};
struct StripSpace {
  bool left = true;
  bool right = true;
};
/// Removes all marks. Letters that are a single character together with their mark keep it.
struct StripAccents {};
/// Replaces each match with a text.
struct ReplaceMatches {
  Regex pattern;
  std::string content;
};
/// Puts a text before any text that is not empty.
struct PrependText {
  std::string text;
};
/// BERT's normalization: removes control characters, turns each white space into a space, puts spaces around
/// ideographs, removes accents and changes letters to lower case.
struct BertText {
  bool cleans = true;
  bool separates_ideographs = true;
  bool strips_accents = true;
  bool lowers = true;
};
/// The map of sentencepiece as Hugging Face's tokenizers apply it: to whole graphemes below six bytes,
/// otherwise to single characters.
struct PrecompiledMap {
  Charsmap map;
};
/// The normalization that sentencepiece itself does.
struct SentencePieceText {
  Charsmap map;
  PrefixTrie kept;  ///< The user-defined pieces, which are left unchanged.
  bool adds_dummy_prefix = true;
  bool removes_extra_spaces = true;
  bool escapes_spaces = true;     ///< A space becomes ▁.
  bool has_space_behind = false;  ///< The dummy prefix is a suffix.
};
/// Replaces all bytes with their letters (letter_of_byte).
struct ByteLetterText {};
/// Google's rules for neural machine translation: removes some control characters and turns others into
/// spaces.
struct NmtText {};

using NormalizerStep =
    std::variant<UnicodeForm, Lowercase, StripSpace, StripAccents, ReplaceMatches, PrependText, BertText,
                 PrecompiledMap, SentencePieceText, ByteLetterText, NmtText>;

/// The steps that are applied to a text before it is split into words and tokens.
using Normalizer = std::vector<NormalizerStep>;

/// Applies the steps. It is an error if a pattern takes too many steps. Throws OverBudget.
Result<LocatedText> normalized(LocatedText text, const Normalizer& normalizer);

}  // namespace headscope
