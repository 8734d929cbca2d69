#include <algorithm>
#include <set>

#include "core/tasks/grammar.h"
#include "core/tasks/inflection.h"
#include "core/tasks/pronouns.h"
#include "core/tasks/tables.h"

namespace headscope {
namespace {

/// Sorts words into kinds. A word stays in the first kind that it is put into.
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
  /// Returns the kinds without those whose words are all in earlier ones.
  std::vector<WordKind> take() {
    std::erase_if(kinds_, [](const WordKind& kind) { return kind.words.empty(); });
    return std::move(kinds_);
  }

 private:
  std::vector<WordKind> kinds_;
  std::set<std::string> seen_;
};

bool is_deciding(std::string_view rule) {
  for (const SentenceFrame& frame : tables().scripts)
    if (frame.decides_a == rule || frame.decides_b == rule) return true;
  return false;
}

/// Returns whether a rule consists of function words, which are listed among the rest.
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

std::vector<WordKind> known_words() {
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
    for (const std::string_view word : split_text(kind.words, ' ')) sorter.put(owner_of(word), " ");
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
