#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "core/tasks/grammar.h"

namespace headscope {

/// Finds pieces of phrases in the words of one sentence, wherever they may stand. Knows nothing of frames:
/// what a piece says of A, B and C is for the caller. Rows past the end hold no word.
class PhraseReader {
 public:
  PhraseReader(const Grammar& grammar, std::span<const int> words);

  /// A noun with what stands before it.
  struct NounPhrase {
    int row = 0;  ///< of the noun
    int end = 0;  ///< the row after it
  };
  /// A predicate.
  struct Predicate {
    KindMask kinds = 0;
    int end = 0;
  };
  /// A verb and what stands before it: "didn't quickly kick".
  struct VerbPhrase {
    const CompiledAction* action = nullptr;  ///< nothing: a verb that nobody knows
    int end = 0;  ///< the row after the verb and its words, where its object begins
  };

  int word(int row) const { return row >= 0 && row < n_words() ? words_[static_cast<std::size_t>(row)] : -1; }
  int n_words() const { return static_cast<int>(words_.size()); }

  /// The rows after a piece that begins at a row. Pieces that name a slot end nowhere.
  std::vector<int> ends_of(const Piece& piece, int row) const;
  std::vector<int> ends_of(const Phrase& phrase, int row) const;
  std::vector<int> ends_of_rule(std::string_view name, int row) const;
  std::vector<NounPhrase> nouns_at(int row) const;
  /// Of an owner: "the old man's".
  std::vector<NounPhrase> owners_at(int row) const;
  const std::vector<Predicate>& predicates_at(int row);
  std::vector<VerbPhrase> verbs_at(int row) const;

  /// The rows of the words that stand as nouns: the last ones after an article and its adjectives, and names,
  /// nouns in the plural and others without an article.
  std::vector<int> noun_rows() const;
  /// The kinds of noun of which what begins at a row can be said; 0 where the tables do not say.
  KindMask subjects_at(int row);

  /// The kinds of noun that the word at a row may be: all for an unknown word, none for a known word that is
  /// no noun; for an owner's form, those of its noun.
  KindMask kinds_at(int row) const;
  /// The pronouns that may stand for it.
  PronounMask pronouns_at(int row) const;

 private:
  std::vector<int> after_determiner(int row) const;
  std::vector<int> after_adjectives(int row) const;
  bool is_adjective(int id) const;
  bool is_owner(int id) const;
  /// The last noun of a run of adjectives and nouns, at or after a row; −1: there is none.
  int head_of_run(int row) const;
  /// The rows after "was", "isn't", "had been" … at a row.
  std::vector<int> after_be(int row) const;
  /// Of what is said after "was": for which nouns frames decide by it, and whether that is by a size, which
  /// can be said of everything.
  std::vector<Predicate> decided_at(int row) const;
  bool is_size_at(int row) const;
  /// Of what is said after "was": the kinds that it decides for, and those to which it is done.
  void add_said_with_be(int row, std::vector<Predicate>& said) const;
  bool is_form_of(const CompiledVerb& verb, int id) const;

  const Grammar& grammar_;
  std::span<const int> words_;
  std::vector<std::optional<std::vector<Predicate>>> predicates_;
};

}  // namespace headscope
