#include "core/tasks/task.h"

#include <algorithm>

#include "core/enum_count.h"
#include "core/split_text.h"
#include "core/tasks/pronouns.h"

namespace headscope {
namespace {

constexpr std::string_view common_words =
    "apple bell bird boat book box bread cake card cat chair cloud coat corn cow cup desk dog door drum duck "
    "egg "
    "fish flag fork fox frog gate goat gold hand hat hill horse king lake lamp leaf lion map milk moon "
    "mouse "
    "nest owl pen pig rain ring road rose ship shoe snow star sun tree wolf";

/// The number of placeholders; small, so that each is learned about as well as a word.
constexpr int n_unknown = 24;
constexpr double unknown_share = 0.15;

Vocabulary sequence_vocabulary(std::initializer_list<std::string_view> special) {
  std::vector<std::string> words(special.begin(), special.end());
  for (int i = 0; i < n_unknown; ++i) words.push_back("[new" + std::to_string(i) + "]");
  for (const std::string_view word : split_text(common_words, ' ')) words.emplace_back(word);
  return *Vocabulary::make(std::move(words));
}

/// Adds a random id in [begin, end) unless it is already in the list.
void add_new(RandomStream& random, std::vector<int>& ids, int begin, int end) {
  const int id = begin + static_cast<int>(draw_below(random, static_cast<std::size_t>(end - begin)));
  if (std::find(ids.begin(), ids.end(), id) == ids.end()) ids.push_back(id);
}

/// Draws between `shortest` and `max_words` words of a sequence_vocabulary(), in which the placeholders begin
/// at `first_unknown`: distinct, except in a fraction `repeated_share` of lists, and partly replaced by
/// placeholders. One sequence in 16 is held out.
std::vector<int> draw_words(const Vocabulary& vocabulary, int first_unknown, RandomStream& random,
                            Split split, std::size_t shortest, std::size_t max_words, double repeated_share) {
  const int first_word = first_unknown + n_unknown;
  std::vector<int> ids;
  do {
    ids.clear();
    const std::size_t n = shortest + draw_below(random, max_words - shortest + 1);
    while (ids.size() < n) add_new(random, ids, first_word, vocabulary.size());
    if (repeated_share > 0.0 && draw_chance(random, repeated_share)) {
      for (int& word : ids) {
        if (draw_chance(random, 0.5)) word = draw_one(random, ids);
      }
    }
  } while (split_of(text_of(vocabulary, ids)) != split);
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (!draw_chance(random, unknown_share)) continue;
    const std::size_t n = ids.size();
    while (ids.size() == n) add_new(random, ids, first_unknown, first_word);
    ids[i] = ids.back();
    ids.pop_back();
  }
  return ids;
}

constexpr std::size_t shortest_copied = 4;
constexpr std::size_t max_copied_words = 10;
/// The minimum number of repeated words.
constexpr std::size_t shortest_again = 3;
/// The fraction of sequences in which all words are repeated. In the others, a prefix keeps the model from
/// using the distance instead of matching words.
constexpr double whole_share = 0.25;
constexpr double repeated_share = 0.25;
constexpr std::size_t shortest_reversed = 1;
constexpr std::size_t max_reversed_words = 10;

class CopyingTask final : public Task {
 public:
  CopyingTask()
      : Task(
            TaskKind::copying, "copying", "Copying",
            "A list of random words is repeated in the same order, whole or from some word on; the model predicts "
            "the next word. Once words repeat, it can know the next one: one head finds the word after the "
            "previous occurrence of the current word. It is trained on 4 to 10 different words that repeat; "
            "with longer lists, or a word that has already occurred twice, it can only guess.",
            "lists of 4 to 10 different words, each list repeated once", sequence_vocabulary({"[pad]"}),
            {{"repetition", 1.0F}, {"words", 0.1F}},
            {"cat moon egg fish cat moon egg fish", "rain dog bread lamp star rain dog bread lamp star",
             "owl ship hat milk fox door owl ship hat", "sun horse tree bell corn sun horse tree",
             "zorp king blick ring hand zorp king blick"}) {}
  int max_length() const override { return static_cast<int>(2 * max_copied_words); }

  /// A word that occurred before is followed by the word that followed it then. That is learned for lists of
  /// distinct words within the training lengths. First occurrences have no label.
  TaskRows rows(std::span<const int> source, std::span<const int> /*target*/) const override {
    TaskRows rows{std::vector<int>(source.size(), -1),
                  std::vector<Expectation>(source.size(), Expectation::guess)};
    std::vector<int>& expected = rows.expected;
    for (std::size_t row = 0; row < source.size(); ++row) {
      const auto earlier =
          std::find(source.begin(), source.begin() + static_cast<std::ptrdiff_t>(row), source[row]);
      const auto at = static_cast<std::size_t>(earlier - source.begin());
      if (at < row) expected[row] = source[at + 1];
    }
    // The number of words before the first repeated one.
    std::size_t n = 0;
    while (n < source.size() && expected[n] < 0) ++n;
    if (n < shortest_copied || n > max_copied_words) return rows;
    std::fill_n(rows.expectations.begin(), n, Expectation::repeats);
    for (std::size_t row = n; row < source.size(); ++row) {
      // Until the repetition is complete, each word must follow the same word as before.
      const bool continues = row == n || source[row] == expected[row - 1];
      if (row < 2 * n && continues && expected[row] >= 0) rows.expectations[row] = Expectation::learned;
    }
    return rows;
  }

  /// Draws words and repeats them from some word on, truncated to at least two. The label of row r is the
  /// token of row r + 1; that of the last row is the next word, or none if the repetition is complete.
  Example draw(RandomStream& random, Split split) const override {
    std::vector<int> words =
        draw_words(vocabulary(), 1, random, split, shortest_copied, max_copied_words, 0.0);
    const std::size_t n = words.size();
    const bool is_whole = draw_chance(random, whole_share);
    const std::size_t again_from = is_whole ? 0 : draw_below(random, n - shortest_again + 1);
    const std::size_t n_again = n - again_from;
    words.resize(n + n_again);
    std::copy_n(words.begin() + static_cast<std::ptrdiff_t>(again_from), n_again,
                words.begin() + static_cast<std::ptrdiff_t>(n));
    const std::size_t rows = n + (draw_chance(random, 0.5) ? n_again : 2 + draw_below(random, n_again - 1));
    Example example;
    for (std::size_t row = 0; row < rows; ++row) {
      const bool is_last = row + 1 == words.size();
      example.source.push_back(words[row]);
      example.expected.push_back(is_last ? -1 : words[row + 1]);
      example.parts.push_back(is_last ? 0U : row >= n ? 1U : 2U);
    }
    return example;
  }
};

class ReversingTask final : public Task {
 public:
  ReversingTask()
      : Task(TaskKind::reversing, "reversing", "Reversing",
             "The decoder writes the encoder's words backwards. Its cross-attention runs along the other "
             "diagonal, from the last word to the first. It is trained on 1 to 10 words, which may repeat; "
             "with longer lists it can only guess.",
             "lists of 1 to 10 words", sequence_vocabulary({"[pad]", "[begin]", "[end]"}), {{"words", 1.0F}},
             {"cat moon egg fish", "rain dog bread lamp star", "owl ship hat milk fox door sun",
              "horse fox goat bird", "tree bell zorp snow", "king ring hand book cloud gate rose nest"}) {}
  int max_length() const override { return static_cast<int>(max_reversed_words + 1); }
  std::string target_of(std::string_view source) const override {
    const std::vector<Token> tokens = tokenize(source, TokenizerKind::word);
    std::string target = vocabulary().word(vocabulary().begin());
    for (auto token = tokens.rbegin(); token != tokens.rend(); ++token) target += " " + token->text;
    return target;
  }

  /// Expects the reversed source and "[end]", truncated to the rows of the target.
  TaskRows rows(std::span<const int> source, std::span<const int> target) const override {
    TaskRows rows{{source.rbegin(), source.rend()},
                  std::vector<Expectation>(target.size(), Expectation::guess)};
    rows.expected.push_back(vocabulary().end());
    rows.expected.resize(target.size(), -1);
    if (source.size() > max_reversed_words) return rows;
    for (std::size_t row = 0; row < target.size(); ++row) {
      // The target so far must be the reversed source.
      const bool continues = target[row] == (row == 0 ? vocabulary().begin() : rows.expected[row - 1]);
      if (!continues) break;
      if (rows.expected[row] >= 0) rows.expectations[row] = Expectation::learned;
    }
    return rows;
  }

  Example draw(RandomStream& random, Split split) const override {
    Example example;
    example.source =
        draw_words(vocabulary(), 3, random, split, shortest_reversed, max_reversed_words, repeated_share);
    example.expected.assign(example.source.rbegin(), example.source.rend());
    example.target = example.expected;
    example.target.insert(example.target.begin(), vocabulary().begin());
    example.expected.push_back(vocabulary().end());
    example.parts.assign(example.expected.size(), 1U);
    return example;
  }
};

}  // namespace

std::vector<Example> ExampleSource::batch(RandomStream& random, int /*step*/, int size) const {
  std::vector<Example> examples;
  examples.reserve(static_cast<std::size_t>(size));
  for (int i = 0; i < size; ++i) examples.push_back(draw(random, Split::train));
  return examples;
}

std::string Task::target_of(std::string_view /*source*/) const {
  return {};
}

Task::Task(TaskKind kind, std::string_view name, std::string_view title, std::string_view summary,
           std::string_view trained_on, Vocabulary vocabulary, std::vector<LossPart> parts,
           std::vector<std::string> sentences)
    : kind_(kind),
      name_(name),
      title_(title),
      summary_(summary),
      trained_on_(trained_on),
      vocabulary_(std::move(vocabulary)),
      parts_(std::move(parts)),
      sentences_(std::move(sentences)) {}

bool Task::teaches_head() const {
  return std::ranges::any_of(parts(), &LossPart::is_attention_loss);
}

const Task& task(TaskKind kind) {
  if (kind == TaskKind::pronouns) return pronouns_task();
  static const CopyingTask copying;
  static const ReversingTask reversing;
  return kind == TaskKind::copying ? static_cast<const Task&>(copying) : reversing;
}

std::vector<std::string_view> task_names() {
  std::vector<std::string_view> names;
  for (std::size_t i = 0; i < enum_count<TaskKind>; ++i)
    names.push_back(task(static_cast<TaskKind>(i)).name());
  return names;
}

std::optional<TaskKind> parse_task_name(std::string_view name) {
  for (std::size_t i = 0; i < enum_count<TaskKind>; ++i) {
    const auto kind = static_cast<TaskKind>(i);
    if (task(kind).name() == name) return kind;
  }
  return std::nullopt;
}

}  // namespace headscope
