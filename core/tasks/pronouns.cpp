#include "core/tasks/pronouns.h"

#include <algorithm>
#include <array>
#include <set>

#include "core/split_text.h"
#include "core/tasks/grammar.h"
#include "core/tasks/inflection.h"
#include "core/tasks/reading.h"
#include "core/tasks/sentence.h"
#include "core/tasks/tables.h"

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
          "The sky is ___ and world is round",
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

class PronounsTask final : public Task {
 public:
  PronounsTask()
      : grammar_(compile_grammar()),
        vocabulary_(*Vocabulary::make(grammar_.words)),
        parts_{{"pronouns", 3.0F}, {"words", 1.0F}, {"blanks", 1.0F}, {"looks", 2.0F, true}},
        sentences_(pronoun_sentences()) {}

  TaskKind kind() const override { return TaskKind::pronouns; }
  std::string_view name() const override { return "pronouns"; }
  std::string_view title() const override { return "Pronouns"; }
  std::string_view summary() const override {
    return "The model says what “it”, “he”, “she” and “they” stand for, and fills in blanks (___). It repeats all "
           "other words. A single word often decides: “tired” points to the animal, “wide” to the street. "
           "The model is trained with the noun as the target, and one head of the last layer is taught to "
           "look at that noun.";
  }
  std::string_view trained_on() const override {
    return "short sentences in which a word shows what the pronoun stands for";
  }
  const Vocabulary& vocabulary() const override { return vocabulary_; }
  const std::vector<LossPart>& parts() const override { return parts_; }
  const std::vector<std::string>& example_sentences() const override { return sentences_; }
  int max_length() const override { return static_cast<int>(max_sentence_tokens); }

  /// Words other than pronouns are repeated. A blank has no label, because anything that fits could be there.
  std::vector<int> expected(std::span<const int> source, std::span<const int> /*target*/) const override {
    const std::vector<int> rows = antecedents(grammar_, source);
    std::vector<int> ids(source.begin(), source.end());
    for (std::size_t row = 0; row < ids.size(); ++row) {
      const bool is_open = source[row] == vocabulary_.blank() || source[row] == vocabulary_.pad();
      if (is_pronoun(source[row]) && (rows[row] >= 0 || !is_owner(source, row)))
        ids[row] = rows[row] < 0 ? -1 : source[static_cast<std::size_t>(rows[row])];
      if (is_open) ids[row] = -1;
    }
    return ids;
  }

  std::vector<int> attention_targets(std::span<const int> source) const override {
    return antecedents(grammar_, source);
  }

  std::vector<std::vector<int>> possible_targets(std::span<const int> source) const override {
    return possible_antecedents(grammar_, source);
  }

  /// Blanks are labelled only in facts. "his" and "its" are not resolved.
  std::vector<Expectation> expectations(std::span<const int> source, std::span<const int> /*target*/,
                                        std::span<const int> expected) const override {
    std::vector<Expectation> expectations(source.size(), Expectation::repeats);
    for (std::size_t row = 0; row < source.size(); ++row) {
      if (is_pronoun(source[row])) {
        const bool is_told = expected[row] >= 0 && expected[row] != source[row];
        expectations[row] = is_told ? Expectation::learned : Expectation::guess;
      } else if (is_owner_word(source[row])) {
        expectations[row] = Expectation::guess;
      } else if (source[row] == vocabulary_.blank()) {
        expectations[row] = asks_for_fact(source, row) ? Expectation::learned : Expectation::guess;
      }
    }
    return expectations;
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
      const std::vector<int>& placeholders = vocabulary_.placeholders_for(vocabulary_.word(word));
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
    do unknown = draw_one(random, vocabulary_.placeholders_for(vocabulary_.word(word)));
    while (std::ranges::find(sentence.words, unknown) != sentence.words.end());
    sentence.words[row] = unknown;
    sentence.is_ambiguous = true;
  }

  bool may_be_blank(const Sentence& sentence, std::size_t row) const {
    const int word = sentence.words[row];
    return sentence.antecedent_rows[row] < 0 && !grammar_.is_mark(word) && !vocabulary_.is_placeholder(word);
  }

  /// Whether the pronoun agrees with both nouns and the deciding word is missing.
  bool is_ambiguous(const Sentence& sentence, const Example& example) const {
    const bool is_blanked =
        sentence.deciding_row >= 0 &&
        example.source[static_cast<std::size_t>(sentence.deciding_row)] == vocabulary_.blank();
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
      example.source[row] = vocabulary_.blank();
      example.parts[row] = blank_part;
      can_be_told = can_be_told && !is_key;
    }
    for (std::size_t row = 0; row < sentence.words.size(); ++row) {
      if (sentence.antecedent_rows[row] < 0) continue;
      const int noun = example.source[static_cast<std::size_t>(sentence.antecedent_rows[row])];
      const bool is_asked = can_be_told && noun != vocabulary_.blank();
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

  Grammar grammar_;
  Vocabulary vocabulary_;
  std::vector<LossPart> parts_;
  std::vector<std::string> sentences_;
};

/// Words that are in none of the tables.
constexpr std::array<std::string_view, 16> invented{"zorp", "blick", "wug",   "dax",  "fep",  "tove",
                                                    "mib",  "gorp",  "lupa",  "snib", "quab", "brill",
                                                    "vonk", "plim",  "drusk", "yeth"};

/// A template: "the A " + verb + " the B because it was too " + adjective.
struct PairForm {
  std::string_view kind_a, verb, kind_b, decides_a, decides_b;
};

constexpr PairForm crossing{"animal", "didn't cross", "place", "tired", "wide"};
constexpr PairForm fitting{"thing", "didn't fit in", "container", "big", "small"};

std::vector<std::string_view> words_of_kind(std::string_view name) {
  const auto& kinds = tables().noun_kinds;
  const auto found =
      std::find_if(kinds.begin(), kinds.end(), [&](const auto& kind) { return kind.name == name; });
  return split_text(found->words, ' ');
}

std::vector<std::string_view> words_of_rule(std::string_view name) {
  const auto& all = tables().rules;
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const auto& rule) { return rule.name == name; });
  return split_text(found->alternatives, '|');
}

/// The ids of the words of a template.
struct PairWords {
  explicit PairWords(const PairForm& form)
      : verb(form.verb),
        nouns_a(words_of_kind(form.kind_a)),
        nouns_b(words_of_kind(form.kind_b)),
        decides_a(words_of_rule(form.decides_a)),
        decides_b(words_of_rule(form.decides_b)) {}
  std::string_view verb;
  std::vector<std::string_view> nouns_a, nouns_b, decides_a, decides_b;
};

struct DrawnPair {
  std::string_view article, a, verb, b, when_a, when_b;

  std::string text(bool means_a) const {
    std::string text;
    for (const std::string_view part : {article, a, verb, std::string_view("the"), b,
                                        std::string_view("because it was too"), means_a ? when_a : when_b})
      text.append(text.empty() ? "" : " ").append(part);
    return text;
  }
  MinimalPair member(bool means_a) const {
    return {text(means_a), std::string(means_a ? a : b), std::string(means_a ? b : a), "it"};
  }
  bool is_held_out() const {
    return split_of_sentence(text(true)) == Split::held_out &&
           split_of_sentence(text(false)) == Split::held_out;
  }
};

DrawnPair draw_pair(RandomStream& random, const PairWords& words) {
  static constexpr std::array<std::string_view, 6> articles{"the", "the", "the", "this", "that", "our"};
  DrawnPair pair;
  do {
    pair = {articles[draw_below(random, articles.size())],
            draw_one(random, words.nouns_a),
            words.verb,
            draw_one(random, words.nouns_b),
            draw_one(random, words.decides_a),
            draw_one(random, words.decides_b)};
  } while (pair.a == pair.b || !pair.is_held_out());
  return pair;
}

/// Draws a pair of sentences that is not in `seen`, with a limited number of retries, and adds it to `seen`.
DrawnPair draw_new_pair(RandomStream& random, const PairWords& words, std::set<std::string>& seen) {
  DrawnPair pair = draw_pair(random, words);
  for (int tries = 0; tries < 20 && (seen.contains(pair.text(true)) || seen.contains(pair.text(false)));
       ++tries)
    pair = draw_pair(random, words);
  seen.insert({pair.text(true), pair.text(false)});
  return pair;
}

void replace_by_unknown(RandomStream& random, DrawnPair& pair) {
  const std::size_t first = draw_below(random, invented.size());
  const std::size_t which = draw_below(random, 3);
  if (which != 0) pair.a = invented[first];
  if (which != 1) pair.b = invented[(first + 1) % invented.size()];
}

/// Sorts words into kinds; the first kind of a word wins.
class WordSorter {
 public:
  void open(std::string_view title) { kinds_.push_back({std::string(title), {}}); }
  void put(std::string_view words, std::string_view separators) {
    while (!words.empty()) {
      const std::size_t end = std::min(words.find_first_of(separators), words.size());
      const std::string word(words.substr(0, end));
      words.remove_prefix(std::min(end + 1, words.size()));
      if (task(TaskKind::pronouns).vocabulary().find(word) && seen_.insert(word).second)
        kinds_.back().words.push_back(word);
    }
  }
  /// Drops kinds whose words are all in earlier ones.
  std::vector<WordGroup> take() {
    std::erase_if(kinds_, [](const WordGroup& kind) { return kind.words.empty(); });
    return std::move(kinds_);
  }

 private:
  std::vector<WordGroup> kinds_;
  std::set<std::string> seen_;
};

bool is_deciding(std::string_view rule) {
  for (const SentenceFrame& frame : tables().scripts)
    if (frame.decides_a == rule || frame.decides_b == rule) return true;
  return false;
}

/// Whether a rule consists of function words, which are listed with the rest.
bool is_little(std::string_view rule) {
  for (const std::string_view name : {"why",
                                      "because",
                                      "conj",
                                      "coord",
                                      "anyone",
                                      "manner",
                                      "modal",
                                      "owner",
                                      "then",
                                      "past-neg",
                                      "present-neg",
                                      "past-neg-plural",
                                      "present-neg-plural",
                                      "past-not",
                                      "past-not-plural",
                                      "present-not",
                                      "present-not-plural",
                                      "past-ask",
                                      "present-ask",
                                      "present-ask-plural",
                                      "past-ask-neg",
                                      "present-ask-neg",
                                      "present-ask-neg-plural",
                                      "past-perfect",
                                      "present-perfect",
                                      "present-perfect-plural",
                                      "could-not",
                                      "did-not",
                                      "had-not",
                                      "would-not",
                                      "so",
                                      "article",
                                      "article-plural",
                                      "although",
                                      "when",
                                      "degree",
                                      "into",
                                      "time",
                                      "past-opening",
                                      "present-opening",
                                      "closing",
                                      "any"})
    if (rule == name) return true;
  return false;
}

}  // namespace

const Task& pronouns_task() {
  static const PronounsTask only;
  return only;
}

std::vector<MinimalPair> minimal_pairs(int n, std::uint64_t seed) {
  RandomStream random(seed, "minimal pairs");
  const std::array<PairWords, 2> forms{PairWords(crossing), PairWords(fitting)};
  std::vector<MinimalPair> pairs;
  std::set<std::string> seen;
  for (std::size_t i = 0; pairs.size() < static_cast<std::size_t>(std::max(n, 0)); ++i) {
    DrawnPair pair = draw_new_pair(random, forms[i % 2], seen);
    if (i % 8 >= 6) replace_by_unknown(random, pair);
    pairs.push_back(pair.member(true));
    pairs.push_back(pair.member(false));
  }
  pairs.resize(static_cast<std::size_t>(std::max(n, 0)));
  return pairs;
}

std::vector<WordGroup> known_words() {
  WordSorter sorter;
  for (const NounKind& kind : tables().noun_kinds) {
    sorter.open(kind.title);
    for (const std::string_view word : split_text(kind.words, ' ')) {
      sorter.put(word, " ");
      if (kind.use == NounKind::Use::countable) sorter.put(plural_of(word), " ");
    }
  }
  sorter.open("Owners");
  for (const NounKind& kind : tables().noun_kinds) {
    for (const std::string_view word : split_text(kind.words, ' ')) sorter.put(possessive_of(word), " ");
  }
  sorter.open("Function words");
  sorter.put(
      "it he she they him her them was were is are the a an to no many of off on up from under through", " ");
  sorter.put("until by so but and into at that , . ?", " ");
  for (const Rule& rule : tables().rules)
    if (is_little(rule.name)) sorter.put(rule.alternatives, "| ");
  sorter.open("Facts and colours");
  for (const Fact& fact : tables().facts) {
    sorter.put(fact.subject, " ");
    sorter.put(fact.attributes, "|");
  }
  for (const NounKind& kind : tables().noun_kinds) sorter.put(kind.adjectives, " ");
  sorter.open("Deciding words");
  for (const Rule& rule : tables().rules)
    if (is_deciding(rule.name)) sorter.put(rule.alternatives, "| ");
  sorter.open("Verbs and other words");
  for (const std::string& word : task(TaskKind::pronouns).vocabulary().words())
    if (!is_special(word)) sorter.put(word, " ");
  return sorter.take();
}

}  // namespace headscope
