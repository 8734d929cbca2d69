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
  /// `text`: as people read it (" the", "⏎", "##ing", "[CLS]", ‹E2› for a byte that is no character).
  /// `lookup`: the vocabulary's own piece ("Ġthe", "▁the"). `id`: the vocabulary's id.
  /// `span`: the characters of the original text that it stands for; empty where it stands for none.
  Token token;
  bool is_special = false;      ///< "[CLS]", "</s>": of the model, whether it was added or typed
  bool continues_word = false;  ///< belongs to the same word as the token before it
  int text_index = 0;           ///< the text that `span` is of: 0, or 1 for the second of a pair
  int type_id = 0;              ///< the segment for models with segment embeddings (BERT)
  bool operator==(const ModelToken&) const = default;
};

struct EncodeOptions {
  bool add_special = true;                 ///< adds what the model expects around a text: "[CLS]", "<s>"
  std::optional<std::string_view> pair{};  ///< a second text
};

/// The ids of tokens with a meaning of their own, where the tokenizer names them.
struct SpecialIds {
  std::optional<int> bos, eos, cls, sep, pad, mask, unk;
};

/// Tokens from `first` to before `last`.
struct TokenRange {
  std::size_t first = 0;
  std::size_t last = 0;
  bool operator==(const TokenRange&) const = default;
};

/// The words that tokens make, in their order: every token is in one, and a special token is a word of its
/// own.
std::vector<TokenRange> words_of(std::span<const ModelToken> tokens);

struct TokenizerParts;

/// The tokenizer of a model as the model's authors published it: the same ids as Hugging Face's tokenizers,
/// sentencepiece and tiktoken give. Immutable; any thread may use it.
class ModelTokenizer {
 public:
  explicit ModelTokenizer(TokenizerParts parts);
  ~ModelTokenizer();
  ModelTokenizer(const ModelTokenizer&) = delete;
  ModelTokenizer& operator=(const ModelTokenizer&) = delete;

  /// The tokens of a text. Takes time in proportion to the text. Invalid UTF-8 is read as U+FFFD, one for
  /// each ill-formed sequence; spans count the bytes that were given. Truncation and padding that a
  /// tokenizer.json asks for are not carried out. Errors: a text above `max_text_bytes`; a pattern of the
  /// tokenizer that takes too many steps on this text; a text with something for which the vocabulary has no
  /// token, not even an unknown one, where the original also refuses it.
  Result<std::vector<ModelToken>> encode(std::string_view text, const EncodeOptions& options = {}) const;
  /// The ids alone, which is faster.
  Result<std::vector<int>> ids(std::string_view text, const EncodeOptions& options = {}) const;
  static constexpr std::size_t max_text_bytes = std::size_t{1} << 28U;

  /// The text of ids. Ids outside of the vocabulary are left out, and special tokens with `skip_special`.
  /// Bytes that make no character become U+FFFD. Errors: a pattern that takes too many steps.
  Result<std::string> decode(std::span<const int> ids, bool skip_special = false) const;

  /// One more than the greatest id. Ids may have holes.
  int size() const;
  /// The vocabulary's own piece of an id; empty for a hole and outside of 0 ≤ id < size().
  std::string_view piece(int id) const;
  /// The same as people read it.
  std::string shown(int id) const;
  std::optional<int> find(std::string_view piece) const;
  bool is_special(int id) const;
  const SpecialIds& special_ids() const;
  /// The algorithm for people: "byte-level BPE", "WordPiece", "Unigram".
  std::string_view kind() const;

 private:
  struct Inside;
  std::unique_ptr<const Inside> inside_;
};

}  // namespace headscope
