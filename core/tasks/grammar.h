#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/embedded_file.h"
#include "core/text/vocabulary.h"

namespace headscope {

/// A set of noun kinds, one bit each.
using KindMask = std::uint64_t;

/// A set of pronouns, one bit each for it, he, she and they.
using PronounMask = std::uint8_t;

/// The pronoun of a noun. A person of unspecified sex is he or she.
enum class NounPronoun { it, he, she, they, he_or_she };

/// A piece of a phrase of the tables (assets/grammar), which are written as words, separated by spaces, and:
/// - A B C: a noun phrase (with an article, adjectives or a possessive), or a name
/// - A's: a possessive; -B: a bare noun; =B: "the" and a noun that was mentioned before
/// - AvB: an action of A on B; MvC, CvM: an action of the antecedent, or on it
/// - QA: a predicate of A
/// - P, O: the pronoun of the antecedent, A or B (O: it, him, her, them)
/// - Q: a predicate of the antecedent and, if both nouns have the same pronoun, not of the other
/// - PA PB PC OA OB: the pronoun of a given noun
/// - X: the deciding words, an alternative of the rule for A or of that for B
/// - BE: was, were, is or are, agreeing with the last noun; sometimes negated in predicates
/// - BENT: wasn't, were not, isn't …
/// - NEG: didn't, could not, won't …; DIDNT: only those of the past tense
/// - ~bark: a verb, inflected by tense and number
/// - @food: a noun of the kind, other than A, B and C
/// - <name>: an alternative of a rule
/// - ,: an optional comma
/// - FACT: "the sky is blue"
///
/// A star before a piece marks a key, without which the pronoun would be ambiguous; if it is blanked, the
/// pronoun has no label. X is always a key, and Q and v are keys where they decide.
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

/// A pattern of sentences. One that begins with “A NEG” or “A AvB” is also drawn as a question: “Didn't A …
/// ?”.
struct CompiledFrame {
  std::string text;  ///< As it stands in the tables
  int weight = 1;    ///< Relative frequency
  Phrase phrase;
  /// The kinds allowed in each slot. 0 if determined by the action or unused.
  std::array<KindMask, 3> kinds{};
  /// Whether A and B must have different pronouns.
  bool pronouns_differ = false;
  bool b_is_kind_of_a = false;
  /// Whether the pronoun, the position or the predicate decides, and not deciding words.
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

/// Nouns of one kind. A noun may belong to several kinds.
struct CompiledKind {
  enum class Use : std::uint8_t {
    countable,  ///< With an article; has a plural
    /// With an article, without a plural (or, if the pronoun is "they", invariable).
    mass,
    name  ///< Without an article.
  };
  std::string name, title;                ///< In the tables, and for display
  NounPronoun pronoun = NounPronoun::it;  ///< Of the singular; the plural is always "they"
  Use use = Use::countable;
  std::vector<int> words;    ///< Singular forms
  std::vector<int> plurals;  ///< Plurals of `words`. May be empty.
  std::vector<int> owners;   ///< Possessives of `words`. May be empty.
  std::vector<int> adjectives;
};

struct CompiledVerb {
  int base = 0, present = 0, past = 0;
  int participle = -1;  ///< −1 if the verb occurs only in predicates
};

/// An action of some kinds of nouns on others.
struct CompiledAction {
  KindMask subjects = 0, objects = 0;
  int verb = 0;
  Phrase after_verb;    ///< Between the verb and its object
  Phrase after_object;  ///< After the object
};

/// A predicate decides the antecedent of a pronoun, because it does not apply to nouns of other kinds.
struct CompiledPredicate {
  KindMask kinds = 0;
  Phrase phrase;
};

/// A fact about a thing: "sky", "blue" or "grey".
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

/// The files of assets/grammar.
std::span<const EmbeddedFile> table_files();

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
  std::map<std::string, int, std::less<>> rule_index;  ///< Index of each rule by name
  KindMask compound_kinds = 0;                         ///< Kinds of compound modifiers, as in "apple tree"
  KindMask possessor_kinds = 0;                        ///< Kinds of possessors, as in "the boy's"
  KindMask living_kinds = 0;                           ///< Kinds of people and animals
  std::vector<KindMask> masks;                         ///< The masks of Piece::Kind::any_noun.
  std::vector<CompiledVerb> verbs;
  std::vector<CompiledAction> actions;
  std::vector<CompiledPredicate> sayings;
  std::vector<CompiledFact> facts;
  std::vector<CompiledFrame> frames;  ///< Scripts first
  std::vector<int> drawn_scripts;     ///< Indices of frames, repeated by weight
  std::vector<int> drawn_open;

  static constexpr int n_placeholders = 256;
  static constexpr int first_placeholder = 2;

  /// The alternatives of a rule, which must exist.
  const std::vector<Phrase>& rule(std::string_view name) const {
    return rules[static_cast<std::size_t>(rule_index.find(name)->second)];
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

/// Compiles the embedded tables. Throws if a table, a field or a name is missing, or if a name is given
/// twice, which are bugs.
Grammar compile_grammar();

// Inflection of English words from their lower-case dictionary forms. Knows common irregular words; others
// follow the spelling rules.

/// "box" → "boxes", "wolf" → "wolves", "sheep" → "sheep".
std::string plural_of(std::string_view noun);
/// "boy" → "boy's".
std::string possessive_of(std::string_view noun);
/// "carry" → "carries".
std::string present_of(std::string_view verb);
/// "stop" → "stopped", "throw" → "threw".
std::string past_of(std::string_view verb);
/// "stop" → "stopped", "throw" → "thrown".
std::string participle_of(std::string_view verb);

}  // namespace headscope
