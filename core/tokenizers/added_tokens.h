#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/result.h"
#include "core/text/tokenizer.h"
#include "core/tokenizers/normalizer.h"
#include "core/tokenizers/prefix_trie.h"
#include "core/tokenizers/subword_model.h"

namespace headscope {

/// A token that is looked for in the unsplit text, before any other step.
struct AddedToken {
  std::string content;
  bool is_single_word = false;  ///< It is found only where no letter or digit touches it.
  bool strips_left = false;     ///< It includes the white space before it.
  bool strips_right = false;
  bool is_normalized = true;  ///< It is looked for in the normalized text.
  bool is_special = false;
  /// The id for a token that the vocabulary lacks. Without one, the token gets the next free id.
  std::optional<int> id{};
  bool operator==(const AddedToken&) const = default;
};

/// A special token that is looked for as it stands in the text.
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

/// A part of a text: an added token, or text from which tokens have yet to be made.
struct AddedTokenPart {
  TextSpan span;
  std::optional<int> id;
};

/// The added tokens of a tokenizer. Immutable.
class AddedTokens {
 public:
  AddedTokens() = default;
  /// Makes the added tokens. A token gets the id that the vocabulary gives it; otherwise its own id;
  /// otherwise, as in Hugging Face's tokenizers, the next id above all others. It is an error if there is no
  /// Budget for all ids, or for normalizing the tokens.
  static Result<AddedTokens> make(const std::vector<AddedToken>& tokens, const PieceTable& pieces,
                                  const Normalizer& normalizer);

  /// Splits a text at those tokens that are looked for in the original text, or at those that are looked for
  /// in the normalized text. Throws OverBudget.
  std::vector<AddedTokenPart> parts(std::string_view text, bool is_normalized, Budget& budget) const;

  std::optional<int> find(std::string_view content) const;
  /// Null if the id does not belong to any of these tokens.
  const AddedToken* token(int id) const;
  bool is_special(int id) const;
  /// One more than the largest id. 0 without tokens.
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
