#include "core/tasks/grammar.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>
#include <stdexcept>
#include <unordered_map>
#include <utility>

#include "core/split_text.h"

namespace headscope {
namespace {

using Json = nlohmann::json;

Json table(std::string_view name) {
  const auto file = std::ranges::find(table_files(), name, &EmbeddedFile::name);
  if (file == table_files().end()) throw std::logic_error("no table " + std::string(name));
  return Json::parse(file->text);
}

std::string text(const Json& entry, const char* key) {
  return entry.at(key).get<std::string>();
}

std::string text_or_none(const Json& entry, const char* key) {
  return entry.value(key, std::string());
}

std::vector<std::string> texts(const Json& entry, const char* key) {
  return entry.at(key).get<std::vector<std::string>>();
}

/// Calls a function for each entry of a grouped table.
template <typename Read>
void for_each_in_groups(std::string_view name, const char* list, Read read) {
  for (const Json& group : table(name)) {
    for (const Json& entry : group.at(list)) read(entry);
  }
}

NounPronoun pronoun_named(const std::string& name) {
  using enum NounPronoun;
  for (const auto& [word, pronoun] :
       {std::pair("it", it), std::pair("he", he), std::pair("she", she), std::pair("they", they)}) {
    if (name == word) return pronoun;
  }
  return he_or_she;
}

CompiledKind::Use use_named(const std::string& name) {
  return name == "mass"   ? CompiledKind::Use::mass
         : name == "name" ? CompiledKind::Use::name
                          : CompiledKind::Use::countable;
}

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

/// The irregular forms of words by their dictionary form.
using IrregularForms = std::map<std::string, std::string, std::less<>>;

IrregularForms irregular(const char* list, const char* base, const char* form) {
  IrregularForms forms;
  const Json all = table("irregular");
  for (const Json& entry : all.at(list)) forms.emplace(text(entry, base), text(entry, form));
  return forms;
}

/// Verbs that occur only in predicates have no participle, because only actions use the perfect.
constexpr int no_participle = -1;

/// One in this many sentences is a question, if the frame allows it.
constexpr int questions_in = 8;

int slot_of(char name) {
  return name == 'M' ? Piece::the_meant : name - 'A';
}

bool is_slot(char name) {
  return name >= 'A' && name <= 'C';
}

bool is_slot_or_meant(char name) {
  return is_slot(name) || name == 'M';
}

/// The numbers of placeholders for unknown words by their endings, which hint at their kinds.
constexpr std::array<std::pair<std::string_view, int>, 6> placeholder_groups{
    {{"", 128}, {"-s", 48}, {"-ed", 32}, {"-ing", 16}, {"-ly", 16}, {"-'s", 16}}};
static_assert(std::transform_reduce(placeholder_groups.begin(), placeholder_groups.end(), 0, std::plus<>(),
                                    [](const auto& group) { return group.second; }) ==
              Grammar::n_placeholders);

/// Compiles the tables. Words get ids in order of appearance.
class GrammarCompiler {
 public:
  Grammar compile() {
    for (const std::string_view word : {"[pad]", "[blank]"}) id_of(word);
    for (const auto& [ending, n] : placeholder_groups) {
      for (int i = 0; i < n; ++i) id_of("[new" + std::string(ending) + std::to_string(i) + "]");
    }
    add_function_words();
    const Json nouns = table("nouns");
    for (const Json& kind : nouns.at("kinds")) add_kind(kind);
    for (const Json& set : nouns.at("sets")) {
      KindMask kinds = 0;
      for (const std::string& name : texts(set, "kinds")) kinds |= mask_of(name);
      name_kinds(text(set, "name"), kinds);
    }
    grammar_.living_kinds = mask_of("animate");
    grammar_.compound_kinds = mask_of("object device building weather event");
    for (std::size_t kind = 0; kind < grammar_.kinds.size(); ++kind) {
      if (!grammar_.kinds[kind].owners.empty()) grammar_.possessor_kinds |= KindMask{1} << kind;
    }
    // Rules name each other.
    for_each_in_groups("rules", "rules", [&](const Json& rule) {
      const int index = static_cast<int>(grammar_.rule_index.size());
      if (!grammar_.rule_index.emplace(text(rule, "name"), index).second)
        throw std::logic_error("two rules " + text(rule, "name"));
    });
    for_each_in_groups("rules", "rules", [&](const Json& rule) {
      grammar_.rules.emplace_back();
      for (const std::string& each : texts(rule, "alternatives"))
        grammar_.rules.back().push_back(phrase_of(each));
    });
    for_each_in_groups("sayings", "sayings", [&](const Json& saying) { add_sayings(saying); });
    for_each_in_groups("actions", "actions", [&](const Json& action) { add_actions(action); });
    for (const Json& fact : table("facts"))
      grammar_.facts.push_back(
          {id_of(text(fact, "subject")), ids_of(texts(fact, "attributes")), fact.value("plural", false)});
    for_each_in_groups("frames", "frames", [&](const Json& frame) { add_frame(frame, false); });
    for_each_in_groups("open-frames", "frames", [&](const Json& frame) { add_frame(frame, true); });
    add_senses();
    grammar_.function.been = id_of("been");
    grammar_.function.owners = {id_of("his"), id_of("its"), id_of("their")};
    return std::move(grammar_);
  }

 private:
  int id_of(std::string_view word) {
    const auto [entry, is_new] = ids_.try_emplace(std::string(word), static_cast<int>(grammar_.words.size()));
    if (is_new) grammar_.words.emplace_back(word);
    return entry->second;
  }

  /// The ids of words, adding new ones to the vocabulary.
  std::vector<int> ids_of(const std::vector<std::string>& words) {
    std::vector<int> ids;
    for (const std::string& word : words) ids.push_back(id_of(word));
    return ids;
  }

  void add_kind(const Json& kind) {
    const std::vector<std::string> words = texts(kind, "words");
    CompiledKind made{text(kind, "name"),
                      text(kind, "title"),
                      pronoun_named(text(kind, "pronoun")),
                      use_named(text_or_none(kind, "use")),
                      ids_of(words),
                      {},
                      {},
                      ids_of(texts(kind, "adjectives"))};
    const bool is_somebody = made.pronoun != NounPronoun::it && made.pronoun != NounPronoun::they;
    for (const std::string& word : words) {
      if (made.use == CompiledKind::Use::countable) made.plurals.push_back(id_of(plural_of(word)));
      if (is_somebody) made.owners.push_back(id_of(possessive_of(word)));
    }
    name_kinds(made.name, KindMask{1} << grammar_.kinds.size());
    grammar_.kinds.push_back(std::move(made));
  }

  /// Names a kind or a set of kinds.
  void name_kinds(const std::string& name, KindMask mask) {
    if (!named_kinds_.emplace(name, mask).second) throw std::logic_error("two kinds " + name);
  }

  void add_senses() {
    grammar_.senses.resize(grammar_.words.size());
    grammar_.possessive_nouns.assign(grammar_.words.size(), -1);
    for (std::size_t index = 0; index < grammar_.kinds.size(); ++index) {
      const CompiledKind& kind = grammar_.kinds[index];
      for (const int word : kind.words) sense_of(word).push_back({static_cast<int>(index), false});
      for (std::size_t i = 0; i < kind.owners.size(); ++i)
        grammar_.possessive_nouns[static_cast<std::size_t>(kind.owners[i])] = kind.words[i];
      for (const int word : kind.plurals) sense_of(word).push_back({static_cast<int>(index), true});
    }
  }

  std::vector<NounSense>& sense_of(int word) { return grammar_.senses[static_cast<std::size_t>(word)]; }

  void add_function_words() {
    FunctionWords& f = grammar_.function;
    f.comma = id_of(",");
    f.period = id_of(".");
    f.question_mark = id_of("?");
    f.the = id_of("the");
    f.a = id_of("a");
    f.an = id_of("an");
    f.was = id_of("was");
    f.were = id_of("were");
    f.is = id_of("is");
    f.are = id_of("are");
    f.subject = {id_of("it"), id_of("he"), id_of("she"), id_of("they")};
    f.object = {id_of("it"), id_of("him"), id_of("her"), id_of("them")};
  }

  int verb_of(std::string_view base) {
    const auto [entry, is_new] =
        verb_index_.try_emplace(std::string(base), static_cast<int>(grammar_.verbs.size()));
    if (is_new)
      grammar_.verbs.push_back({id_of(base), id_of(present_of(base)), id_of(past_of(base)), no_participle});
    return entry->second;
  }

  void add_sayings(const Json& saying) {
    const KindMask kinds = mask_of(text(saying, "kinds"));
    for (const std::string& each : texts(saying, "texts")) {
      const auto [entry, is_new] = saying_index_.try_emplace(each, grammar_.sayings.size());
      if (is_new) {
        grammar_.sayings.push_back({0, phrase_of(each)});
        for (Piece& piece : grammar_.sayings.back().phrase) {
          if (piece.kind == Piece::Kind::be) piece.kind = Piece::Kind::said_be;
        }
      }
      grammar_.sayings[entry->second].kinds |= kinds;
    }
  }

  /// A verb may include a preposition ("look at") and, after “^”, a particle that follows the object ("pick
  /// ^up").
  void add_actions(const Json& action) {
    for (const std::string& each : texts(action, "verbs")) {
      CompiledAction made{mask_of(text(action, "subjects")), mask_of(text(action, "objects")), 0, {}, {}};
      const std::vector<std::string_view> words = split_text(each, ' ');
      made.verb = verb_of(words.front());
      grammar_.verbs[static_cast<std::size_t>(made.verb)].participle = id_of(participle_of(words.front()));
      for (std::size_t i = 1; i < words.size(); ++i) {
        const bool is_particle = words[i].starts_with('^');
        Phrase& phrase = is_particle ? made.after_object : made.after_verb;
        phrase.push_back({Piece::Kind::word, id_of(words[i].substr(is_particle ? 1 : 0))});
      }
      grammar_.actions.push_back(std::move(made));
    }
  }

  Piece piece_of(std::string_view text) {
    using Kind = Piece::Kind;
    Piece piece;
    if (text.starts_with('*')) {
      piece.is_key = true;
      text.remove_prefix(1);
    }
    const auto of_kind = [&](Kind kind, int value = 0) { return Piece{kind, value, piece.is_key}; };
    if (text == ",") return of_kind(Kind::comma);
    if (text == "P") return of_kind(Kind::meant);
    if (text == "O") return of_kind(Kind::meant_object);
    if (text == "Q") return of_kind(Kind::deciding_saying);
    if (text == "X") return {Kind::deciding_word, 0, true};
    if (text == "BENT") return of_kind(Kind::not_be);
    if (text == "BE") return of_kind(Kind::be);
    if (text == "NEG") return of_kind(Kind::neg);
    if (text == "DIDNT") return of_kind(Kind::didnt);
    if (text == "FACT") return of_kind(Kind::fact);
    if (text.size() == 1 && is_slot(text[0])) return of_kind(Kind::noun, slot_of(text[0]));
    if (text.size() == 2 && is_slot(text[1])) {
      const int slot = slot_of(text[1]);
      if (text[0] == 'P') return of_kind(Kind::subject, slot);
      if (text[0] == 'O') return of_kind(Kind::object, slot);
      if (text[0] == 'Q') return of_kind(Kind::saying, slot);
      if (text[0] == '-') return of_kind(Kind::bare_noun, slot);
      if (text[0] == '=') return of_kind(Kind::noun_again, slot);
    }
    if (text.size() == 3 && is_slot(text[0]) && text.ends_with("'s"))
      return of_kind(Kind::owner, slot_of(text[0]));
    if (text.size() == 3 && is_slot_or_meant(text[0]) && text[1] == 'v' && is_slot_or_meant(text[2]))
      return {Kind::action, slot_of(text[0]), piece.is_key, slot_of(text[2])};
    if (text.starts_with('~')) return of_kind(Kind::verb, verb_of(text.substr(1)));
    if (text.starts_with('@')) {
      grammar_.masks.push_back(mask_of(text.substr(1)));
      return of_kind(Kind::any_noun, static_cast<int>(grammar_.masks.size()) - 1);
    }
    if (text.starts_with('<')) return of_kind(Kind::rule, rule_of(text.substr(1, text.size() - 2)));
    return of_kind(Kind::word, id_of(text));
  }

  Phrase phrase_of(std::string_view text) {
    Phrase phrase;
    if (text.empty()) return phrase;
    for (const std::string_view piece : split_text(text, ' ')) phrase.push_back(piece_of(piece));
    return phrase;
  }

  /// The kinds with these names, or in the sets with these names.
  KindMask mask_of(std::string_view names) const {
    KindMask mask = 0;
    if (names.empty()) return mask;
    for (const std::string_view name : split_text(names, ' ')) mask |= named_kinds_.at(std::string(name));
    return mask;
  }

  /// The index of a rule. −1 without a name.
  int rule_of(std::string_view name) const {
    return name.empty() ? -1 : grammar_.rule_index.at(std::string(name));
  }

  /// The kinds of B may be "=", that of A.
  void add_frame(const Json& frame, bool is_open) {
    CompiledFrame made;
    made.text = text(frame, "text");
    made.weight = frame.at("weight").get<int>();
    made.is_open = is_open;
    made.pronouns_differ = frame.value("pronouns_differ", false);
    made.phrase = phrase_of(made.text);
    const std::string b = text_or_none(frame, "b");
    made.b_is_kind_of_a = b == "=";
    made.kinds[0] = mask_of(text_or_none(frame, "a"));
    made.kinds[1] = made.b_is_kind_of_a ? made.kinds[0] : mask_of(b);
    made.kinds[2] = mask_of(text_or_none(frame, "c"));
    made.decides_a = rule_of(text_or_none(frame, "decides_a"));
    made.decides_b = rule_of(text_or_none(frame, "decides_b"));
    made.present_share = is_open ? 0.12 : 0.0;
    const auto deciding_word = std::ranges::find(made.phrase, Piece::Kind::deciding_word, &Piece::kind);
    made.decides_by_degree = made.decides_a >= 0 && made.decides_b >= 0 &&
                             deciding_word != made.phrase.end() && deciding_word != made.phrase.begin() &&
                             *(deciding_word - 1) == piece_of("<degree>");
    for (const Piece& piece : made.phrase) {
      if (piece.kind == Piece::Kind::neg) made.present_share = 0.3;
      if (piece.kind == Piece::Kind::fact) made.present_share = 0.8;
    }
    add_drawn(made, made.weight);
    add_question(std::move(made));
  }

  void add_drawn(CompiledFrame frame, int weight) {
    std::vector<int>& drawn = frame.is_open ? grammar_.drawn_open : grammar_.drawn_scripts;
    drawn.insert(drawn.end(), static_cast<std::size_t>(weight), static_cast<int>(grammar_.frames.size()));
    grammar_.frames.push_back(std::move(frame));
  }

  /// Adds the question form of a frame that begins with “A NEG” or “A AvB”. Does nothing for other frames.
  void add_question(CompiledFrame frame) {
    Phrase& phrase = frame.phrase;
    const auto begins_with = [&](Piece::Kind kind) {
      return phrase.size() > 2 && phrase[0].kind == Piece::Kind::noun && phrase[0].value == 0 &&
             phrase[1].kind == kind;
    };
    if (begins_with(Piece::Kind::neg)) {
      phrase.erase(phrase.begin() + 1);
      phrase.insert(phrase.begin(), {Piece::Kind::asked_neg});
    } else if (begins_with(Piece::Kind::action)) {
      phrase.insert(phrase.begin(), {Piece::Kind::asked});
    } else {
      return;
    }
    phrase.push_back({Piece::Kind::question_mark});
    frame.is_question = true;
    const int weight = (frame.weight + questions_in - 1) / questions_in;
    add_drawn(std::move(frame), weight);
  }

  Grammar grammar_;
  std::unordered_map<std::string, int> ids_;
  std::unordered_map<std::string, KindMask> named_kinds_;
  std::unordered_map<std::string, int> verb_index_;
  std::unordered_map<std::string, std::size_t> saying_index_;
};

}  // namespace

PronounMask pronouns_of(NounPronoun kind, bool is_plural) {
  if (is_plural || kind == NounPronoun::they) return 8U;
  if (kind == NounPronoun::he_or_she) return 2U | 4U;
  return static_cast<PronounMask>(1U << static_cast<unsigned>(kind));
}

KindMask Grammar::kinds_of_word(int id) const {
  KindMask mask = 0;
  for (const NounSense& sense : senses[static_cast<std::size_t>(id)])
    mask |= KindMask{1} << static_cast<unsigned>(sense.kind);
  return mask;
}

bool Grammar::is_adjective(int id) const {
  return std::ranges::any_of(kinds, [&](const CompiledKind& kind) {
    return std::ranges::find(kind.adjectives, id) != kind.adjectives.end();
  });
}

PronounMask Grammar::pronouns_of_word(int id) const {
  PronounMask mask = 0;
  for (const NounSense& sense : senses[static_cast<std::size_t>(id)])
    mask |= pronouns_of(kinds[static_cast<std::size_t>(sense.kind)].pronoun, sense.is_plural);
  return mask;
}

Grammar compile_grammar() {
  return GrammarCompiler().compile();
}

std::string plural_of(std::string_view noun) {
  static const IrregularForms known = irregular("nouns", "one", "many");
  if (const auto found = known.find(noun); found != known.end()) return found->second;
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
  static const IrregularForms known = irregular("verbs", "base", "past");
  const auto found = known.find(verb);
  return found == known.end() ? with_ed(verb) : found->second;
}

std::string participle_of(std::string_view verb) {
  static const IrregularForms known = irregular("verbs", "base", "participle");
  const auto found = known.find(verb);
  return found == known.end() ? with_ed(verb) : found->second;
}

}  // namespace headscope
