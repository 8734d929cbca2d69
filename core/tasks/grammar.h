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

/// A set of noun kinds, one bit each.
using KindMask = std::uint64_t;

/// A set of pronouns, one bit each for it, he, she and they.
using PronounMask = std::uint8_t;

/// A piece of a frame or rule; see SentenceFrame.
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
    deciding_word,
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
  /// pronouns and predicates, a slot 0 … 2; for an action, the slot of the subject or `the_meant`.
  int value = 0;
  bool is_key = false;
  int object = 0;  ///< The slot of an action's object, or `the_meant`.
  bool operator==(const Piece&) const = default;

  static constexpr int the_meant = 3;

  /// Whether the antecedent is the subject or object of an action.
  bool is_of_meant() const { return value == the_meant || object == the_meant; }
};

using Phrase = std::vector<Piece>;

struct CompiledFrame {
  const SentenceFrame* source = nullptr;
  Phrase phrase;
  /// The kinds allowed in each slot. 0 if determined by the action or unused.
  std::array<KindMask, 3> kinds{};
  bool b_is_kind_of_a = false;
  bool is_open = false;
  bool is_question = false;
  bool decides_by_degree = false;  ///< Whether the deciding word follows "too", "very" or the like
  int decides_a = -1;              ///< Indices of rules, or −1
  int decides_b = -1;
  double present_share = 0.0;  ///< Probability of the present tense

  /// The kinds in `mask` that a slot allows.
  KindMask allowed(int slot, KindMask mask) const {
    const KindMask of_frame = kinds[static_cast<std::size_t>(slot)];
    return of_frame == 0 ? mask : mask & of_frame;
  }
};

struct CompiledKind {
  NounPronoun pronoun = NounPronoun::it;
  NounKind::Use use = NounKind::Use::countable;
  std::vector<int> words;
  std::vector<int> plurals;  ///< Plurals of `words`. May be empty.
  std::vector<int> owners;   ///< Possessives of `words`. May be empty.
  std::vector<int> adjectives;
};

struct CompiledVerb {
  int base = 0, present = 0, past = 0;
  int participle = -1;  ///< −1 if the verb occurs only in predicates
};

struct CompiledAction {
  KindMask subjects = 0, objects = 0;
  int verb = 0;
  Phrase after_verb;    ///< Between the verb and its object
  Phrase after_object;  ///< After the object
};

struct CompiledPredicate {
  KindMask kinds = 0;
  Phrase phrase;
};

struct CompiledFact {
  int subject = 0;
  std::vector<int> attributes;
  bool is_plural = false;
};

/// Function words that the generator needs by name.
struct FunctionWords {
  int comma = 0, period = 0, question_mark = 0, the = 0, a = 0, an = 0;
  int was = 0, were = 0, is = 0, are = 0;
  int been = 0;
  std::array<int, 4> subject{};  ///< it, he, she, they.
  std::array<int, 4> object{};   ///< it, him, her, them.
  std::array<int, 3> owners{};   ///< his, its, their; not "her", which is also an object
};

/// One meaning of a word as a noun.
struct NounSense {
  int kind = 0;
  bool is_plural = false;
};

/// The grammar tables compiled to ids of one vocabulary: "[pad]", "[blank]", 256 placeholders (some for
/// certain endings), then the words in table order.
struct Grammar {
  std::vector<std::string> words;
  FunctionWords function;
  std::vector<CompiledKind> kinds;
  std::vector<std::vector<NounSense>> senses;  ///< By word; empty if it is not a noun
  /// For each possessive, its noun (boy for "boy's"). −1 for other words.
  std::vector<int> possessive_nouns;
  std::vector<std::vector<Phrase>> rules;
  std::unordered_map<std::string_view, int> rule_index;  ///< Index of each rule by name
  KindMask compound_kinds = 0;                           ///< Kinds of compound modifiers, as in "apple tree"
  KindMask possessor_kinds = 0;                          ///< Kinds of possessors, as in "the boy's"
  KindMask living_kinds = 0;                             ///< Kinds of people and animals
  std::vector<KindMask> masks;                           ///< The masks of Piece::Kind::any_noun.
  std::vector<CompiledVerb> verbs;
  std::vector<CompiledAction> actions;
  std::vector<CompiledPredicate> sayings;
  std::vector<CompiledFact> facts;
  std::vector<CompiledFrame> frames;  ///< Scripts first
  std::vector<int> drawn_scripts;     ///< Indices of frames, repeated by weight
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
  /// Whether a word is a comma, a period or a question mark.
  bool is_mark(int id) const {
    return id == function.comma || id == function.period || id == function.question_mark;
  }
  /// The possible kinds of a word. 0 if it is not a noun.
  KindMask kinds_of_word(int id) const;
  /// The pronouns that may refer to a word.
  PronounMask pronouns_of_word(int id) const;
};

/// The pronouns that may refer to a singular or plural noun of a kind.
PronounMask pronouns_of(NounPronoun kind, bool is_plural);

Grammar compile_grammar();

}  // namespace headscope
