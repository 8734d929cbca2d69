#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/result.h"
#include "core/text/tokenizer.h"
#include "core/tokenizers/prefix_trie.h"
#include "core/tokenizers/subword_model.h"
#include "core/tokenizers/tokenizer_steps.h"

namespace headscope {

/// A token that is matched in the text before any other step.
struct AddedToken {
  std::string content;
  bool is_single_word = false;  ///< Matches only at word boundaries
  bool strips_left = false;     ///< Includes preceding white space
  bool strips_right = false;
  bool is_normalized = true;  ///< Matched in the normalized text
  bool is_special = false;
  /// The id if the vocabulary lacks the token. If unset, the next free id.
  std::optional<int> id{};
  bool operator==(const AddedToken&) const = default;
};

/// A special token that is matched in the original text.
inline AddedToken special_token(std::string content, std::optional<int> id = {}) {
  AddedToken token;
  token.content = std::move(content);
  token.is_normalized = false;
  token.is_special = true;
  token.id = id;
  return token;
}

/// Whether one of the tokens has this text.
bool has_token(const std::vector<AddedToken>& tokens, std::string_view content);
/// Adds a token unless another one already has its text.
void add_if_new(const AddedToken& token, std::vector<AddedToken>& to);

/// A part of a text: an added token, or text still to be tokenized.
struct AddedTokenPart {
  TextSpan span;
  std::optional<int> id;
};

/// The added tokens of a tokenizer. Immutable.
class AddedTokens {
 public:
  AddedTokens() = default;
  /// Assigns ids: that of the vocabulary, else AddedToken::id, else the next id above all others, as in
  /// Hugging Face's tokenizers. Fails if ids or normalization exceed a Budget.
  static Result<AddedTokens> make(const std::vector<AddedToken>& tokens, const PieceTable& pieces,
                                  const Normalizer& normalizer);

  /// Splits a text at the tokens that are matched in the original or in the normalized text. Throws
  /// OverBudget.
  std::vector<AddedTokenPart> parts(std::string_view text, bool is_normalized, Budget& budget) const;

  std::optional<int> find(std::string_view content) const;
  /// Null if the id is not an added token.
  const AddedToken* token(int id) const;
  bool is_special(int id) const;
  /// One more than the largest id, or 0.
  int size() const { return size_; }

 private:
  void add(const AddedToken& token, int id);

  std::unordered_map<std::string, int> ids_;
  std::unordered_map<int, AddedToken> tokens_;
  PrefixTrie originals_;
  PrefixTrie normalized_;
  int size_ = 0;
};

}  // namespace headscope
