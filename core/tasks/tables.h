#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace headscope {

/// The pronoun of a noun. A person of unspecified sex is he or she.
enum class NounPronoun { it, he, she, they, he_or_she };

/// Nouns of one kind. A noun may belong to several kinds.
struct NounKind {
  std::string name;        ///< Name in frames
  std::string title;       ///< Display name
  NounPronoun pronoun;     ///< Pronoun of the singular; the plural is always "they"
  std::string words;       ///< Singular forms, separated by spaces
  std::string adjectives;  ///< Suitable adjectives
  enum class Use : std::uint8_t {
    countable,  ///< With an article; has a plural
    /// With an article, without a plural (or, if the pronoun is "they", invariable).
    mass,
    name  ///< Without an article.
  } use = Use::countable;
};

/// A named set of kinds, usable wherever a kind is.
struct KindSet {
  std::string name;
  std::string kinds;  ///< The names of kinds, or of sets before this one.
};

/// A pattern of sentences. Its text consists of words, separated by spaces, and of:
/// - A B C: a noun phrase (with an article, adjectives or a possessive), or a name
/// - A's: a possessive; -B: a bare noun; =B: "the" and a noun that was mentioned before
/// - AvB: an action of A on B; MvC, CvM: an action of the antecedent, or on it
/// - QA: a predicate of A
/// - P, O: the pronoun of the antecedent, A or B (O: it, him, her, them)
/// - Q: a predicate of the antecedent and, if both nouns have the same pronoun, not of the other
/// - PA PB PC OA OB: the pronoun of a given noun
/// - X: the deciding words, an alternative of `decides_a` or `decides_b`
/// - BE: was, were, is or are, agreeing with the last noun; sometimes negated in predicates
/// - BENT: wasn't, were not, isn't …
/// - NEG: didn't, could not, won't …; DIDNT: only those of the past tense
/// - ~bark: a verb, inflected by tense and number
/// - @food: a noun of the kind, other than A, B and C
/// - <name>: an alternative of a rule
/// - ,: an optional comma
/// - FACT: "the sky is blue"
///
/// A frame that begins with “A NEG” or “A AvB” is also drawn as a question: “Didn't A … ?”.
///
/// A star before a piece marks a key, without which the pronoun would be ambiguous; if it is blanked, the
/// pronoun has no label. X is always a key, and Q and v are keys where they decide.
struct SentenceFrame {
  std::string text;
  int weight = 1;  ///< Relative frequency
  /// The kinds of the nouns. "=" is the kind of A; if empty, as required by the first AvB.
  std::string a, b, c;
  std::string decides_a;  ///< Rules whose alternatives decide for A
  std::string decides_b;
  /// Whether A and B must have different pronouns.
  bool pronouns_differ = false;
};

/// Alternatives, separated by "|", in the syntax of frames.
struct Rule {
  std::string name;
  std::string alternatives;
};

/// A fact about a thing: "sky", "blue|grey".
struct Fact {
  std::string subject;
  std::string attributes;
  bool is_plural = false;
};

/// Predicates that apply to some kinds of nouns, separated by “|”, in the syntax of frames, and:
/// - ~bark: a verb, inflected by tense and number
/// - @food: a new noun of the kind, with its article
///
/// A predicate decides the antecedent of a pronoun, because it does not apply to nouns of other kinds.
struct PredicateRule {
  std::string kinds;  ///< Names of kinds and kind sets
  std::string texts;
};

/// Actions of some kinds of nouns on others. A verb may include a preposition ("look at") and, after “^”, a
/// particle that follows the object ("pick ^up").
struct LexiconAction {
  std::string subjects;
  std::string objects;
  std::string verbs;  ///< Base forms, separated by “|”.
};

/// A file of assets/grammar, embedded by the build.
struct TableFile {
  std::string_view name;  ///< File name without extension
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

/// The tables of the grammar; see assets/README.md.
struct Tables {
  /// Frames with deciding words, and frames without a pronoun.
  std::vector<SentenceFrame> scripts;
  /// Frames in which the pronoun, the position or the predicate decides.
  std::vector<SentenceFrame> open_frames;
  std::vector<Rule> rules;
  std::vector<Fact> facts;
  std::vector<NounKind> noun_kinds;
  std::vector<KindSet> kind_sets;
  std::vector<PredicateRule> sayings;
  std::vector<LexiconAction> actions;
  std::vector<IrregularNoun> irregular_nouns;
  std::vector<IrregularVerb> irregular_verbs;
};

/// Parses the embedded files on first use. Throws if a table or field is missing, which is a bug.
const Tables& tables();

}  // namespace headscope
