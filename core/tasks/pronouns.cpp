#include "core/tasks/pronouns.h"

#include <algorithm>
#include <array>
#include <set>

#include "core/split_text.h"
#include "core/tasks/grammar.h"
#include "core/tasks/reading.h"
#include "core/tasks/sentence.h"

namespace headscope {
namespace {

constexpr double placeholder_share = 0.35;
constexpr double other_placeholder_share = 0.14;
constexpr double blank_share = 0.1;
/// The fraction of fact words that are blanked; high, so that facts are learned quickly.
constexpr double fact_blank_share = 0.3;
/// The fraction of key words that are blanked; low, because the pronoun then has no label.
constexpr double key_blank_share = 0.05;

constexpr double unknown_decider_share = 0.03;

constexpr std::uint8_t pronoun_part = 1U;
constexpr std::uint8_t word_part = 2U;
constexpr std::uint8_t blank_part = 4U;
constexpr std::uint8_t attention_loss_part = 8U;

std::vector<std::string> pronoun_sentences() {
  return {"The animal didn't cross the street because it was too tired",
          "The animal didn't cross the street because it was too wide",
          "The trophy didn't fit in the suitcase because it was too big",
          "The trophy didn't fit in the suitcase because it was too small",
          "The sky is ___ and the grass is green",
          "The sky is ___ and the world is round",
          "The zorp didn't cross the street because it was too tired",
          "The woman could not cross the river because she was too tired",
          "The woman could not cross the river because it was too deep",
          "The man lent a book to the boy because he was generous",
          "The man lent a book to the boy because he was poor",
          "The dogs chased the cats because they were hungry",
          "The dogs chased the cats because they were noisy",
          "The vase broke on the floor because it was fragile",
          "The vase broke on the floor because it was hard",
          "It was too crowded, so the horse did not enter the market",
          "The sky was blue and the animal didn't cross the street because it was too tired.",
          "The boy poured water from the jug into the cup until it was full",
          "The ball hit the window and it shattered",
          "The ball fell off the shelf because it was crooked",
          "The girl found the cat when it was alone",
          "The rose is ___, the lemon is sour and the wheel is ___",
          "A bird can ___ and a fish can ___"};
}

const Grammar& grammar_of_task() {
  static const Grammar only = compile_grammar();
  return only;
}

class PronounsTask final : public Task {
 public:
  PronounsTask()
      : Task(
            TaskKind::pronouns, "pronouns", "Pronouns",
            "The model says what “it”, “he”, “she” and “they” stand for, and fills in blanks (___). It repeats all "
            "other words. A single word often decides: “tired” points to the animal, “wide” to the street. "
            "The model is trained with the noun as the target, and one head of the last layer is taught to "
            "look at that noun.",
            "short sentences in which a word shows what the pronoun stands for",
            *Vocabulary::make(grammar_of_task().words),
            {{"pronouns", 3.0F}, {"words", 1.0F}, {"blanks", 1.0F}, {"looks", 2.0F, true}},
            pronoun_sentences()) {}

  int max_length() const override { return static_cast<int>(max_sentence_tokens); }

  /// Words other than pronouns are repeated. "his" and "its" are not resolved. A blank has no label, because
  /// anything that fits could be there, and is learned only in facts.
  TaskRows rows(std::span<const int> source, std::span<const int> /*target*/) const override {
    using enum Expectation;
    TaskRows rows{{source.begin(), source.end()}, std::vector<Expectation>(source.size(), repeats)};
    rows.attention_targets = antecedents(grammar_, source);
    rows.possible_targets = possible_antecedents(grammar_, source);
    for (std::size_t row = 0; row < source.size(); ++row) {
      const int noun = rows.attention_targets[row];
      if (is_pronoun(source[row])) {
        if (noun >= 0) rows.expected[row] = source[static_cast<std::size_t>(noun)];
        if (noun < 0 && !is_owner(source, row)) rows.expected[row] = -1;
        const bool is_told = rows.expected[row] >= 0 && rows.expected[row] != source[row];
        rows.expectations[row] = is_told ? learned : guess;
      } else if (is_owner_word(source[row])) {
        rows.expectations[row] = guess;
      } else if (source[row] == vocabulary().blank()) {
        rows.expectations[row] = asks_for_fact(source, row) ? learned : guess;
      }
      const bool is_open = source[row] == vocabulary().blank() || source[row] == vocabulary().pad();
      if (is_open) rows.expected[row] = -1;
    }
    return rows;
  }

  Example draw(RandomStream& random, Split split) const override {
    Sentence sentence;
    do sentence = draw_sentence(grammar_, random);
    while (split_of_sentence(canonical_text(grammar_, sentence)) != split);
    replace_words(random, sentence);
    replace_decider(random, sentence);
    return blanked(random, sentence);
  }

 private:
  bool is_pronoun(int id) const {
    const FunctionWords& f = grammar_.function;
    return std::ranges::find(f.subject, id) != f.subject.end() ||
           std::ranges::find(f.object, id) != f.object.end();
  }

  bool is_owner_word(int id) const {
    const auto& owners = grammar_.function.owners;
    return std::ranges::find(owners, id) != owners.end();
  }

  /// Whether the word is the possessive "her", which is not resolved.
  bool is_owner(std::span<const int> source, std::size_t row) const {
    if (source[row] != grammar_.function.object[2] || row + 1 == source.size()) return false;
    const int next = source[row + 1];
    return grammar_.kinds_of_word(next) != 0 || grammar_.is_adjective(next);
  }

  /// Whether a blank is in a fact, as in "the sky is ___".
  bool asks_for_fact(std::span<const int> source, std::size_t row) const {
    const FunctionWords& f = grammar_.function;
    if (row < 2) return false;
    const int be = source[row - 1];
    const bool is_said = be == f.is || be == f.are || be == f.was || be == f.were;
    return is_said &&
           std::ranges::find(grammar_.facts, source[row - 2], &CompiledFact::subject) != grammar_.facts.end();
  }

  /// Replaces some words by distinct unknown ones, consistently within the sentence.
  void replace_words(RandomStream& random, Sentence& sentence) const {
    const bool is_told_by_nouns = sentence.pronoun_decides || sentence.frame->is_open;
    bool has_unknown_noun = false;
    for (std::size_t row = 0; row < sentence.words.size(); ++row) {
      const int word = sentence.words[row];
      if (sentence.has_content[row] == 0U || Grammar::is_placeholder(word)) continue;
      const bool is_noun = std::ranges::find(sentence.noun_rows.begin(), sentence.noun_rows.begin() + 2,
                                             static_cast<int>(row)) != sentence.noun_rows.begin() + 2;
      if (!draw_chance(random, is_noun ? placeholder_share : other_placeholder_share)) continue;
      if (is_noun && is_told_by_nouns && has_unknown_noun) continue;
      if (!is_noun && sentence.is_key[row] != 0U) continue;
      has_unknown_noun = has_unknown_noun || is_noun;
      int unknown = 0;
      const std::vector<int>& placeholders = vocabulary().placeholders_for(vocabulary().word(word));
      do unknown = draw_one(random, placeholders);
      while (std::ranges::find(sentence.words, unknown) != sentence.words.end());
      std::ranges::replace(sentence.words, word, unknown);
    }
  }

  /// Occasionally replaces the deciding word by an unknown one.
  void replace_decider(RandomStream& random, Sentence& sentence) const {
    const auto row = static_cast<std::size_t>(sentence.deciding_row);
    if (sentence.deciding_row < 0 || !draw_chance(random, unknown_decider_share)) return;
    const int word = sentence.words[row];
    if (std::ranges::count(sentence.words, word) > 1) return;
    int unknown = 0;
    do unknown = draw_one(random, vocabulary().placeholders_for(vocabulary().word(word)));
    while (std::ranges::find(sentence.words, unknown) != sentence.words.end());
    sentence.words[row] = unknown;
    sentence.is_ambiguous = true;
  }

  bool may_be_blank(const Sentence& sentence, std::size_t row) const {
    const int word = sentence.words[row];
    return sentence.antecedent_rows[row] < 0 && !grammar_.is_mark(word) && !vocabulary().is_placeholder(word);
  }

  /// Whether the pronoun agrees with both nouns and the deciding word is missing.
  bool is_ambiguous(const Sentence& sentence, const Example& example) const {
    const bool is_blanked =
        sentence.deciding_row >= 0 &&
        example.source[static_cast<std::size_t>(sentence.deciding_row)] == vocabulary().blank();
    return sentence.shares_pronoun && (sentence.is_ambiguous || is_blanked);
  }

  static bool is_first_or_second(const Sentence& sentence, std::size_t row) {
    return sentence.antecedent_rows[row] == sentence.noun_rows[0] ||
           sentence.antecedent_rows[row] == sentence.noun_rows[1];
  }

  Example blanked(RandomStream& random, const Sentence& sentence) const {
    Example example{sentence.words, {}, sentence.words, {}, std::vector<int>(sentence.words.size(), -1)};
    example.parts.assign(sentence.words.size(), word_part);
    bool can_be_told = !sentence.is_ambiguous;
    for (std::size_t row = 0; row < sentence.words.size(); ++row) {
      const bool is_key = sentence.is_key[row] != 0U;
      const double share = !is_key ? blank_share : sentence.has_pronoun ? key_blank_share : fact_blank_share;
      if (!may_be_blank(sentence, row) || !draw_chance(random, share)) continue;
      example.source[row] = vocabulary().blank();
      example.parts[row] = blank_part;
      can_be_told = can_be_told && !is_key;
    }
    for (std::size_t row = 0; row < sentence.words.size(); ++row) {
      if (sentence.antecedent_rows[row] < 0) continue;
      const int noun = example.source[static_cast<std::size_t>(sentence.antecedent_rows[row])];
      const bool is_asked = can_be_told && noun != vocabulary().blank();
      example.expected[row] = is_asked ? noun : -1;
      example.parts[row] = is_asked ? pronoun_part | attention_loss_part : 0U;
      if (is_asked) example.attention_targets[row] = sentence.antecedent_rows[row];
      // If the pronoun is ambiguous, the head learns to attend to both nouns equally often, so its weights
      // reflect its confidence.
      if (is_ambiguous(sentence, example) && is_first_or_second(sentence, row)) {
        example.attention_targets[row] = sentence.noun_rows[draw_below(random, 2)];
        example.parts[row] = attention_loss_part;
      }
    }
    return example;
  }

  const Grammar& grammar_ = grammar_of_task();
};

/// Words that are in none of the tables.
constexpr std::array<std::string_view, 16> invented{"zorp", "blick", "wug",   "dax",  "fep",  "tove",
                                                    "mib",  "gorp",  "lupa",  "snib", "quab", "brill",
                                                    "vonk", "plim",  "drusk", "yeth"};

/// A sentence “the A VERB the B because it was too X”: the article, A, the verb, B, and the words that decide
/// for A and for B.
using PairWords = std::array<std::string_view, 6>;
/// The words to draw each of them from.
using PairLists = std::array<std::vector<std::string_view>, 6>;

std::string_view word_of(int id) {
  return grammar_of_task().words[static_cast<std::size_t>(id)];
}

PairLists pair_lists(std::string_view verb, std::string_view kind_a, std::string_view kind_b,
                     std::string_view decides_a, std::string_view decides_b) {
  const auto words_of_kind = [](std::string_view name) {
    const auto kind = std::ranges::find(grammar_of_task().kinds, name, &CompiledKind::name);
    std::vector<std::string_view> words;
    for (const int id : kind->words) words.push_back(word_of(id));
    return words;
  };
  const auto words_of_rule = [](std::string_view name) {
    std::vector<std::string_view> words;
    for (const Phrase& phrase : grammar_of_task().rule(name)) words.push_back(word_of(phrase.front().value));
    return words;
  };
  return {{{"the", "the", "the", "this", "that", "our"},
           words_of_kind(kind_a),
           {verb},
           words_of_kind(kind_b),
           words_of_rule(decides_a),
           words_of_rule(decides_b)}};
}

std::string text_of(const PairWords& pair, bool means_a) {
  const auto& [article, a, verb, b, when_a, when_b] = pair;
  std::string text(article);
  for (const std::string_view part : {a, verb, std::string_view("the"), b,
                                      std::string_view("because it was too"), means_a ? when_a : when_b})
    text.append(" ").append(part);
  return text;
}

PairWords draw_pair(RandomStream& random, const PairLists& lists) {
  PairWords pair;
  const auto is_held_out = [&](bool means_a) {
    return split_of_sentence(text_of(pair, means_a)) == Split::held_out;
  };
  do {
    for (std::size_t i = 0; i < pair.size(); ++i)
      pair[i] = lists[i].size() == 1 ? lists[i].front() : draw_one(random, lists[i]);
  } while (pair[1] == pair[3] || !is_held_out(true) || !is_held_out(false));
  return pair;
}

/// Draws a pair of sentences that is not in `seen`, with a limited number of retries, and adds it to `seen`.
PairWords draw_new_pair(RandomStream& random, const PairLists& lists, std::set<std::string>& seen) {
  PairWords pair = draw_pair(random, lists);
  for (int tries = 0;
       tries < 20 && (seen.contains(text_of(pair, true)) || seen.contains(text_of(pair, false))); ++tries)
    pair = draw_pair(random, lists);
  seen.insert({text_of(pair, true), text_of(pair, false)});
  return pair;
}

void replace_by_unknown(RandomStream& random, PairWords& pair) {
  const std::size_t first = draw_below(random, invented.size());
  const std::size_t which = draw_below(random, 3);
  if (which != 0) pair[1] = invented[first];
  if (which != 1) pair[3] = invented[(first + 1) % invented.size()];
}

/// The rules that consist of function words, which are listed with the rest.
constexpr std::string_view function_rules =
    "why because conj coord anyone manner modal owner then past-neg present-neg past-neg-plural "
    "present-neg-plural past-not past-not-plural present-not present-not-plural past-ask present-ask "
    "present-ask-plural past-ask-neg present-ask-neg present-ask-neg-plural past-perfect present-perfect "
    "present-perfect-plural could-not did-not had-not would-not so article article-plural although when degree "
    "into time past-opening present-opening closing any";

}  // namespace

const Task& pronouns_task() {
  static const PronounsTask only;
  return only;
}

std::vector<MinimalPair> minimal_pairs(int n, std::uint64_t seed) {
  RandomStream random(seed, "minimal pairs");
  static const std::array forms{pair_lists("didn't cross", "animal", "place", "tired", "wide"),
                                pair_lists("didn't fit in", "thing", "container", "big", "small")};
  std::vector<MinimalPair> pairs;
  std::set<std::string> seen;
  for (std::size_t i = 0; pairs.size() < static_cast<std::size_t>(std::max(n, 0)); ++i) {
    PairWords pair = draw_new_pair(random, forms[i % 2], seen);
    if (i % 8 >= 6) replace_by_unknown(random, pair);
    for (const bool means_a : {true, false})
      pairs.push_back({text_of(pair, means_a), std::string(pair[means_a ? 1 : 3]),
                       std::string(pair[means_a ? 3 : 1]), "it"});
  }
  pairs.resize(static_cast<std::size_t>(std::max(n, 0)));
  return pairs;
}

std::vector<WordGroup> known_words() {
  const Grammar& grammar = grammar_of_task();
  std::vector<WordGroup> groups;
  std::vector<bool> is_listed(grammar.words.size());
  const auto put = [&](int id) {
    if (is_listed[static_cast<std::size_t>(id)] || is_special(word_of(id))) return;
    is_listed[static_cast<std::size_t>(id)] = true;
    groups.back().words.emplace_back(word_of(id));
  };
  const auto put_all = [&](const std::vector<int>& ids) { std::ranges::for_each(ids, put); };
  const auto put_rule = [&](const std::vector<Phrase>& alternatives) {
    for (const Phrase& phrase : alternatives)
      for (const Piece& piece : phrase)
        if (piece.kind == Piece::Kind::word) put(piece.value);
  };
  for (const CompiledKind& kind : grammar.kinds) {
    groups.push_back({kind.title, {}});
    for (std::size_t i = 0; i < kind.words.size(); ++i) {
      put(kind.words[i]);
      if (!kind.plurals.empty()) put(kind.plurals[i]);
    }
  }
  groups.push_back({"Owners", {}});
  for (const CompiledKind& kind : grammar.kinds) put_all(kind.owners);
  groups.push_back({"Function words", {}});
  for (
      const std::string_view word : split_text(
          "it he she they him her them was were is are the a an to no many of off on up from under through until "
          "by so but and into at that , . ?",
          ' '))
    put(static_cast<int>(std::ranges::find(grammar.words, word) - grammar.words.begin()));
  std::set<int> of_function_words, deciding;
  for (const std::string_view name : split_text(function_rules, ' '))
    of_function_words.insert(grammar.rule_index.at(std::string(name)));
  for (const int rule : of_function_words) put_rule(grammar.rules[static_cast<std::size_t>(rule)]);
  groups.push_back({"Facts and colours", {}});
  for (const CompiledFact& fact : grammar.facts) {
    put(fact.subject);
    put_all(fact.attributes);
  }
  for (const CompiledKind& kind : grammar.kinds) put_all(kind.adjectives);
  groups.push_back({"Deciding words", {}});
  for (const CompiledFrame& frame : grammar.frames) deciding.insert({frame.decides_a, frame.decides_b});
  deciding.erase(-1);
  for (const int rule : deciding) put_rule(grammar.rules[static_cast<std::size_t>(rule)]);
  groups.push_back({"Verbs and other words", {}});
  for (int id = 0; id < static_cast<int>(grammar.words.size()); ++id) put(id);
  // A kind whose words are all in earlier ones is left out.
  std::erase_if(groups, [](const WordGroup& group) { return group.words.empty(); });
  return groups;
}

}  // namespace headscope
