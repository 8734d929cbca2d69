#pragma once

#include <string>

namespace headscope {

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

}  // namespace headscope
