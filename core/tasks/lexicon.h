#pragma once

#include <span>
#include <string_view>

namespace headscope {

/// What can be said of a noun of some kinds. Its texts are predicates, with “|” between them; they may use
/// what a frame's text may, and:
/// - ~bark: a verb, inflected by tense and number
/// - @food: a new noun of the kind, with its article
/// A noun of another kind is not said to be so: this is how a predicate decides what a pronoun stands for.
struct Saying {
  std::string_view kinds;  ///< kinds and sets of kinds
  std::string_view texts;
};

/// What nouns of some kinds do to nouns of others. A verb may have words after it ("look at"), and after “^”
/// one that comes after its object ("pick ^up").
struct Action {
  std::string_view subjects;
  std::string_view objects;
  std::string_view verbs;  ///< base forms, with “|” between them
};

std::span<const Saying> sayings();
std::span<const Action> actions();

}  // namespace headscope
