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

/// A normalization step. Fails if a regular expression takes too many steps. Throws OverBudget.
using NormalizerStep = std::function<Result<LocatedText>(LocatedText)>;
using Normalizer = std::vector<NormalizerStep>;

/// A Unicode normalization form: NFC and NFKC compose; NFKC and NFKD are compatibility forms.
NormalizerStep unicode_form(bool composes, bool is_compatible);
LocatedText lower_case(const LocatedText& text);
/// Strips white space from the ends.
NormalizerStep strip_spaces(bool left, bool right);
/// Removes all combining marks, but not those of precomposed letters.
LocatedText without_accents(const LocatedText& text);
/// Replaces each match of a pattern.
NormalizerStep replace_matches(Regex pattern, std::string content);
/// Prepends a prefix to non-empty texts.
NormalizerStep with_prefix(std::string prefix);
/// Replaces bytes by their letters (letter_of_byte).
LocatedText byte_letter_text(const LocatedText& text);
/// Google's NMT normalization: removes some control characters and turns others into spaces.
LocatedText nmt_normalization(const LocatedText& text);

/// BERT's normalization: removes control characters, unifies white space, surrounds ideographs with spaces,
/// strips accents and lower-cases.
struct BertNormalization {
  bool cleans = true;
  bool separates_ideographs = true;
  bool strips_accents = true;
  bool lowers = true;
};
NormalizerStep bert_normalization(BertNormalization rules);

/// A sentencepiece map as applied by Hugging Face's tokenizers: to graphemes below six bytes, otherwise to
/// single characters.
NormalizerStep precompiled_map(Charsmap map);

/// sentencepiece's own normalization.
struct SentencePieceNormalization {
  Charsmap map;
  PrefixTrie kept;  ///< User-defined pieces, which are left unchanged
  bool adds_dummy_prefix = true;
  bool removes_extra_spaces = true;
  bool escapes_spaces = true;     ///< Spaces become ▁
  bool has_space_suffix = false;  ///< The dummy prefix is a suffix (treat_whitespace_as_suffix)
};
NormalizerStep sentencepiece_normalization(SentencePieceNormalization rules);

/// Applies all steps. Fails if a regular expression takes too many steps. Throws OverBudget.
Result<LocatedText> normalized(LocatedText text, const Normalizer& normalizer);

}  // namespace headscope
