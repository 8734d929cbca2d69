#include "core/tasks/inflection.h"

#include <algorithm>
#include <array>

namespace headscope {
namespace {

struct IrregularNoun {
  std::string_view one, many;
};

constexpr std::array irregular_nouns{
    IrregularNoun{"man", "men"},
    IrregularNoun{"woman", "women"},
    IrregularNoun{"child", "children"},
    IrregularNoun{"mouse", "mice"},
    IrregularNoun{"goose", "geese"},
    IrregularNoun{"foot", "feet"},
    IrregularNoun{"tooth", "teeth"},
    IrregularNoun{"ox", "oxen"},
    IrregularNoun{"sheep", "sheep"},
    IrregularNoun{"fish", "fish"},
    IrregularNoun{"deer", "deer"},
    IrregularNoun{"salmon", "salmon"},
    IrregularNoun{"trout", "trout"},
    IrregularNoun{"moose", "moose"},
    IrregularNoun{"thief", "thieves"},
    IrregularNoun{"roof", "roofs"},
    IrregularNoun{"cliff", "cliffs"},
    IrregularNoun{"chief", "chiefs"},
    IrregularNoun{"hero", "heroes"},
    IrregularNoun{"potato", "potatoes"},
    IrregularNoun{"tomato", "tomatoes"},
    IrregularNoun{"mosquito", "mosquitoes"},
    IrregularNoun{"dwarf", "dwarfs"},
    IrregularNoun{"scarf", "scarves"},
    IrregularNoun{"knife", "knives"},
    IrregularNoun{"wife", "wives"},
    IrregularNoun{"housewife", "housewives"},
    IrregularNoun{"midwife", "midwives"},
    IrregularNoun{"passer-by", "passers-by"},
};

struct IrregularVerb {
  std::string_view base, past, participle;
};

constexpr std::array irregular_verbs{
    IrregularVerb{"be", "was", "been"},
    IrregularVerb{"beat", "beat", "beaten"},
    IrregularVerb{"begin", "began", "begun"},
    IrregularVerb{"bite", "bit", "bitten"},
    IrregularVerb{"blow", "blew", "blown"},
    IrregularVerb{"break", "broke", "broken"},
    IrregularVerb{"bring", "brought", "brought"},
    IrregularVerb{"build", "built", "built"},
    IrregularVerb{"buy", "bought", "bought"},
    IrregularVerb{"catch", "caught", "caught"},
    IrregularVerb{"choose", "chose", "chosen"},
    IrregularVerb{"come", "came", "come"},
    IrregularVerb{"cost", "cost", "cost"},
    IrregularVerb{"creep", "crept", "crept"},
    IrregularVerb{"cut", "cut", "cut"},
    IrregularVerb{"deal", "dealt", "dealt"},
    IrregularVerb{"dig", "dug", "dug"},
    IrregularVerb{"do", "did", "done"},
    IrregularVerb{"draw", "drew", "drawn"},
    IrregularVerb{"drink", "drank", "drunk"},
    IrregularVerb{"drive", "drove", "driven"},
    IrregularVerb{"eat", "ate", "eaten"},
    IrregularVerb{"fall", "fell", "fallen"},
    IrregularVerb{"feed", "fed", "fed"},
    IrregularVerb{"feel", "felt", "felt"},
    IrregularVerb{"fight", "fought", "fought"},
    IrregularVerb{"find", "found", "found"},
    IrregularVerb{"flee", "fled", "fled"},
    IrregularVerb{"fly", "flew", "flown"},
    IrregularVerb{"forget", "forgot", "forgotten"},
    IrregularVerb{"forgive", "forgave", "forgiven"},
    IrregularVerb{"freeze", "froze", "frozen"},
    IrregularVerb{"get", "got", "got"},
    IrregularVerb{"give", "gave", "given"},
    IrregularVerb{"go", "went", "gone"},
    IrregularVerb{"grow", "grew", "grown"},
    IrregularVerb{"hang", "hung", "hung"},
    IrregularVerb{"have", "had", "had"},
    IrregularVerb{"hear", "heard", "heard"},
    IrregularVerb{"hide", "hid", "hidden"},
    IrregularVerb{"hit", "hit", "hit"},
    IrregularVerb{"hold", "held", "held"},
    IrregularVerb{"hurt", "hurt", "hurt"},
    IrregularVerb{"keep", "kept", "kept"},
    IrregularVerb{"knit", "knitted", "knitted"},
    IrregularVerb{"know", "knew", "known"},
    IrregularVerb{"lay", "laid", "laid"},
    IrregularVerb{"lead", "led", "led"},
    IrregularVerb{"lean", "leaned", "leaned"},
    IrregularVerb{"learn", "learned", "learned"},
    IrregularVerb{"leave", "left", "left"},
    IrregularVerb{"lend", "lent", "lent"},
    IrregularVerb{"let", "let", "let"},
    IrregularVerb{"lie", "lay", "lain"},
    IrregularVerb{"lose", "lost", "lost"},
    IrregularVerb{"make", "made", "made"},
    IrregularVerb{"meet", "met", "met"},
    IrregularVerb{"oversleep", "overslept", "overslept"},
    IrregularVerb{"overtake", "overtook", "overtaken"},
    IrregularVerb{"pay", "paid", "paid"},
    IrregularVerb{"put", "put", "put"},
    IrregularVerb{"read", "read", "read"},
    IrregularVerb{"ride", "rode", "ridden"},
    IrregularVerb{"ring", "rang", "rung"},
    IrregularVerb{"run", "ran", "run"},
    IrregularVerb{"say", "said", "said"},
    IrregularVerb{"see", "saw", "seen"},
    IrregularVerb{"sell", "sold", "sold"},
    IrregularVerb{"send", "sent", "sent"},
    IrregularVerb{"sew", "sewed", "sewn"},
    IrregularVerb{"shake", "shook", "shaken"},
    IrregularVerb{"shine", "shone", "shone"},
    IrregularVerb{"shoot", "shot", "shot"},
    IrregularVerb{"show", "showed", "shown"},
    IrregularVerb{"shrink", "shrank", "shrunk"},
    IrregularVerb{"sing", "sang", "sung"},
    IrregularVerb{"sink", "sank", "sunk"},
    IrregularVerb{"sit", "sat", "sat"},
    IrregularVerb{"sleep", "slept", "slept"},
    IrregularVerb{"speak", "spoke", "spoken"},
    IrregularVerb{"spend", "spent", "spent"},
    IrregularVerb{"stand", "stood", "stood"},
    IrregularVerb{"steal", "stole", "stolen"},
    IrregularVerb{"sting", "stung", "stung"},
    IrregularVerb{"strike", "struck", "struck"},
    IrregularVerb{"swim", "swam", "swum"},
    IrregularVerb{"swing", "swung", "swung"},
    IrregularVerb{"take", "took", "taken"},
    IrregularVerb{"teach", "taught", "taught"},
    IrregularVerb{"tear", "tore", "torn"},
    IrregularVerb{"tell", "told", "told"},
    IrregularVerb{"think", "thought", "thought"},
    IrregularVerb{"throw", "threw", "thrown"},
    IrregularVerb{"understand", "understood", "understood"},
    IrregularVerb{"upset", "upset", "upset"},
    IrregularVerb{"wake", "woke", "woken"},
    IrregularVerb{"wear", "wore", "worn"},
    IrregularVerb{"win", "won", "won"},
    IrregularVerb{"write", "wrote", "written"},
    // Verbs of more than one syllable with a doubled consonant.
    IrregularVerb{"admit", "admitted", "admitted"},
    IrregularVerb{"kidnap", "kidnapped", "kidnapped"},
    IrregularVerb{"unplug", "unplugged", "unplugged"},
    IrregularVerb{"unwrap", "unwrapped", "unwrapped"},
};

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

/// Returns true if a word ends in a single vowel between consonants in its only syllable: "stop", but not
/// "rain", "open" or "snow".
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
  const auto* found = std::ranges::find(irregular_verbs, verb, &IrregularVerb::base);
  return found == irregular_verbs.end() ? nullptr : found;
}

}  // namespace

std::string plural_of(std::string_view noun) {
  for (const IrregularNoun& irregular : irregular_nouns) {
    if (noun == irregular.one) return std::string(irregular.many);
  }
  if (noun.ends_with("man") && noun != "human") return std::string(noun.substr(0, noun.size() - 2)) + "en";
  if (noun.ends_with("lf") || noun.ends_with("af"))
    return std::string(noun.substr(0, noun.size() - 1)) + "ves";
  return with_s(noun);
}

std::string owner_of(std::string_view noun) {
  return std::string(noun) + "'s";
}

std::string present_of(std::string_view verb) {
  if (verb == "have") return "has";
  if (verb == "go" || verb == "do") return std::string(verb) + "es";
  return with_s(verb);
}

std::string past_of(std::string_view verb) {
  const IrregularVerb* known = irregular(verb);
  return known != nullptr ? std::string(known->past) : with_ed(verb);
}

std::string participle_of(std::string_view verb) {
  const IrregularVerb* known = irregular(verb);
  return known != nullptr ? std::string(known->participle) : with_ed(verb);
}

}  // namespace headscope
