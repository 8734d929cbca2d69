#pragma once

#include <optional>
#include <utility>

#include "core/tasks/sentence.h"
#include "core/tasks/task.h"

namespace headscope {

/// Writes one sentence, or gives up if the frame's choices do not fit together.
class SentenceWriter {
 public:
  SentenceWriter(const Grammar& grammar, RandomStream& random) : grammar_(grammar), random_(random) {}

  std::optional<Sentence> write();

 private:
  struct Noun {
    int kind = -1;
    int word = -1;
    int owner = -1;  ///< The owner's form of the word.
    NounPronoun pronoun = NounPronoun::it;
  };

  static constexpr int tries = 40;

  static std::size_t at(int index) { return static_cast<std::size_t>(index); }
  static bool has(KindMask mask, int kind) { return (mask >> static_cast<unsigned>(kind) & 1U) != 0; }

  Noun& noun(int slot) { return nouns_[at(slot == Piece::the_meant ? (sentence_.means_a ? 0 : 1) : slot)]; }
  const Noun& meant() { return noun(Piece::the_meant); }
  const Noun& other() { return nouns_[sentence_.means_a ? 1 : 0]; }

  /// Draws a kind by weight_of() and one of its words.
  Noun draw_noun(KindMask mask, bool may_be_plural = true);

  /// Returns the weight of a kind, which grows with the number of its words, but more slowly.
  std::size_t weight_of(std::size_t kind) const;
  bool is_taken(int word) const;
  Noun draw_new_noun(KindMask mask, bool may_be_plural = true);
  void choose_nouns();

  bool is_owner(int slot) const { return stands_as(Piece::Kind::owner, slot); }
  bool is_bare(int slot) const { return stands_as(Piece::Kind::bare_noun, slot); }
  bool stands_as(Piece::Kind kind, int slot) const;

  /// Returns the pronoun of a drawn noun as a mask with a single bit.
  static PronounMask bit_of(const Noun& noun) { return pronouns_of(noun.pronoun, false); }

  /// Draws nouns that fit the first action of the frame.
  void choose_by_action(const Piece& piece);
  void add_word(int id, bool is_key, bool has_content = false);

  void add_rule(std::string_view name) { add(draw_one(random_, grammar_.rule(name))); }

  void add(const Phrase& phrase, bool is_key = false);
  void add(const Piece& piece, bool is_key);

  void add_one(int rule, bool is_key) { add(draw_one(random_, grammar_.rules[at(rule)]), is_key); }

  /// Adds what decides which noun is meant or, in a few sentences, what decides in another frame, which makes
  /// the sentence undecidable.
  void add_decider();
  const Phrase& draw_foreign_decider();
  /// Adds the rule of a name in the form that fits the tense and the number of the preceding noun, such as
  /// "past-neg-plural".
  void add_by_tense(std::string_view name);
  void add_be(bool is_plural);
  void add_verb(const CompiledVerb& verb, bool is_key);

  /// Adds what one noun does to another. The words after the object follow when the object has been added.
  void add_action(const Piece& piece, bool is_key);
  void add_form(const CompiledAction& action, bool is_key);
  void add_adverb();

  /// Finds an action of the piece's subject on its object. If the meant noun takes part, the other noun must
  /// be unable to take its place, unless the pronoun tells them apart. Also chooses the third noun if the
  /// action involves it.
  const CompiledAction* find_action(const Piece& piece);

  /// Adds a predicate of a noun. If it decides, it must not be one of the other noun.
  void add_saying(const Noun& of, bool decides);
  void add_slot(int slot);

  /// Chooses the third noun to fit the first action that follows.
  void choose_for_action(int slot);
  void add_noun_word(int slot);
  void add_owner_slot(int slot);
  void add_any_noun(KindMask mask);
  void end_object();

  /// Adds what precedes a noun.
  void add_determiner(const Noun& of);

  /// Adds a noun that describes the next one, as in "the apple tree".
  void add_compound();

  /// Adds an owner that is not a noun of the frame and has none of their pronouns. Returns false if that
  /// fails.
  bool add_owner();
  void add_pronoun(int slot, const std::array<int, 4>& forms);
  void add_fact();

  /// Returns whether each noun occurs only as often as the frame names it.
  bool names_its_nouns_once() const;

  const Grammar& grammar_;
  RandomStream& random_;
  Sentence sentence_;
  const CompiledFrame* frame_ = nullptr;
  bool is_present_ = false;
  bool is_plural_ = false;  ///< Whether the preceding noun or pronoun is in the plural.
  /// True if the pronoun of the meant noun cannot stand for the other.
  bool differ_ = true;
  bool fails_ = false;
  struct {
    const Piece* piece = nullptr;
    int action = -1;
  } chosen_;  ///< The action of a piece that is chosen before the piece's turn.
  Phrase after_object_;
  std::array<Noun, 3> nouns_;
  std::vector<std::pair<std::size_t, int>> pronouns_;  ///< Pairs of row and slot.
};

}  // namespace headscope
