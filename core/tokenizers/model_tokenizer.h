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

/// A token of a model.
struct ModelToken {
  /// `text` is for display (" the", "⏎", "##ing", "[CLS]", ‹E2› for an invalid byte), `lookup` is the raw
  /// piece ("Ġthe", "▁the"), and `span` the characters of the original text that it covers; may be empty.
  Token token;
  bool is_special = false;      ///< Such as "[CLS]" or "</s>", added or typed
  bool continues_word = false;  ///< Belongs to the word of the previous token
  bool operator==(const ModelToken&) const = default;
};

/// The ids of special tokens, as far as known.
struct SpecialIds {
  std::optional<int> bos, eos, cls, sep, pad, mask, unk;
};

struct TokenizerParts;

/// The published tokenizer of a model. Gives the same ids as Hugging Face's tokenizers, sentencepiece and
/// tiktoken. Immutable and thread-safe.
class ModelTokenizer {
 public:
  explicit ModelTokenizer(TokenizerParts parts);
  ~ModelTokenizer();
  ModelTokenizer(const ModelTokenizer&) = delete;
  ModelTokenizer& operator=(const ModelTokenizer&) = delete;

  /// Tokenizes a text in linear time, with or without special tokens such as "[CLS]" and "<s>" around it.
  /// Ill-formed sequences of UTF-8 count as one U+FFFD each; spans refer to the original bytes. Ignores
  /// truncation and padding of tokenizer.json. Fails if the text exceeds `max_text_bytes` or a Budget of its
  /// size, or contains something without a token, not even an unknown one, where the original tokenizer fails
  /// as well.
  Result<std::vector<ModelToken>> encode(std::string_view text, bool add_special = true) const;
  /// Only the ids; faster.
  Result<std::vector<int>> ids(std::string_view text, bool add_special = true) const;
  static constexpr std::size_t max_text_bytes = std::size_t{1} << 28U;

  /// Decodes ids to text. Drops ids outside the vocabulary and, if `skip_special`, special tokens. Invalid
  /// UTF-8 becomes U+FFFD. Fails if this exceeds a Budget.
  Result<std::string> decode(std::span<const int> ids, bool skip_special = false) const;

  /// One more than the largest id. Ids may have gaps.
  int size() const { return size_; }
  /// The raw piece of an id. Empty in gaps and out of range.
  std::string_view piece(int id) const;
  /// The piece for display.
  std::string shown(int id) const;
  std::optional<int> find(std::string_view piece) const;
  bool is_special(int id) const;
  const SpecialIds& special_ids() const;
  /// Why tokens may differ from those of the model: its file does not say all that it must. A sentence
  /// without a full stop. Empty if there is no doubt.
  const std::string& doubt() const;

 private:
  std::unique_ptr<const TokenizerParts> parts_;
  int size_ = 0;
};

}  // namespace headscope
