#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/result.h"
#include "core/text/tokenizer.h"
#include "core/tokenizers/normalizer.h"
#include "core/tokenizers/piece_table.h"
#include "core/tokenizers/prefix_trie.h"

namespace headscope {

/// A token that is looked for in a text as it is, before anything else.
struct AddedToken {
  std::string content;
  bool is_single_word = false;  ///< not where a letter or digit touches it
  bool strips_left = false;     ///< takes the white space before it
  bool strips_right = false;
  bool is_normalized = true;  ///< looked for in the normalized text
  bool is_special = false;
  /// Where the vocabulary does not have it. Without one it gets the next that is free.
  std::optional<int> id{};
  bool operator==(const AddedToken&) const = default;
};

/// Whether one of some tokens has this text.
bool has_token(const std::vector<AddedToken>& tokens, std::string_view content);
/// Adds a token, unless one has its text already.
void add_if_new(const AddedToken& token, std::vector<AddedToken>& to);

/// A part of a text: an added token, or what tokens are to be made of.
struct AddedTokenPart {
  TextSpan span;
  std::optional<int> id;
};

/// The added tokens of a tokenizer. Immutable.
class AddedTokens {
 public:
  AddedTokens() = default;
  /// A token gets the id that the vocabulary gives it, else its own, else, as in Hugging Face's tokenizers,
  /// the next one above all others. Errors: a token above 1024 bytes, an id beyond all measure, and a pattern
  /// of the normalizer that takes too many steps on a token.
  static Result<AddedTokens> make(const std::vector<AddedToken>& tokens, const PieceTable& pieces,
                                  const Normalizer& normalizer);

  /// The parts of a text: those of the tokens that are looked for in the original text, or in the normalized
  /// one.
  std::vector<AddedTokenPart> parts(std::string_view text, bool is_normalized) const;

  std::optional<int> find(std::string_view content) const;
  /// Null if the id is none of theirs.
  const AddedToken* token(int id) const;
  bool is_special(int id) const;
  /// One more than the greatest id; 0 without tokens.
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
