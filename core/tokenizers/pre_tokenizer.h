#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "core/result.h"
#include "core/text/tokenizer.h"
#include "core/tokenizers/located_text.h"
#include "core/tokenizers/regex.h"

namespace headscope {

/// The split pattern of GPT-2.
inline constexpr const char* gpt2_split =
    R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)";

/// The split pattern of GPT-4 (cl100k) and Llama 3, which splits numbers into up to three digits.
inline constexpr const char* gpt4_split =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|)"
    R"(\s+(?!\S)|\s+)";

/// The split pattern of Qwen and Qwen 2: like GPT-4, but with single digits.
inline constexpr const char* qwen2_split =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|)"
    R"(\s+(?!\S)|\s+)";

/// The pattern of GPT-4o (o200k), in which a word also ends before a capital letter after a small one.
inline constexpr const char* o200k_split =
    R"([^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|)"
    R"([^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|)"
    R"(\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+)";

/// What happens to the delimiters of a split. Examples: "the-final--countdown" at "-".
enum class SplitBehavior {
  removed,               ///< the, final, countdown
  isolated,              ///< the, -, final, -, -, countdown
  merged_with_previous,  ///< the-, final-, -, countdown
  merged_with_next,      ///< the, -final, -, -countdown
  contiguous             ///< the, -, final, --, countdown
};

/// A text and its words, as ordered non-empty spans.
struct SplitText {
  LocatedText text;
  std::vector<TextSpan> words;
};

/// A step that splits a normalized text into words, which are tokenized one by one.
using PreTokenizerStep = std::function<Result<SplitText>(SplitText)>;
using PreTokenizer = std::vector<PreTokenizerStep>;

/// Splits at the matches of a pattern or, if `is_inverted`, at the text between them.
PreTokenizerStep split_at_matches(Regex pattern, SplitBehavior behavior = SplitBehavior::isolated,
                                  bool is_inverted = false);
/// Splits at characters that satisfy a predicate.
PreTokenizerStep split_at_characters(bool (*is_split_at)(char32_t), SplitBehavior behavior);
/// Byte-level pre-tokenization: optionally prepends a space, optionally splits like GPT-2, and replaces bytes
/// by letters.
PreTokenizerStep byte_level(bool adds_prefix_space, bool splits);

/// Metaspace: replaces spaces by ▁, prepends ▁, and splits before each ▁.
struct MetaspaceSplit {
  enum class Prepends { always, first, never };
  std::string mark = "▁";
  Prepends prepends = Prepends::always;  ///< `first`: only at the start of the entire text
  bool splits = true;
};
PreTokenizerStep split_at_spaces(MetaspaceSplit metaspace);

/// Applies all steps, in linear time. Fails if a regular expression takes too many steps.
Result<SplitText> pre_tokenize(LocatedText text, const PreTokenizer& steps);

/// The compiled gpt2_split.
const Result<Regex>& gpt2_pattern();

}  // namespace headscope
