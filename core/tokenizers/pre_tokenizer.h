#pragma once

#include <cstddef>
#include <string>
#include <variant>
#include <vector>

#include "core/result.h"
#include "core/text/tokenizer.h"
#include "core/tokenizers/located_text.h"
#include "core/tokenizers/regex.h"

namespace headscope {

/// What becomes of the matches at which a text is split: "the-final--countdown" at "-".
enum class SplitBehavior {
  removed,               ///< the, final, countdown
  isolated,              ///< the, -, final, -, -, countdown
  merged_with_previous,  ///< the-, final-, -, countdown
  merged_with_next,      ///< the, -final, -, -countdown
  contiguous             ///< the, -, final, --, countdown
};

/// Splits at the matches of a pattern or, inverted, at what lies between them.
struct SplitAtMatches {
  Regex pattern;
  SplitBehavior behavior = SplitBehavior::isolated;
  bool is_inverted = false;
};
/// Splits at characters of a kind.
struct SplitAtCharacters {
  bool (*is_split_at)(char32_t) = nullptr;
  SplitBehavior behavior = SplitBehavior::isolated;
};
/// Puts ▁ for each space, and before the text; splits before each ▁.
struct MetaspaceSplit {
  enum class Prepends { always, first, never };
  std::string mark = "▁";
  Prepends prepends = Prepends::always;  ///< first: only at the beginning of the whole text
  bool splits = true;
};
/// Puts a space before the text, splits as GPT-2 does, and makes every byte a letter.
struct ByteLevelSplit {
  bool adds_prefix_space = false;
  bool is_split = true;
};
/// Splits after so many characters.
struct SplitIntoLengths {
  std::size_t length = 5;
};
/// Splits where the script changes.
struct SplitAtScripts {};

using PreTokenizerStep = std::variant<SplitAtMatches, SplitAtCharacters, MetaspaceSplit, ByteLevelSplit,
                                      SplitIntoLengths, SplitAtScripts>;

/// What splits a normalized text into words, of which tokens are made one by one, step by step.
using PreTokenizer = std::vector<PreTokenizerStep>;

/// A text and its words: spans in it, in their order; none is empty.
struct SplitText {
  LocatedText text;
  std::vector<TextSpan> words;
};

/// Errors: a pattern that takes too many steps. Linear in the text.
Result<SplitText> pre_tokenized(LocatedText text, const PreTokenizer& steps);

/// The pattern at whose matches GPT-2 splits.
const Result<Regex>& gpt2_pattern();

}  // namespace headscope
