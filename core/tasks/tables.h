#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace headscope {

/// The pronoun that stands for a noun. A person of unspecified sex is he or she.
enum class NounPronoun { it, he, she, they, he_or_she };

/// Nouns of one kind. A noun may belong to several kinds.
struct NounKind {
  std::string name;        ///< The name of the kind in frames.
  std::string title;       ///< The name for display.
  NounPronoun pronoun;     ///< The pronoun of a single one. The plural is always "they".
  std::string words;       ///< In the singular, separated by spaces.
  std::string adjectives;  ///< Adjectives that may precede them.
  enum class Use : std::uint8_t {
    countable,  ///< With an article, and also in the plural.
    /// With an article and only in the singular or, if the pronoun is "they", unchanged.
    mass,
    name  ///< Without an article.
  } use = Use::countable;
};

/// A name for several kinds, which may be used wherever that of a kind may.
struct KindSet {
  std::string name;
  std::string kinds;  ///< The names of kinds, or of sets before this one.
};

/// A pattern of sentences. Its text consists of words, separated by spaces, and of:
/// - A B C: a noun with what precedes it (an article, adjectives, an owner), or a name alone
/// - A's: a noun as an owner; -B: a noun with nothing before it; =B: "the" and a noun that was named before
/// - AvB: what A does to B; MvC, CvM: what the meant noun does, or what is done to it
/// - QA: what can be said of A
/// - P, O: the pronoun of the meant noun, A or B (O: it, him, her, them)
/// - Q: what can be said of the meant noun and, if both have the same pronoun, not of the other
/// - PA PB PC OA OB: the pronoun of one noun
/// - X: what decides which noun is meant, an alternative of `decides_a` or `decides_b`
/// - BE: was, were, is or are, agreeing with the last noun; sometimes negated in what is said of a noun
/// - BENT: wasn't, were not, isn't …
/// - NEG: didn't, could not, won't …; DIDNT: only those of the past tense
/// - ~bark: a verb, inflected by tense and number
/// - @food: a noun of the kind, other than A, B and C
/// - <name>: an alternative of a rule
/// - ,: a comma that may be missing
/// - FACT: "the sky is blue"
///
/// A frame that begins with “A NEG” or “A AvB” is also drawn as a question: “Didn't A … ?”.
///
/// A star before a piece marks a key, without which the meaning of the pronoun would be open. If it is
/// blanked, the pronoun is not asked for. X is always a key, and Q and v are keys where they decide.
struct SentenceFrame {
  std::string text;
  int weight = 1;  ///< How often it is drawn.
  /// The kinds of the nouns. "=" is the kind of A; if empty, it is what the first AvB requires.
  std::string a, b, c;
  std::string decides_a;  ///< Rules whose alternatives say that A is meant.
  std::string decides_b;
  /// True if A and B must have different pronouns.
  bool pronouns_differ = false;
};

/// Alternatives, separated by "|". They may contain everything that the text of a frame may.
struct Rule {
  std::string name;
  std::string alternatives;
};

/// Something that is true of a thing, such as "sky" "blue|grey".
struct Fact {
  std::string subject;
  std::string attributes;
  bool is_plural = false;
};

/// Predicates that can be said of a noun of some kinds, separated by “|”. They may contain what the text of a
/// frame may, and:
/// - ~bark: a verb, inflected by tense and number
/// - @food: a new noun of the kind, with its article
///
/// A predicate decides what a pronoun stands for, because it is not said of nouns of other kinds.
struct Saying {
  std::string kinds;  ///< Names of kinds and of sets of kinds.
  std::string texts;
};

/// Actions of nouns of some kinds on nouns of others. A verb may be followed by further words ("look at"),
/// and by a word after “^” that follows the object ("pick ^up").
struct LexiconAction {
  std::string subjects;
  std::string objects;
  std::string verbs;  ///< Base forms, separated by “|”.
};

/// A file of assets/grammar that the build embeds in the program.
struct TableFile {
  std::string_view name;  ///< The file name without its extension.
  std::string_view text;  ///< JSON
};
/// The embedded files, ordered by name.
std::span<const TableFile> table_files();

struct IrregularNoun {
  std::string one, many;
};
struct IrregularVerb {
  std::string base, past, participle;
};

/// The English of the generated sentences, as assets/README.md describes it.
struct Tables {
  /// The frames in which certain words decide, and those without a pronoun.
  std::vector<SentenceFrame> scripts;
  /// The frames in which the meant noun is decided by its pronoun, its place or what can be said of it.
  std::vector<SentenceFrame> open_frames;
  std::vector<Rule> rules;
  std::vector<Fact> facts;
  std::vector<NounKind> noun_kinds;
  std::vector<KindSet> kind_sets;
  std::vector<Saying> sayings;
  std::vector<LexiconAction> actions;
  std::vector<IrregularNoun> irregular_nouns;
  std::vector<IrregularVerb> irregular_verbs;
};

/// Reads the embedded files at the first call. Because they are part of the program, a missing table or field
/// ends the program with an exception that names what is missing.
const Tables& tables();

}  // namespace headscope
