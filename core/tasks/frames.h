#pragma once

#include <span>
#include <string_view>

namespace headscope {

/// A pattern of sentences. Its text is made of words, with a space between, and of:
/// - A B C: a noun with its article, and sometimes an adjective
/// - P: the pronoun of the noun that is meant, A or B
/// - PA PB PC OA OB: the pronoun of one noun (O: him, her, them)
/// - X: what decides which noun is meant, an alternative of `decides_a` or `decides_b`
/// - BE: was, were, is or are, by the noun mentioned last
/// - NEG: didn't, could not, won't …; DIDNT: only those of the past
/// - <name>: an alternative of a rule
/// - ,: a comma that may be missing
/// - FACT: "the sky is blue"
///
/// A star before a piece: without this word nobody could tell what the pronoun means, so when it is blanked,
/// the pronoun is not asked. The same holds for X.
struct Frame {
  std::string_view text;
  int weight = 1;              ///< how often it is drawn
  std::string_view a, b, c;    ///< kinds of nouns, an equally likely one of those named; "=": the kind of A
  std::string_view decides_a;  ///< rules whose alternatives say that A is meant
  std::string_view decides_b;
  /// The pronoun alone decides, because the nouns ask for different ones; X decides nothing. Then at most one
  /// of them is replaced by a placeholder, which has no kind.
  bool pronoun_decides = false;

  /// Whether a pronoun means A as often as it means B.
  bool is_decisive() const { return !decides_a.empty() || pronoun_decides; }
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

std::span<const Frame> frames();
std::span<const Rule> rules();
std::span<const Fact> facts();

}  // namespace headscope
