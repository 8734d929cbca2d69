#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "core/text/tokenizer.h"

namespace headscope {

/// Whether a word of a vocabulary is special by name: "[pad]", "[new3]".
inline bool is_special(std::string_view word) {
  return word.size() > 2 && word.front() == '[' && word.back() == ']';
}

/// Whether a token is special, according to the model's tokenizer or by name.
inline bool is_special_token(const Token& token) {
  return token.is_special || is_special(std::string_view(token.lookup));
}

/// The ending in a placeholder for unknown words: "ed" for "[new-ed7]", "" for "[new7]". Empty if the word is
/// not a placeholder.
std::optional<std::string> placeholder_ending(std::string_view word);
inline bool is_placeholder(std::string_view word) {
  return placeholder_ending(word).has_value();
}

/// Whether a lookup text is a blank to fill in: only underscores ("___").
bool is_blank(std::string_view lookup);

/// The vocabulary of a trained model. Immutable; the id of a word is its index. Special words: "[pad]";
/// "[blank]" to fill in; "[begin]" and "[end]" of decoder output; placeholders "[new0]", "[new1]", … for
/// unknown words, and "[new-ed0]", "[new-ed1]", … for unknown words that end in "ed", likewise for other
/// endings.
class Vocabulary {
 public:
  /// Errors: an empty list, an empty word, a word with a line break, and a duplicate (the message names both
  /// lines, counted from 1).
  static Result<Vocabulary> make(std::vector<std::string> words);

  /// A vocabulary of the display texts of a model tokenizer's pieces. Arbitrary, possibly repeated texts,
  /// since tokens already have ids. `pad` and `end` are the ids of the padding and end-of-text tokens; `end`
  /// may be −1.
  static Vocabulary from_pieces(std::vector<std::string> pieces, int pad = 0, int end = -1);

  /// Whether ids are those of a model's tokenizer.
  bool has_pieces() const { return has_pieces_; }
  int size() const { return static_cast<int>(words_.size()); }
  /// Requires 0 ≤ id < size().
  const std::string& word(int id) const { return words_[static_cast<std::size_t>(id)]; }
  const std::vector<std::string>& words() const { return words_; }
  /// The id of a word by its lookup text (Token::lookup). Empty if unknown.
  std::optional<int> find(std::string_view lookup) const;

  /// The ids of special words, or −1.
  int pad() const { return pad_; }
  int blank() const { return blank_; }
  int begin() const { return begin_; }
  int end() const { return end_; }
  /// The number of words that are not special.
  int n_ordinary() const;
  int n_placeholders() const;
  bool is_placeholder(int id) const;

  /// Whether assign_ids() gives the token its own id or, for blanks, that of "[blank]".
  bool knows(const Token& token) const;

  /// The ascending ids of the placeholders for an unknown word: those of its longest matching ending after at
  /// least two bytes, otherwise those without an ending. May be empty.
  const std::vector<int>& placeholders_for(std::string_view lookup) const;

  /// Assigns ids to the tokens of a sentence. Known words get their own id, and blanks ("___") that of
  /// "[blank]". An unknown word gets one of its placeholders_for(), chosen by a portable hash of its lookup
  /// text or, if another unknown word has taken that, the next free one, in order of first appearance, so
  /// that appending words changes no earlier ids. If placeholders run out, words share them. Without
  /// placeholders, unknown words get the id of "[blank]", else "[pad]", else 0.
  void assign_ids(std::vector<Token>& tokens) const;

  /// Serialises one word per line. from_text() also accepts \r\n and a missing last line end; its errors are
  /// those of make().
  std::string to_text() const;
  static Result<Vocabulary> from_text(std::string_view text);

 private:
  /// The placeholders for words with an ending.
  struct Placeholders {
    std::string ending;
    std::vector<int> ids;  ///< ascending
  };

  Vocabulary() = default;
  void add_placeholder(const std::string& ending, int id);

  std::vector<std::string> words_;
  std::vector<int> sorted_;                 ///< ids sorted by their words, for binary search
  std::vector<Placeholders> placeholders_;  ///< longest endings first
  bool has_pieces_ = false;
  int pad_ = -1;
  int blank_ = -1;
  int begin_ = -1;
  int end_ = -1;
};

/// The words with these ids, separated by spaces.
std::string text_of(const Vocabulary& vocabulary, std::span<const int> ids);

}  // namespace headscope
