#include "core/palette/match.h"

#include <algorithm>
#include <cstddef>

#include "core/text/letters.h"
#include "core/text/utf8.h"

namespace headscope {
namespace {

constexpr double whole_word = 110.0;
constexpr double word_beginning = 100.0;
constexpr double at_the_beginning = 10.0;  ///< Added if the name begins with the word.
constexpr double initials_score = 80.0;
constexpr double within_word = 60.0;
constexpr double whole_other_word = 105.0;
constexpr double of_other_words = 65.0;   ///< More than for letters within a word of the name.
constexpr double for_each_letter = 0.05;  ///< Subtracted for each letter of the name.

/// The letters of a text in lower case, and where its words begin.
struct Letters {
  std::vector<LocatedCodePoint> all;
  std::vector<bool> begins_word;
};

bool is_inside_word(char32_t c) {
  constexpr char32_t first_beyond_ascii = 0x80;
  const bool is_letter = (c >= U'a' && c <= U'z') || (c >= U'0' && c <= U'9');
  return is_letter || (c >= first_beyond_ascii && !is_separator(c) && !is_punctuation(c));
}

Letters letters_of(std::string_view text) {
  Letters letters{located_code_points(text), {}};
  letters.begins_word.reserve(letters.all.size());
  char32_t before = U' ';
  for (LocatedCodePoint& letter : letters.all) {
    letter.value = lower_case(letter.value);
    letters.begins_word.push_back(!is_inside_word(before) || !is_inside_word(letter.value));
    before = letter.value;
  }
  return letters;
}

/// The words of a query in lower case.
std::vector<std::vector<char32_t>> words_of(std::string_view query) {
  std::vector<std::vector<char32_t>> words;
  bool continues = false;
  for (const char32_t c : code_points(query)) {
    if (is_separator(c)) {
      continues = false;
      continue;
    }
    if (!continues) words.emplace_back();
    words.back().push_back(lower_case(c));
    continues = true;
  }
  return words;
}

/// The letters of a name, by index, that match one word of the query.
struct Answering {
  double score = 0.0;
  std::vector<std::size_t> letters = {};
};

bool stands_at(const Letters& name, std::size_t at, const std::vector<char32_t>& word) {
  if (at + word.size() > name.all.size()) return false;
  for (std::size_t i = 0; i < word.size(); ++i) {
    if (name.all[at + i].value != word[i]) return false;
  }
  return true;
}

Answering run_of(std::size_t at, std::size_t n, double score) {
  Answering answer{score, {}};
  answer.letters.reserve(n);
  for (std::size_t i = 0; i < n; ++i) answer.letters.push_back(at + i);
  return answer;
}

/// The best match with the whole word as consecutive letters.
std::optional<Answering> as_a_whole(const Letters& name, const std::vector<char32_t>& word) {
  std::optional<Answering> best;
  for (std::size_t at = 0; at < name.all.size(); ++at) {
    if (!stands_at(name, at, word)) continue;
    const std::size_t end = at + word.size();
    const bool ends_word = end == name.all.size() || name.begins_word[end];
    double score = !name.begins_word[at] ? within_word : ends_word ? whole_word : word_beginning;
    if (at == 0) score += at_the_beginning;
    if (!best || score > best->score) best = run_of(at, word.size(), score);
  }
  return best;
}

/// The match with the first letters of words in the same order.
std::optional<Answering> as_initials(const Letters& name, const std::vector<char32_t>& word) {
  Answering answer{initials_score, {}};
  std::size_t next = 0;
  for (std::size_t at = 0; at < name.all.size() && next < word.size(); ++at) {
    if (name.all[at].value != word[next] || !name.begins_word[at]) continue;
    answer.letters.push_back(at);
    ++next;
  }
  if (next < word.size()) return std::nullopt;
  return answer;
}

/// The match with an abbreviated word of the name, which begins with the same letter and has at most as many
/// other letters as the query.
std::optional<Answering> as_shortened(const Letters& name, const std::vector<char32_t>& word) {
  for (std::size_t begin = 0; begin < name.all.size(); ++begin) {
    if (!name.begins_word[begin] || name.all[begin].value != word.front()) continue;
    Answering answer{shortened_score, {}};
    std::size_t end = begin;
    do {
      const std::size_t next = answer.letters.size();
      if (next < word.size() && name.all[end].value == word[next]) answer.letters.push_back(end);
      ++end;
    } while (end < name.all.size() && !name.begins_word[end]);
    if (answer.letters.size() == word.size() && end - begin <= 2 * word.size()) return answer;
  }
  return std::nullopt;
}

std::optional<Answering> place_of(const std::vector<char32_t>& word, const Letters& name,
                                  const Letters& keywords) {
  constexpr std::size_t min_letters = 2;  ///< A single letter occurs in nearly every name.
  std::optional<Answering> best = as_a_whole(name, word);
  const auto take = [&](std::optional<Answering> other) {
    if (other && (!best || other->score > best->score)) best = std::move(other);
  };
  if (word.size() >= min_letters) take(as_initials(name, word));
  for (std::size_t at = 0; at < keywords.all.size(); ++at) {
    if (!keywords.begins_word[at] || !stands_at(keywords, at, word)) continue;
    const std::size_t end = at + word.size();
    const bool is_whole = end == keywords.all.size() || is_separator(keywords.all[end].value);
    take(Answering{is_whole ? whole_other_word : of_other_words});
  }
  if (!best && word.size() > min_letters) best = as_shortened(name, word);
  return best;
}

std::vector<TextSpan> spans_of(std::vector<std::size_t> marked, const Letters& name) {
  std::ranges::sort(marked);
  std::vector<TextSpan> spans;
  for (const std::size_t at : marked) {
    const LocatedCodePoint& letter = name.all[at];
    if (!spans.empty() && letter.begin <= spans.back().end) {
      spans.back().end = std::max(spans.back().end, letter.end);
    } else {
      spans.push_back({letter.begin, letter.end});
    }
  }
  return spans;
}

}  // namespace

std::optional<Match> match(std::string_view query, std::string_view name, std::string_view keywords) {
  const std::vector<std::vector<char32_t>> words = words_of(query);
  if (words.empty()) return Match{};
  const Letters letters = letters_of(name);
  const Letters others = letters_of(keywords);
  double score = 0.0;
  std::vector<std::size_t> marked;
  for (const std::vector<char32_t>& word : words) {
    const auto answer = place_of(word, letters, others);
    if (!answer) return std::nullopt;
    score += answer->score;
    marked.insert(marked.end(), answer->letters.begin(), answer->letters.end());
  }
  score /= static_cast<double>(words.size());
  return Match{score - for_each_letter * static_cast<double>(letters.all.size()),
               spans_of(std::move(marked), letters)};
}

}  // namespace headscope
