#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/tasks/tables.h"
#include "core/text/vocabulary.h"

namespace headscope {

/// Kinds of nouns, with one bit for each.
using KindMask = std::uint64_t;

/// Pronouns, with one bit each for it, he, she and they.
using PronounMask = std::uint8_t;

/// One piece of the text of a frame or a rule. The comment of SentenceFrame lists the pieces.
struct Piece {
  enum class Kind : std::uint8_t {
    word,
    verb,
    noun,
    owner,
    bare_noun,
    noun_again,
    any_noun,
    action,
    saying,
    deciding_saying,
    meant,
    meant_object,
    subject,
    object,
    decider,
    rule,
    comma,
    be,
    said_be,
    not_be,
    neg,
    didnt,
    asked_neg,
    asked,
    question_mark,
    fact
  };
  Kind kind = Kind::word;
  /// For a word, its id; for a verb or rule, its index; for any_noun, the index of its mask; for nouns,
  /// pronouns and sayings, a slot 0 … 2; for an action, the slot of the subject or `the_meant`.
  int value = 0;
  bool is_key = false;
  int object = 0;  ///< The slot of an action's object, or `the_meant`.
  bool operator==(const Piece&) const = default;

  static constexpr int the_meant = 3;

  /// Returns whether an action is something that the meant noun does or that is done to it.
  bool is_of_meant() const { return value == the_meant || object == the_meant; }
};

using Phrase = std::vector<Piece>;

struct CompiledFrame {
  const SentenceFrame* source = nullptr;
  Phrase phrase;
  /// The kinds allowed in each slot. 0 if the action determines them or there is no such noun.
  std::array<KindMask, 3> kinds{};
  bool b_is_kind_of_a = false;
  bool is_open = false;
  bool is_question = false;
  bool decides_by_degree = false;  ///< True if what decides follows "too", "very" or the like.
  int decides_a = -1;              ///< Indices of rules.
  int decides_b = -1;
  double present_share = 0.0;  ///< The probability of the present tense.

  /// Returns the kinds in `mask` that a slot allows.
  KindMask allowed(int slot, KindMask mask) const {
    const KindMask of_frame = kinds[static_cast<std::size_t>(slot)];
    return of_frame == 0 ? mask : mask & of_frame;
  }
};

struct CompiledKind {
  NounPronoun pronoun = NounPronoun::it;
  NounKind::Use use = NounKind::Use::countable;
  std::vector<int> words;
  std::vector<int> plurals;  ///< The plural of each word. Empty if there are none.
  std::vector<int> owners;   ///< The owner's form of each word. Empty if there are none.
  std::vector<int> adjectives;
};

struct CompiledVerb {
  int base = 0, present = 0, past = 0;
  int participle = -1;  ///< −1 if the verb occurs only in sayings.
};

struct CompiledAction {
  KindMask subjects = 0, objects = 0;
  int verb = 0;
  Phrase after_verb;    ///< The words between the verb and its object.
  Phrase after_object;  ///< The words after the object.
};

struct CompiledSaying {
  KindMask kinds = 0;
  Phrase phrase;
};

struct CompiledFact {
  int subject = 0;
  std::vector<int> attributes;
  bool is_plural = false;
};

/// The words that drawing needs by name.
struct FunctionWords {
  int comma = 0, period = 0, question_mark = 0, the = 0, a = 0, an = 0;
  int was = 0, were = 0, is = 0, are = 0;
  int been = 0;
  std::array<int, 4> subject{};  ///< it, he, she, they.
  std::array<int, 4> object{};   ///< it, him, her, them.
  std::array<int, 3> owners{};   ///< his, its, their. "her" is not listed because it is also an object.
};

/// One meaning of a word as a noun.
struct NounSense {
  int kind = 0;
  bool is_plural = false;
};

/// The tables of frames, rules, kinds, sayings, actions and facts, compiled to the ids of one vocabulary:
/// "[pad]", "[blank]", 256 placeholders (some for words with a certain ending), then the words in the order
/// of the tables.
struct Grammar {
  std::vector<std::string> words;
  FunctionWords function;
  std::vector<CompiledKind> kinds;
  std::vector<std::vector<NounSense>> senses;  ///< The senses of each word. Empty if it is not a noun.
  /// For each word that is an owner's form, its noun (for "boy's", boy). −1 for any other word.
  std::vector<int> owner_words;
  std::vector<std::vector<Phrase>> rules;
  std::unordered_map<std::string_view, int> rule_index;  ///< The index of each rule by its name.
  KindMask compound_kinds = 0;  ///< The kinds of nouns that may precede another, as in "apple tree".
  KindMask owner_kinds = 0;     ///< The kinds of nouns that may own another, as in "the boy's".
  KindMask living_kinds = 0;    ///< The kinds of people and animals.
  std::vector<KindMask> masks;  ///< The masks of Piece::Kind::any_noun.
  std::vector<CompiledVerb> verbs;
  std::vector<CompiledAction> actions;
  std::vector<CompiledSaying> sayings;
  std::vector<CompiledFact> facts;
  std::vector<CompiledFrame> frames;  ///< Scripts come first.
  std::vector<int> drawn_scripts;     ///< Indices of frames, each repeated by its weight.
  std::vector<int> drawn_open;

  static constexpr int n_placeholders = 256;
  static constexpr int first_placeholder = 2;

  const std::vector<Phrase>& rule(std::string_view name) const {
    return rules[static_cast<std::size_t>(rule_index.at(name))];
  }
  static bool is_placeholder(int id) {
    return id >= first_placeholder && id < first_placeholder + n_placeholders;
  }
  bool is_adjective(int id) const;
  /// Returns whether a word is a comma, a period or a question mark.
  bool is_mark(int id) const {
    return id == function.comma || id == function.period || id == function.question_mark;
  }
  /// Returns all kinds that a word may belong to, or 0 if it is not a noun.
  KindMask kinds_of_word(int id) const;
  /// Returns the pronouns that may stand for a word.
  PronounMask pronouns_of_word(int id) const;
};

/// Returns the pronouns that may stand for one noun of a kind, or for several.
PronounMask pronouns_of(NounPronoun kind, bool is_plural);

Grammar compile_grammar();

}  // namespace headscope
