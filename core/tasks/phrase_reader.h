#pragma once

#include <initializer_list>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "core/tasks/grammar.h"

namespace headscope {

/// Parses phrases anywhere in a sentence. Independent of frames: the caller relates phrases to A, B and C.
/// Rows past the end have no word.
class PhraseReader {
 public:
  PhraseReader(const Grammar& grammar, std::span<const int> words);

  /// A predicate.
  struct Predicate {
    KindMask kinds = 0;
    int end = 0;
  };
  /// A verb with auxiliaries and adverbs: "didn't quickly kick".
  struct VerbPhrase {
    const CompiledAction* action = nullptr;  ///< Null for unknown verbs
    /// The row where the object begins.
    int end = 0;
  };

  int word(int row) const { return row >= 0 && row < n_words() ? words_[static_cast<std::size_t>(row)] : -1; }
  int n_words() const { return static_cast<int>(words_.size()); }

  /// The possible end rows of a piece that begins at `row`. Pieces with slots do not match.
  std::vector<int> ends_of(const Piece& piece, int row) const;
  std::vector<int> ends_of(const Phrase& phrase, int row) const;
  std::vector<int> ends_of_any(const std::vector<Phrase>& phrases, int row) const;
  std::vector<int> ends_of_rules(std::initializer_list<std::string_view> names, int row) const;
  /// The rows of the nouns, which end the noun phrases that begin at `row` with determiners and modifiers.
  std::vector<int> nouns_at(int row) const;
  /// The same for possessives: "the old man's".
  std::vector<int> possessives_at(int row) const;
  const std::vector<Predicate>& predicates_at(int row);
  std::vector<VerbPhrase> verbs_at(int row) const;

  /// The rows of words used as nouns: heads of noun phrases, names, plurals, and nouns without an article.
  std::vector<int> noun_rows() const;
  /// The kinds of nouns that the predicate at `row` can apply to. 0 if unknown.
  KindMask subjects_at(int row);

  /// The possible kinds of the word at `row`: all for an unknown word, none for a known word that is not a
  /// noun; for a possessive, those of its noun.
  KindMask kinds_at(int row) const;
  /// The pronouns that may refer to the word at `row`.
  PronounMask pronouns_at(int row) const;

 private:
  std::vector<int> after_determiner(int row) const;
  std::vector<int> after_adjectives(int row) const;
  bool is_adjective(int id) const;
  bool is_owner(int id) const;
  /// The row of the last noun in the run of adjectives and nouns at `row`, or −1.
  int head_of_run(int row) const;
  /// The rows after "was", "isn't", "had been" etc. at `row`.
  std::vector<int> after_be(int row) const;
  /// The kinds of nouns that the words after "was" at `row` decide for. is_size_at(): whether they denote a
  /// size, which applies to everything.
  std::vector<Predicate> decided_at(int row) const;
  bool is_size_at(int row) const;
  /// Adds the predicates after "was" at `row`: the kinds that they decide for, and the objects of
  /// participles.
  void add_said_with_be(int row, std::vector<Predicate>& said) const;
  bool is_form_of(const CompiledVerb& verb, int id) const;

  const Grammar& grammar_;
  std::span<const int> words_;
  std::vector<std::optional<std::vector<Predicate>>> predicates_;
};

}  // namespace headscope
