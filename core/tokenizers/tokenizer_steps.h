#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/budget.h"
#include "core/result.h"
#include "core/text/tokenizer.h"
#include "core/tokenizers/prefix_trie.h"

struct re_pattern_buffer;  // of Oniguruma

namespace headscope {

/// A part of a text: a match, or the text between matches.
struct MatchedPart {
  TextSpan span;
  bool is_match = false;
};

/// A regular expression. Immutable and thread-safe.
class Regex {
 public:
  /// Compiles a pattern in Oniguruma's default syntax without callouts, like Hugging Face's tokenizers.
  static Result<Regex> pattern(std::string_view pattern);
  /// Matches a literal string.
  static Regex literal(std::string_view text) { return {std::string(text), nullptr}; }

  /// Splits a text in valid UTF-8 into matches and the text between them, in order. Only matches may be
  /// empty. Throws an Error if the search takes too many steps, and OverBudget.
  std::vector<MatchedPart> parts(std::string_view text, Budget& budget) const;

 private:
  Regex(std::string text, std::shared_ptr<re_pattern_buffer> compiled)
      : text_(std::move(text)), compiled_(std::move(compiled)) {}

  std::string text_;                             ///< The pattern or literal
  std::shared_ptr<re_pattern_buffer> compiled_;  ///< Null for literals
};

/// A text being tokenized: valid UTF-8 that tracks, for each byte, its origin in the original text. Inserted
/// text gets the origin of its neighbour. Memory is charged to a budget.
class LocatedText {
 public:
  struct Origin {
    std::uint32_t begin = 0;
    std::uint32_t end = 0;
  };

  explicit LocatedText(Budget& budget) : budget_(&budget) {}
  /// From an original text below 4 GiB. Ill-formed sequences become U+FFFD.
  LocatedText(std::string_view original, Budget& budget);

  Budget& budget() const { return *budget_; }

  std::string_view text() const { return text_; }
  std::size_t size() const { return text_.size(); }
  bool empty() const { return text_.empty(); }
  /// The origin of a byte.
  Origin origin(std::size_t at) const { return origins_[at]; }
  /// The origin of bytes [begin, end), from that of the first to that of the last. Empty for an empty range.
  TextSpan origin_of(std::size_t begin, std::size_t end) const;
  /// The union of the origins of a non-empty byte range.
  Origin spanned(std::size_t begin, std::size_t end) const;

  void reserve(std::size_t n_bytes);
  void append(std::string_view text, Origin origin);
  void append(char32_t c, Origin origin);
  /// Appends bytes [begin, end) of another text with their origins.
  void append(const LocatedText& other, std::size_t begin, std::size_t end);
  LocatedText part(std::size_t begin, std::size_t end) const;
  /// Prepends a text, unless this one is empty.
  void prepend(std::string_view text);

 private:
  void grow(std::size_t n_bytes);

  Budget* budget_;
  std::string text_;
  std::vector<Origin> origins_;
};

/// A normalization step. Throws as Regex::parts() does, and OverBudget.
using NormalizerStep = std::function<LocatedText(LocatedText)>;
using Normalizer = std::vector<NormalizerStep>;

/// A Unicode normalization form: NFC and NFKC compose; NFKC and NFKD are compatibility forms.
NormalizerStep unicode_form(bool composes, bool is_compatible);
LocatedText lower_cased(const LocatedText& text);
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

/// Applies all steps.
LocatedText normalized(LocatedText text, const Normalizer& normalizer);

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
using PreTokenizerStep = std::function<SplitText(SplitText)>;
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

/// Applies all steps, in linear time.
SplitText pre_tokenize(LocatedText text, const PreTokenizer& steps);

/// The compiled gpt2_split.
const Regex& gpt2_pattern();

/// A decoding step. Throws as a NormalizerStep does.
using DecoderStep = std::function<std::vector<std::string>(std::vector<std::string>, Budget&)>;
using Decoder = std::vector<DecoderStep>;

/// Decodes byte letters, with invalid UTF-8 as U+FFFD.
DecoderStep decode_byte_letters();
/// Appends pieces with the prefix to the previous piece, and others after a space. `cleans_up` removes spaces
/// before . , ! ? and in contractions (don't).
DecoderStep decode_word_pieces(std::string prefix = "##", bool cleans_up = true);
/// Replaces marks by spaces, dropping a prepended one.
DecoderStep decode_metaspace(std::string mark, bool was_prepended);
/// Replaces word suffixes by spaces.
DecoderStep decode_word_suffix(std::string suffix);
/// Decodes byte pieces like <0xE2>, with invalid UTF-8 as U+FFFD.
DecoderStep decode_byte_fallback();
DecoderStep fuse_tokens();
/// Strips up to n_begin and n_end occurrences of `content` from the ends of each token.
DecoderStep decode_strip(std::string content, int n_begin, int n_end);
DecoderStep decode_replace(Regex pattern, std::string content);

/// sentencepiece's decoding: ▁ becomes a space, except the first one; byte pieces are decoded; the unknown
/// piece becomes `unknown_surface`.
struct SentencePieceDecoding {
  bool drops_first_space = true;
  bool drops_all_first_spaces = true;
  std::string unknown = "<unk>";
  std::string unknown_surface = " ⁇ ";
};
DecoderStep decode_sentencepiece(SentencePieceDecoding rules);

/// Decodes tokens to valid UTF-8. Without steps, joins them by spaces.
std::string decoded(std::vector<std::string> tokens, const Decoder& decoder, Budget& budget);

/// Replaces all occurrences of `from`, unless it is empty.
void replace_all(std::string& text, std::string_view from, std::string_view to);

}  // namespace headscope
