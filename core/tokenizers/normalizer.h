#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/result.h"
#include "core/tokenizers/charsmap.h"
#include "core/tokenizers/located_text.h"
#include "core/tokenizers/prefix_trie.h"
#include "core/tokenizers/regex.h"

namespace headscope {

/// A step that a text goes through before it is split into words and tokens. Fails if a pattern takes too
/// many steps. Throws OverBudget.
using NormalizerStep = std::function<Result<LocatedText>(LocatedText)>;
using Normalizer = std::vector<NormalizerStep>;

/// One of Unicode's normalization forms. NFC and NFKC compose; NFKC and NFKD are compatible.
NormalizerStep unicode_form(bool composes, bool is_compatible);
LocatedText lower_case(const LocatedText& text);
/// Removes white space from the ends.
NormalizerStep without_outer_space(bool left, bool right);
/// Removes all marks. Letters that are a single character together with their mark keep it.
LocatedText without_accents(const LocatedText& text);
/// Replaces each match with a text.
NormalizerStep replacing(Regex pattern, std::string content);
/// Puts a text before any text that is not empty.
NormalizerStep with_prefix(std::string prefix);
/// Replaces all bytes with their letters (letter_of_byte).
LocatedText byte_letter_text(const LocatedText& text);
/// Google's rules for neural machine translation: removes some control characters and turns others into
/// spaces.
LocatedText nmt_text(const LocatedText& text);

/// BERT's normalization: removes control characters, turns each white space into a space, puts spaces around
/// ideographs, removes accents and changes letters to lower case.
struct BertText {
  bool cleans = true;
  bool separates_ideographs = true;
  bool strips_accents = true;
  bool lowers = true;
};
NormalizerStep bert_text(BertText rules);

/// The map of sentencepiece as Hugging Face's tokenizers apply it: to whole graphemes below six bytes,
/// otherwise to single characters.
NormalizerStep precompiled_map(Charsmap map);

/// The normalization that sentencepiece itself does.
struct SentencePieceText {
  Charsmap map;
  PrefixTrie kept;  ///< The user-defined pieces, which are left unchanged.
  bool adds_dummy_prefix = true;
  bool removes_extra_spaces = true;
  bool escapes_spaces = true;     ///< A space becomes ▁.
  bool has_space_behind = false;  ///< The dummy prefix is a suffix.
};
NormalizerStep sentencepiece_text(SentencePieceText rules);

/// Applies the steps. It is an error if a pattern takes too many steps. Throws OverBudget.
Result<LocatedText> normalized(LocatedText text, const Normalizer& normalizer);

}  // namespace headscope
