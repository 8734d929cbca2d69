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

/// The pattern by which GPT-2 splits a text before byte-level BPE.
inline constexpr const char* gpt2_split =
    R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)";

/// The pattern of GPT-4 (cl100k) and Llama 3: at most three digits stay together.
inline constexpr const char* gpt4_split =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|)"
    R"(\s+(?!\S)|\s+)";

/// The pattern of Qwen and Qwen 2: like that of GPT-4, but each digit is separate.
inline constexpr const char* qwen2_split =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|)"
    R"(\s+(?!\S)|\s+)";

/// What happens to the matches at which a text is split. The examples split "the-final--countdown" at "-".
enum class SplitBehavior {
  removed,               ///< the, final, countdown
  isolated,              ///< the, -, final, -, -, countdown
  merged_with_previous,  ///< the-, final-, -, countdown
  merged_with_next,      ///< the, -final, -, -countdown
  contiguous             ///< the, -, final, --, countdown
};

/// A text and its words: non-empty spans in it, in order.
struct SplitText {
  LocatedText text;
  std::vector<TextSpan> words;
};

/// A step that splits a normalized text into words. Tokens are then made from one word at a time.
using PreTokenizerStep = std::function<Result<SplitText>(SplitText)>;
using PreTokenizer = std::vector<PreTokenizerStep>;

/// Splits at the matches of a pattern. If `is_inverted`, it splits at the text between them instead.
PreTokenizerStep split_at_matches(Regex pattern, SplitBehavior behavior = SplitBehavior::isolated,
                                  bool is_inverted = false);
/// Splits at characters of a kind.
PreTokenizerStep split_at_characters(bool (*is_split_at)(char32_t), SplitBehavior behavior);
/// Puts a space before the text if asked, splits as GPT-2 does if asked, and turns every byte into a letter.
PreTokenizerStep byte_level(bool adds_prefix_space, bool splits);

/// Replaces each space with ▁, puts ▁ before the text, and splits before each ▁.
struct MetaspaceSplit {
  enum class Prepends { always, first, never };
  std::string mark = "▁";
  Prepends prepends = Prepends::always;  ///< `first` means only at the beginning of the whole text.
  bool splits = true;
};
PreTokenizerStep split_at_spaces(MetaspaceSplit metaspace);

/// Applies the steps in time linear in the text. It is an error if a pattern takes too many steps.
Result<SplitText> pre_tokenized(LocatedText text, const PreTokenizer& steps);

/// The pattern whose matches GPT-2 makes into words.
const Result<Regex>& gpt2_pattern();

}  // namespace headscope
