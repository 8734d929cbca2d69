#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "core/text/tokenizer.h"

namespace headscope {

/// Whether the name of a vocabulary's word marks it as special, such as "[pad]" or "[new3]".
inline bool is_special(std::string_view word) {
  return word.size() > 2 && word.front() == '[' && word.back() == ']';
}

/// Whether a token is special, either according to the model's own tokenizer or by the name of its word.
inline bool is_special_token(const Token& token) {
  return token.is_special || is_special(std::string_view(token.lookup));
}

/// Whether a word of a vocabulary, such as "[new3]", stands in for unknown words.
bool is_placeholder(std::string_view word);

/// Whether a lookup text consists only of underscores ("___"), which ask for a word.
bool is_blank(std::string_view lookup);

/// The words that a trained model knows. Immutable; the id of a word is its index in the list. The names of
/// some words make them special: "[pad]" pads, "[blank]" asks for a word, "[begin]" and "[end]" enclose what
/// a decoder writes, "[new0]", "[new1]", … stand in for unknown words, and "[new-ed0]", "[new-ed1]", … stand
/// in for unknown words that end in "ed", and likewise for any other ending.
class Vocabulary {
 public:
  /// Errors: an empty list, an empty word, a word that contains a line break, and a word that is listed twice
  /// (the message names both lines; lines count from 1).
  static Result<Vocabulary> make(std::vector<std::string> words);

  /// Makes a vocabulary of the pieces of a model's own tokenizer, as people read them. They may be any texts
  /// and may repeat, because the tokens already have their ids and are not looked up. Padding has the id
  /// `pad`. The token that ends a text has the id `end`, or −1 if there is none.
  static Vocabulary of_pieces(std::vector<std::string> pieces, int pad = 0, int end = -1);

  /// Whether the ids are those of a model's own tokenizer.
  bool has_pieces() const { return has_pieces_; }
  int size() const { return static_cast<int>(words_.size()); }
  /// Requires 0 ≤ id < size().
  const std::string& word(int id) const { return words_[static_cast<std::size_t>(id)]; }
  const std::vector<std::string>& words() const { return words_; }
  /// The id of a word with this lookup text (Token::lookup). No value if the word is not known.
  std::optional<int> find(std::string_view lookup) const;

  /// The id of each special word, or −1 if the vocabulary does not have it.
  int pad() const { return pad_; }
  int blank() const { return blank_; }
  int begin() const { return begin_; }
  int end() const { return end_; }
  /// The number of ordinary words: all words except the special ones, whose names are in brackets.
  int n_ordinary() const;
  int n_placeholders() const;
  bool is_placeholder(int id) const;

  /// Whether assign_ids() gives the token an id of its own or, for underscores, the id of "[blank]".
  bool knows(const Token& token) const;

  /// The ids, in ascending order, of the placeholders that may stand in for an unknown word: those of the
  /// longest ending that follows at least two bytes of the word, otherwise those without an ending. Empty if
  /// the vocabulary has none.
  const std::vector<int>& placeholders_for(std::string_view lookup) const;

  /// Gives every token of one sentence its id in this vocabulary.
  /// A known word gets its own id, and underscores alone ("___") get that of "[blank]". An unknown word gets
  /// one of its placeholders_for(), chosen by its lookup text alone, which is the same on every machine. If
  /// another unknown word of the sentence has taken that placeholder, it gets the next free one, in order of
  /// first appearance, so that further typing changes no earlier word. If there are more unknown words than
  /// placeholders, some share one. In a vocabulary without placeholders, an unknown word gets the id of
  /// "[blank]"; if there is none, that of "[pad]"; and if there is none either, 0.
  void assign_ids(std::vector<Token>& tokens) const;

  /// Writes one word per line, with a line end after each. from_text() reads this back and also accepts \r\n
  /// and a missing last line end. Errors of from_text(): those of make().
  std::string to_text() const;
  static Result<Vocabulary> from_text(std::string_view text);

 private:
  /// The placeholders for words with one ending.
  struct Placeholders {
    std::string ending;
    std::vector<int> ids;  ///< ascending
  };

  Vocabulary() = default;
  void add_placeholder(const std::string& ending, int id);

  std::vector<std::string> words_;
  std::vector<int> sorted_;                 ///< ids sorted by their words, for binary search
  std::vector<Placeholders> placeholders_;  ///< the longest endings first
  bool has_pieces_ = false;
  int pad_ = -1;
  int blank_ = -1;
  int begin_ = -1;
  int end_ = -1;
};

}  // namespace headscope
