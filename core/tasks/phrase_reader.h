#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "core/tasks/grammar.h"

namespace headscope {

/// Finds pieces of phrases in the words of one sentence, wherever they are. It knows nothing about frames;
/// the caller decides what a piece says about A, B and C. Rows beyond the end hold no word.
class PhraseReader {
 public:
  PhraseReader(const Grammar& grammar, std::span<const int> words);

  /// A noun with what precedes it.
  struct NounPhrase {
    int row = 0;  ///< The row of the noun.
    int end = 0;  ///< The row after the noun.
  };
  /// A predicate.
  struct Predicate {
    KindMask kinds = 0;
    int end = 0;
  };
  /// A verb and what precedes it, such as "didn't quickly kick".
  struct VerbPhrase {
    const CompiledAction* action = nullptr;  ///< Null if the verb is unknown.
    /// The row after the verb and its words, where its object begins.
    int end = 0;
  };

  int word(int row) const { return row >= 0 && row < n_words() ? words_[static_cast<std::size_t>(row)] : -1; }
  int n_words() const { return static_cast<int>(words_.size()); }

  /// Return the rows at which a piece that begins at a row may end. Pieces that name a slot match nothing.
  std::vector<int> ends_of(const Piece& piece, int row) const;
  std::vector<int> ends_of(const Phrase& phrase, int row) const;
  std::vector<int> ends_of_rule(std::string_view name, int row) const;
  std::vector<NounPhrase> nouns_at(int row) const;
  /// Finds nouns as owners, such as "the old man's".
  std::vector<NounPhrase> owners_at(int row) const;
  const std::vector<Predicate>& predicates_at(int row);
  std::vector<VerbPhrase> verbs_at(int row) const;

  /// Returns the rows of the words that are used as nouns: the last noun after an article and its adjectives,
  /// names, nouns in the plural, and others without an article.
  std::vector<int> noun_rows() const;
  /// Returns the kinds of nouns that the predicate beginning at a row can describe, or 0 if the tables do not
  /// say.
  KindMask subjects_at(int row);

  /// Returns the kinds of nouns that the word at a row may belong to: all for an unknown word, none for a
  /// known word that is not a noun, and for an owner's form those of its noun.
  KindMask kinds_at(int row) const;
  /// Returns the pronouns that may stand for the word at a row.
  PronounMask pronouns_at(int row) const;

 private:
  std::vector<int> after_determiner(int row) const;
  std::vector<int> after_adjectives(int row) const;
  bool is_adjective(int id) const;
  bool is_owner(int id) const;
  /// Returns the row of the last noun in a run of adjectives and nouns that begins at a row, or −1 if there
  /// is none.
  int head_of_run(int row) const;
  /// Returns the rows after "was", "isn't", "had been" and the like at a row.
  std::vector<int> after_be(int row) const;
  /// Returns the nouns for which frames decide by the words after "was" that begin at a row. is_size_at()
  /// returns whether these words name a size, which can be said of everything.
  std::vector<Predicate> decided_at(int row) const;
  bool is_size_at(int row) const;
  /// Adds the predicates after "was" that begin at a row: the kinds for which they decide, and the kinds to
  /// which the action of a participle is done.
  void add_said_with_be(int row, std::vector<Predicate>& said) const;
  bool is_form_of(const CompiledVerb& verb, int id) const;

  const Grammar& grammar_;
  std::span<const int> words_;
  std::vector<std::optional<std::vector<Predicate>>> predicates_;
};

}  // namespace headscope
