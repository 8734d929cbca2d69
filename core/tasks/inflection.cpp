#include "core/tasks/inflection.h"

#include <algorithm>

#include "core/tasks/tables.h"

namespace headscope {
namespace {

bool is_vowel(char letter) {
  return std::string_view("aeiou").find(letter) != std::string_view::npos;
}

bool ends_in_consonant_y(std::string_view word) {
  return word.size() > 1 && word.ends_with('y') && !is_vowel(word[word.size() - 2]);
}

bool hisses(std::string_view word) {
  for (const std::string_view end : {"s", "x", "z", "ch", "sh"}) {
    if (word.ends_with(end)) return true;
  }
  return false;
}

/// Whether a monosyllable ends in consonant, single vowel, consonant: "stop", but not "rain", "open" or
/// "snow".
bool doubles_its_end(std::string_view word) {
  if (word.size() < 3) return false;
  const std::string_view end = word.substr(word.size() - 3);
  const bool is_closed = !is_vowel(end[0]) && is_vowel(end[1]) && !is_vowel(end[2]);
  if (!is_closed || std::string_view("wxy").find(end[2]) != std::string_view::npos) return false;
  return std::ranges::count_if(word, is_vowel) == 1;
}

std::string with_s(std::string_view word) {
  if (ends_in_consonant_y(word)) return std::string(word.substr(0, word.size() - 1)) + "ies";
  return std::string(word) + (hisses(word) ? "es" : "s");
}

std::string with_ed(std::string_view verb) {
  if (verb.ends_with('e')) return std::string(verb) + "d";
  if (ends_in_consonant_y(verb)) return std::string(verb.substr(0, verb.size() - 1)) + "ied";
  if (doubles_its_end(verb)) return std::string(verb) + verb.back() + "ed";
  return std::string(verb) + "ed";
}

const IrregularVerb* irregular(std::string_view verb) {
  const std::vector<IrregularVerb>& verbs = tables().irregular_verbs;
  const auto found = std::ranges::find(verbs, verb, &IrregularVerb::base);
  return found == verbs.end() ? nullptr : &*found;
}

}  // namespace

std::string plural_of(std::string_view noun) {
  for (const IrregularNoun& irregular : tables().irregular_nouns) {
    if (noun == irregular.one) return irregular.many;
  }
  if (noun.ends_with("man") && noun != "human") return std::string(noun.substr(0, noun.size() - 2)) + "en";
  if (noun.ends_with("lf") || noun.ends_with("af"))
    return std::string(noun.substr(0, noun.size() - 1)) + "ves";
  return with_s(noun);
}

std::string possessive_of(std::string_view noun) {
  return std::string(noun) + "'s";
}

std::string present_of(std::string_view verb) {
  if (verb == "have") return "has";
  if (verb == "go" || verb == "do") return std::string(verb) + "es";
  return with_s(verb);
}

std::string past_of(std::string_view verb) {
  const IrregularVerb* known = irregular(verb);
  return known != nullptr ? known->past : with_ed(verb);
}

std::string participle_of(std::string_view verb) {
  const IrregularVerb* known = irregular(verb);
  return known != nullptr ? known->participle : with_ed(verb);
}

}  // namespace headscope
