#pragma once

#include <optional>
#include <utility>

#include "core/tasks/draws.h"
#include "core/tasks/sentence.h"

namespace headscope {

/// Writes one sentence; where the frame's choices do not fit together, it gives up.
class SentenceWriter {
 public:
  SentenceWriter(const Grammar& grammar, RandomStream& random) : grammar_(grammar), random_(random) {}

  std::optional<Sentence> write();

 private:
  struct Noun {
    int kind = -1;
    int word = -1;
    int owner = -1;  ///< the word as an owner
    NounPronoun pronoun = NounPronoun::it;
  };

  static constexpr int tries = 40;

  static std::size_t at(int index) { return static_cast<std::size_t>(index); }
  static bool has(KindMask mask, int kind) { return (mask >> static_cast<unsigned>(kind) & 1U) != 0; }

  Noun& noun(int slot) { return nouns_[at(slot == Piece::the_meant ? (sentence_.means_a ? 0 : 1) : slot)]; }
  const Noun& meant() { return noun(Piece::the_meant); }
  const Noun& other() { return nouns_[sentence_.means_a ? 1 : 0]; }

  /// One of the words of the kinds, each as likely.
  Noun draw_noun(KindMask mask, bool may_be_plural = true);

  /// Many words of a kind make it likelier, but not as much.
  std::size_t weight_of(std::size_t kind) const;
  bool is_taken(int word) const;
  Noun draw_new_noun(KindMask mask, bool may_be_plural = true);
  void choose_nouns();

  bool is_owner(int slot) const { return stands_as(Piece::Kind::owner, slot); }
  bool is_bare(int slot) const { return stands_as(Piece::Kind::bare_noun, slot); }
  bool stands_as(Piece::Kind kind, int slot) const;

  /// The pronoun of one noun, which is none of several.
  static PronounMask bit_of(const Noun& noun) { return pronouns_of(noun.pronoun, false); }

  /// Nouns that fit the first action of the frame.
  void choose_by_action(const Piece& piece);
  void add_word(int id, bool is_key, bool has_content = false);

  void add_rule(std::string_view name) { add(draw_one(random_, grammar_.rule(name))); }

  void add(const Phrase& phrase, bool is_key = false);
  void add(const Piece& piece, bool is_key);

  void add_one(int rule, bool is_key) { add(draw_one(random_, grammar_.rules[at(rule)]), is_key); }

  /// What decides which noun is meant, or, in a few sentences, what decides in another frame, so that nobody
  /// can tell.
  void add_decider();
  const Phrase& draw_foreign_decider();
  /// The rule of a name that fits the tense and the number of the noun before: "past-neg-plural".
  void add_by_tense(std::string_view name);
  void add_be(bool is_plural);
  void add_verb(const CompiledVerb& verb, bool is_key);

  /// What one noun does to another; what stands after the object follows with it.
  void add_action(const Piece& piece, bool is_key);
  void add_form(const CompiledAction& action, bool is_key);
  void add_adverb();

  /// An action of the piece's subject on its object. Of the noun that is meant, what the other one does not
  /// do, or does not suffer, unless the pronoun tells. A third noun is chosen with it.
  const CompiledAction* find_action(const Piece& piece);

  /// A predicate of a noun; one that decides is not said of the other.
  void add_saying(const Noun& of, bool decides);
  void add_slot(int slot);

  /// The third noun, for the first action after it.
  void choose_for_action(int slot);
  void add_noun_word(int slot);
  void add_owner_slot(int slot);
  void add_any_noun(KindMask mask);
  void end_object();

  /// What stands before a noun.
  void add_determiner(const Noun& of);

  /// A noun that only says more of the next one: "the apple tree".
  void add_compound();

  /// Somebody who is no noun of the frame and has none of its pronouns; nothing where that fails.
  bool add_owner();
  void add_pronoun(int slot, const std::array<int, 4>& forms);
  void add_fact();

  /// But for those that the frame repeats.
  bool names_its_nouns_once() const;

  const Grammar& grammar_;
  RandomStream& random_;
  Sentence sentence_;
  const CompiledFrame* frame_ = nullptr;
  bool is_present_ = false;
  bool is_plural_ = false;  ///< of the noun or pronoun before
  bool differ_ = true;      ///< the pronoun of the noun that is meant stands for no other
  bool fails_ = false;
  struct {
    const Piece* piece = nullptr;
    int action = -1;
  } chosen_;  ///< of a piece whose action is chosen before its turn
  Phrase after_object_;
  std::array<Noun, 3> nouns_;
  std::vector<std::pair<std::size_t, int>> pronouns_;  ///< row and slot
};

}  // namespace headscope
