#include "core/engine/study_texts.h"

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <utility>

#include "core/tasks/pronouns.h"
#include "core/tasks/task.h"

namespace headscope {
namespace {

constexpr std::uint64_t study_seed = 99;
constexpr int max_differing_words = 25;
constexpr double max_drawn_weights = 50e6;

/// `n` held-out texts, the same for the same seed: minimal pairs for the pronouns, drawn examples for the
/// other tasks.
std::vector<StudyText> held_out_texts(TaskKind kind, int n, std::uint64_t seed) {
  std::vector<StudyText> texts;
  texts.reserve(static_cast<std::size_t>(n));
  if (kind == TaskKind::pronouns) {
    for (const MinimalPair& pair : minimal_pairs(n, seed)) texts.push_back({pair.text, ""});
    return texts;
  }
  const Task& learned = task(kind);
  RandomStream random(seed, "held-out texts");
  for (int i = 0; i < n; ++i) {
    const Example example = learned.draw(random, Split::held_out);
    texts.push_back(
        {text_of(learned.vocabulary(), example.source), text_of(learned.vocabulary(), example.target)});
  }
  return texts;
}

/// Whether a piece of a model's tokenizer is a word or a part of one.
bool is_of_text(const std::string& piece) {
  const bool is_byte_or_special = is_special(piece) || (piece.starts_with('<') && piece.ends_with('>'));
  return !is_byte_or_special &&
         std::ranges::any_of(piece, [](unsigned char c) { return std::isalpha(c) != 0 || c >= 0x80U; });
}

/// How the texts of a model are read here: one that has pieces of its own reads their ids, because a text of
/// joined pieces would be split into others.
TokenizerKind reader_of(const ModelRef& model) {
  const bool reads_ids = model && model->tokenizer_kind() != TokenizerKind::word;
  return reads_ids ? TokenizerKind::ids : TokenizerKind::word;
}

/// The words of a model that can be typed, or the ids of its pieces. Without a model, as many made-up words.
std::vector<std::string> words_of(const ModelRef& model) {
  std::vector<std::string> words;
  if (reader_of(model) == TokenizerKind::ids) {
    const std::vector<std::string>& pieces = model->vocabulary.words();
    for (std::size_t id = 0; id < pieces.size(); ++id)
      if (is_of_text(pieces[id])) words.push_back(std::to_string(id));
    return words;
  }
  if (!model) {
    words.reserve(max_differing_words);
    for (int i = 0; i < max_differing_words; ++i) words.push_back("w" + std::to_string(i));
    return words;
  }
  for (const std::string& word : model->vocabulary.words()) {
    const std::vector<Token> tokens = tokenize(word, TokenizerKind::word);
    if (!is_special(word) && tokens.size() == 1 && tokens.front().lookup == word) words.push_back(word);
  }
  return words;
}

/// How many different words half a sentence of the task has.
int n_different(const Architecture& architecture, const ModelRef& model, std::size_t n_words) {
  const auto kind = model ? parse_task_name(model->task) : std::nullopt;
  const int half = kind ? task(*kind).max_length() / 2 : max_differing_words;
  constexpr int for_special = 4;
  const int most = architecture.max_tokens();
  const int fits = most > 0 ? std::max((most - for_special) / 2, 1) : max_differing_words;
  return std::min({half, max_differing_words, static_cast<int>(n_words), fits});
}

/// The ids that a tokenizer puts before a text and after it.
struct Around {
  std::string before, after;
};
Around added_by(const Tokenizer* tokenizer) {
  Around around;
  if (tokenizer == nullptr) return around;
  bool is_before = true;
  for (const Token& token : tokenizer->tokenize("a")) {
    if (!token.is_special)
      is_before = false;
    else if (is_before)
      around.before += std::to_string(token.id) + ", ";
    else
      around.after += ", " + std::to_string(token.id);
  }
  return around;
}

std::vector<StudyText> repeated_texts(const Architecture& architecture, const ModelRef& model) {
  std::vector<std::string> words = words_of(model);
  const int n = n_different(architecture, model, words.size());
  const bool reads_ids = reader_of(model) == TokenizerKind::ids;
  const ModelTokenizers own = model_tokenizers(TokenizerKind::model, model);
  const Around source = added_by(reads_ids ? own.source_tokenizer.get() : nullptr);
  const Around target = added_by(reads_ids ? own.target_tokenizer.get() : nullptr);
  RandomStream random(study_seed, "repeated words");
  std::vector<StudyText> texts;
  texts.reserve(n_random_texts);
  for (int i = 0; i < n_random_texts; ++i) {
    std::string text;
    for (std::size_t word = 0; word < static_cast<std::size_t>(n); ++word) {
      const auto left = static_cast<double>(words.size() - word);
      std::swap(words[word], words[word + static_cast<std::size_t>(random.uniform() * left)]);
      text += (text.empty() ? "" : reads_ids ? ", " : " ") + words[word];
    }
    text += (reads_ids ? ", " : " ") + text;
    texts.push_back({source.before + text + source.after, target.before + text + target.after});
  }
  return texts;
}

double n_weights(const Architecture& a) {
  const double d = a.d_model;
  const double width = static_cast<double>(a.n_heads) * (2.0 * a.head_width() + 2.0 * a.value_width());
  const double attentions = a.has_cross() ? 3.0 : 1.0;
  const double layers = a.n_layers * (a.has_cross() ? 2.0 : 1.0);
  return a.n_layers * attentions * d * width + layers * 2.0 * d * a.d_ff;
}

}  // namespace

std::string text_of(const Vocabulary& vocabulary, const std::vector<int>& ids) {
  std::string text;
  for (const int id : ids) text.append(text.empty() ? "" : " ").append(vocabulary.word(id));
  return text;
}

Result<StudyTexts> study_texts(MeasuredOn on, const Architecture& architecture, const ModelRef& model) {
  if (!model && n_weights(architecture) > max_drawn_weights)
    return failure("the model has more than 50 million random weights");
  if (on == MeasuredOn::random) return StudyTexts{repeated_texts(architecture, model), reader_of(model)};
  const auto kind = model ? parse_task_name(model->task) : std::nullopt;
  if (!kind) return failure("the model was not trained for a task");
  return StudyTexts{held_out_texts(*kind, n_task_texts, study_seed), reader_of(model)};
}

}  // namespace headscope
