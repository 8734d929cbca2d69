#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "core/text/tokenizer.h"

namespace headscope {

/// Whether a word of a vocabulary is special, by its name: "[pad]", "[new3]".
inline bool is_special(std::string_view word) {
  return word.size() > 2 && word.front() == '[' && word.back() == ']';
}

/// Whether a token is special: one of a model's own tokenizer by what this says of it, a word by its name.
inline bool is_special_token(const Token& token) {
  return token.is_special || is_special(std::string_view(token.lookup));
}

/// Whether a word as it is looked up is underscores alone ("___"), which ask for a word.
bool is_blank(std::string_view lookup);

/// The words that a trained model knows. Immutable; the id of a word is its place in the list. Some words are
/// special, by their name: "[pad]" pads, "[blank]" asks for a word, "[begin]" and "[end]" frame what a
/// decoder writes, and "[new0]", "[new1]", … stand in for words that are not known; "[new-ed0]", "[new-ed1]",
/// … for those that end in "ed", and so with any other ending.
class Vocabulary {
 public:
  /// Errors: an empty list, an empty word, a word with a line break in it, and a word that is listed twice
  /// (both lines are named; lines count from 1).
  static Result<Vocabulary> make(std::vector<std::string> words);

  /// The pieces of a model's own tokenizer, as people read them: any texts, which may repeat. Its tokens
  /// bring their ids, so that no word is looked up here. Padding has the id `pad`, and what ends a text the
  /// id `end`, −1 where there is none.
  static Vocabulary of_pieces(std::vector<std::string> pieces, int pad = 0, int end = -1);

  /// Whether ids are a tokenizer's own.
  bool has_pieces() const { return has_pieces_; }
  int size() const { return static_cast<int>(words_.size()); }
  /// For 0 ≤ id < size().
  const std::string& word(int id) const { return words_[static_cast<std::size_t>(id)]; }
  const std::vector<std::string>& words() const { return words_; }
  /// The id of a word as it is looked up (Token::lookup); nothing when it is not known.
  std::optional<int> find(std::string_view lookup) const;

  /// The special words; −1 if there is none.
  int pad() const { return pad_; }
  int blank() const { return blank_; }
  int begin() const { return begin_; }
  int end() const { return end_; }
  /// The ordinary words: all but the special ones, whose names are in brackets.
  int n_ordinary() const;
  int n_placeholders() const;
  bool is_placeholder(int id) const;

  /// Whether assign_ids() gives the token an id of its own or, for underscores, that of "[blank]".
  bool knows(const Token& token) const;

  /// Those that may stand in for an unknown word: of the longest ending that it has after two letters at
  /// least, else those of no ending; ascending, empty where the vocabulary has none.
  const std::vector<int>& placeholders_for(std::string_view lookup) const;

  /// Gives every token of one sentence its id here:
  /// a known word its own; underscores alone ("___") that of "[blank]"; an unknown word a placeholder that
  /// follows from its lookup text alone (of placeholders_for() it), the same on every machine. Where that one
  /// is taken by another unknown word of the sentence it gets the next free one, in order of first
  /// appearance, so typing on changes no earlier word. With more unknown words than placeholders, some share
  /// one. A vocabulary without placeholders gives an unknown word the id of "[blank]", without that the id of
  /// "[pad]", else 0.
  void assign_ids(std::vector<Token>& tokens) const;

  /// One word per line, each line terminated; from_text() reads it again, with or without \r and a last line
  /// end. Errors of from_text(): those of make().
  std::string to_text() const;
  static Result<Vocabulary> from_text(std::string_view text);

 private:
  /// Of words with one ending.
  struct Placeholders {
    std::string ending;
    std::vector<int> ids;  ///< ascending
  };

  Vocabulary() = default;
  void add_placeholder(const std::string& ending, int id);

  std::vector<std::string> words_;
  std::vector<int> sorted_;                 ///< ids in the order of their words, to find them by bisection
  std::vector<Placeholders> placeholders_;  ///< long endings first
  bool has_pieces_ = false;
  int pad_ = -1;
  int blank_ = -1;
  int begin_ = -1;
  int end_ = -1;
};

}  // namespace headscope
