#pragma once

#include <span>
#include <string_view>

namespace headscope {

/// A pattern of sentences. Its text is made of words, with a space between, and of:
/// - A B C: a noun with what stands before it (an article, adjectives, an owner); a name alone
/// - A's: a noun as an owner; -B: a noun with nothing before it; =B: "the" and a noun that was named before
/// - AvB: what A does to B; MvC, CvM: what the noun that is meant does, or what is done to it
/// - QA: what can be said of A
/// - P, O: the pronoun of the noun that is meant, A or B (O: it, him, her, them)
/// - Q: what can be said of the noun that is meant and, where both have the same pronoun, not of the other
/// - PA PB PC OA OB: the pronoun of one noun
/// - X: what decides which noun is meant, an alternative of `decides_a` or `decides_b`
/// - BE: was, were, is or are, by the noun mentioned last; in what is said of a noun, sometimes negated
/// - BENT: wasn't, were not, isn't …
/// - NEG: didn't, could not, won't …; DIDNT: only those of the past
/// - ~bark: a verb, inflected by tense and number
/// - @food: a noun of the kind, other than A, B and C
/// - <name>: an alternative of a rule
/// - ,: a comma that may be missing
/// - FACT: "the sky is blue"
///
/// A frame that begins with “A NEG”, or with “A AvB”, is drawn as a question, too: “Didn't A … ?”.
///
/// A star before a piece: without this word nobody could tell what the pronoun means, so when it is blanked,
/// the pronoun is not asked. The same holds for X, and for Q and v where they decide.
struct Frame {
  std::string_view text;
  int weight = 1;              ///< how often it is drawn
  std::string_view a, b, c;    ///< kinds of nouns; "=": the kind of A; none: what the first AvB asks for
  std::string_view decides_a;  ///< rules whose alternatives say that A is meant
  std::string_view decides_b;
  /// A and B ask for different pronouns.
  bool pronouns_differ = false;
};

/// Alternatives, with "|" between them; they may use everything that a frame's text may.
struct Rule {
  std::string_view name;
  std::string_view alternatives;
};

/// What is true of a thing: "sky" "blue|grey".
struct Fact {
  std::string_view subject;
  std::string_view attributes;
  bool is_plural = false;
};

/// Frames in which certain words decide, and those without a pronoun.
std::span<const Frame> scripts();
/// Frames in which what can be said of a noun decides, or its pronoun, or its place.
std::span<const Frame> open_frames();
std::span<const Rule> rules();
std::span<const Fact> facts();

}  // namespace headscope
