#include <algorithm>
#include <array>
#include <set>

#include "core/tasks/draws.h"
#include "core/tasks/grammar.h"
#include "core/tasks/pronouns.h"
#include "core/tasks/sentence.h"
#include "core/tasks/tables.h"

namespace headscope {
namespace {

/// Words that are in no table.
constexpr std::array<std::string_view, 16> invented{"zorp", "blick", "wug",   "dax",  "fep",  "tove",
                                                    "mib",  "gorp",  "lupa",  "snib", "quab", "brill",
                                                    "vonk", "plim",  "drusk", "yeth"};

/// A form of sentence: "the A " + verb + " the B because it was too " + adjective.
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

/// The words of a form, looked up once.
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

/// Draws a pair of sentences, avoiding those in `seen` for a limited number of tries, and adds the pair to
/// `seen`.
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

}  // namespace

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

}  // namespace headscope
