#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "core/text/tokenizer.h"

namespace headscope {

/// A token as a model reads it.
struct ModelToken {
  /// `text` is the token as people read it (" the", "⏎", "##ing", "[CLS]", ‹E2› for a byte that is not a
  /// character). `lookup` is the vocabulary's own piece ("Ġthe", "▁the"), and `id` is the vocabulary's id.
  /// `span` covers the characters of the original text that the token stands for; it is empty if there are
  /// none.
  Token token;
  bool is_special = false;      ///< A token such as "[CLS]" or "</s>", whether it was added or typed.
  bool continues_word = false;  ///< It belongs to the same word as the previous token.
  int text_index = 0;           ///< The text that `span` refers to: 0, or 1 for the second text of a pair.
  int type_id = 0;              ///< The segment, for models with segment embeddings (BERT).
  bool operator==(const ModelToken&) const = default;
};

struct EncodeOptions {
  bool add_special = true;  ///< Whether to add what the model expects around a text: "[CLS]", "<s>".
  std::optional<std::string_view> pair{};  ///< A second text.
};

/// The ids of tokens with a special meaning, as far as the tokenizer names them.
struct SpecialIds {
  std::optional<int> bos, eos, cls, sep, pad, mask, unk;
};

/// The tokens from `first` to before `last`.
struct TokenRange {
  std::size_t first = 0;
  std::size_t last = 0;
  bool operator==(const TokenRange&) const = default;
};

/// The words that tokens form, in order. Every token belongs to one word, and each special token is a word.
std::vector<TokenRange> words_of(std::span<const ModelToken> tokens);

struct TokenizerParts;

/// The tokenizer of a model as its authors published it. It gives the same ids as Hugging Face's tokenizers,
/// sentencepiece and tiktoken. It is immutable, and any thread may use it.
class ModelTokenizer {
 public:
  explicit ModelTokenizer(TokenizerParts parts);
  ~ModelTokenizer();
  ModelTokenizer(const ModelTokenizer&) = delete;
  ModelTokenizer& operator=(const ModelTokenizer&) = delete;

  /// Returns the tokens of a text, in time proportional to its length. Each ill-formed sequence of UTF-8 is
  /// read as one U+FFFD; spans count the bytes of the given text. Truncation and padding requested by a
  /// tokenizer.json are not applied. It is an error if the text is larger than `max_text_bytes`, if the
  /// tokenizer takes more time or memory for it than a Budget of its size, or if it contains something for
  /// which the vocabulary has no token, not even an unknown one, and which the original tokenizer refuses as
  /// well.
  Result<std::vector<ModelToken>> encode(std::string_view text, const EncodeOptions& options = {}) const;
  /// The ids alone, which is faster.
  Result<std::vector<int>> ids(std::string_view text, const EncodeOptions& options = {}) const;
  static constexpr std::size_t max_text_bytes = std::size_t{1} << 28U;

  /// The text for ids. Ids outside the vocabulary are left out, and so are special tokens if `skip_special`
  /// is true. Bytes that do not form a character become U+FFFD. It is an error if this takes more than a
  /// Budget.
  Result<std::string> decode(std::span<const int> ids, bool skip_special = false) const;

  /// One more than the largest id. Ids may have gaps.
  int size() const;
  /// The vocabulary's own piece for an id. Empty in a gap and outside 0 ≤ id < size().
  std::string_view piece(int id) const;
  /// The piece as people read it.
  std::string shown(int id) const;
  std::optional<int> find(std::string_view piece) const;
  bool is_special(int id) const;
  const SpecialIds& special_ids() const;
  /// The name of the algorithm for people: "byte-level BPE", "WordPiece", "Unigram".
  std::string_view kind() const;

 private:
  struct Inside;
  std::unique_ptr<const Inside> inside_;
};

}  // namespace headscope
