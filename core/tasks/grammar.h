#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/tasks/frames.h"
#include "core/tasks/noun_kinds.h"
#include "core/text/vocabulary.h"

namespace headscope {

/// Kinds of nouns, one bit each.
using KindMask = std::uint64_t;

/// Pronouns, one bit each: it, he, she, they.
using PronounMask = std::uint8_t;

/// One piece of a frame's or a rule's text (Frame says what there is).
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
  /// word: its id; verb, rule: its index; any_noun: that of its mask; nouns, pronouns and saying:
  /// slot 0 … 2; action: the subject's slot, or `the_meant`
  int value = 0;
  bool is_key = false;
  int object = 0;  ///< of an action: the object's slot, or `the_meant`
  bool operator==(const Piece&) const = default;

  static constexpr int the_meant = 3;

  /// Of an action: whether it is what the noun that is meant does or suffers.
  bool is_of_meant() const { return value == the_meant || object == the_meant; }
};

using Phrase = std::vector<Piece>;

struct CompiledFrame {
  const Frame* source = nullptr;
  Phrase phrase;
  std::array<KindMask, 3> kinds{};  ///< of each slot; 0: what the action asks for, or no such noun
  bool b_is_kind_of_a = false;
  bool is_open = false;
  bool is_question = false;
  bool decides_by_degree = false;  ///< what decides follows "too", "very" …
  int decides_a = -1;              ///< indices of rules
  int decides_b = -1;
  double present_share = 0.0;  ///< how often it stands in the present tense

  /// Those of the kinds that a slot may be of.
  KindMask allowed(int slot, KindMask mask) const {
    const KindMask of_frame = kinds[static_cast<std::size_t>(slot)];
    return of_frame == 0 ? mask : mask & of_frame;
  }
};

struct CompiledKind {
  NounPronoun pronoun = NounPronoun::it;
  NounKind::Use use = NounKind::Use::countable;
  std::vector<int> words;
  std::vector<int> plurals;  ///< of each word; empty: there are none
  std::vector<int> owners;   ///< of each word; empty: there are none
  std::vector<int> adjectives;
};

struct CompiledVerb {
  int base = 0, present = 0, past = 0;
  int participle = -1;  ///< −1: the verb is of sayings only
};

struct CompiledAction {
  KindMask subjects = 0, objects = 0;
  int verb = 0;
  Phrase after_verb;    ///< words between the verb and its object
  Phrase after_object;  ///< words after the object
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

/// Words that drawing needs by name.
struct FunctionWords {
  int comma = 0, period = 0, question_mark = 0, the = 0, a = 0, an = 0;
  int was = 0, were = 0, is = 0, are = 0;
  int been = 0;
  std::array<int, 4> subject{};  ///< it, he, she, they
  std::array<int, 4> object{};   ///< it, him, her, them
  std::array<int, 3> owners{};   ///< his, its, their ("her" is an object, too)
};

/// A noun as a word of the vocabulary.
struct NounSense {
  int kind = 0;
  bool is_plural = false;
};

/// The tables of frames, rules, kinds, sayings, actions and facts as ids of one vocabulary: "[pad]",
/// "[blank]", 256 placeholders (some for words with a certain ending), then the words in the order of the
/// tables.
struct Grammar {
  std::vector<std::string> words;
  FunctionWords function;
  std::vector<CompiledKind> kinds;
  std::vector<std::vector<NounSense>> senses;  ///< of each word; empty: it is no noun
  std::vector<int>
      owner_words;  ///< of each word: the noun of which it is the owner's form ("boy's": boy), or −1
  std::vector<std::vector<Phrase>> rules;
  std::unordered_map<std::string_view, int> rule_index;  ///< by name
  KindMask compound_kinds = 0;  ///< of nouns that may stand before another: "apple tree"
  KindMask owner_kinds = 0;     ///< of nouns that may own another: "the boy's"
  KindMask living_kinds = 0;    ///< of people and animals
  std::vector<KindMask> masks;  ///< those of Piece::Kind::any_noun
  std::vector<CompiledVerb> verbs;
  std::vector<CompiledAction> actions;
  std::vector<CompiledSaying> sayings;
  std::vector<CompiledFact> facts;
  std::vector<CompiledFrame> frames;  ///< scripts first
  std::vector<int> drawn_scripts;     ///< indices of frames, each as often as its weight
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
  /// A comma, a period or a question mark.
  bool is_mark(int id) const {
    return id == function.comma || id == function.period || id == function.question_mark;
  }
  /// All kinds that a word may be of; 0: it is no noun.
  KindMask kinds_of_word(int id) const;
  /// The pronouns that may stand for a word.
  PronounMask pronouns_of_word(int id) const;
};

/// The pronouns that may stand for one noun of a kind, or several.
PronounMask pronouns_of(NounPronoun kind, bool is_plural);

Grammar compile_grammar();

/// The parts of a text between separators; empty parts count.
std::vector<std::string_view> split_text(std::string_view text, char separator);

}  // namespace headscope
