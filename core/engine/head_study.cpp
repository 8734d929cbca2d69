#include "core/engine/head_study.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "core/engine/engine.h"
#include "core/tasks/pronouns.h"
#include "core/tasks/task.h"
#include "core/train/trainer.h"

namespace headscope {
namespace {

constexpr std::uint64_t study_seed = 99;
constexpr int max_differing_words = 25;
constexpr double max_drawn_weights = 50e6;

int place_of(const std::vector<Token>& tokens, const std::string& lookup) {
  return static_cast<int>(std::ranges::find(tokens, lookup, &Token::lookup) - tokens.begin());
}

/// Cells from each repeated word to the token after its earlier occurrence.
std::vector<Cell> cells_of_copying(const Example& example) {
  const std::vector<int>& words = example.source;
  std::vector<Cell> cells;
  for (auto word = words.begin(); word != words.end(); ++word) {
    const auto earlier = std::find(words.begin(), word, *word);
    if (earlier == word) continue;
    cells.push_back({static_cast<int>(word - words.begin()), static_cast<int>(earlier - words.begin()) + 1});
  }
  return cells;
}

/// Cells from every place of the target, except for the last, which ends the sentence, to the word that is
/// written next.
std::vector<Cell> cells_of_reversing(const Example& example) {
  const auto n = static_cast<int>(example.source.size());
  std::vector<Cell> cells;
  cells.reserve(example.source.size());
  for (int row = 0; row < n; ++row) cells.push_back({row, n - 1 - row});
  return cells;
}

/// `n` held-out texts, the same for the same seed and name: minimal pairs for the pronouns, drawn examples
/// for the other tasks.
std::vector<StudyText> held_out_texts(TaskKind kind, int n, std::uint64_t seed, std::string_view name) {
  std::vector<StudyText> texts;
  texts.reserve(static_cast<std::size_t>(n));
  if (kind == TaskKind::pronouns) {
    for (const MinimalPair& pair : minimal_pairs(n, seed)) {
      const std::vector<Token> tokens = tokenize(pair.text, TokenizerKind::word);
      texts.push_back({pair.text, "", {{place_of(tokens, pair.pronoun), place_of(tokens, pair.right)}}});
    }
    return texts;
  }
  const Task& learned = task(kind);
  RandomStream random(seed, name);
  for (int i = 0; i < n; ++i) {
    const Example example = learned.draw(random, Split::held_out);
    texts.push_back({text_of(learned.vocabulary(), example.source),
                     text_of(learned.vocabulary(), example.target),
                     kind == TaskKind::copying ? cells_of_copying(example) : cells_of_reversing(example)});
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
std::pair<std::string, std::string> added_by(const Tokenizer* tokenizer) {
  std::pair<std::string, std::string> around;
  if (tokenizer == nullptr) return around;
  bool is_before = true;
  for (const Token& token : tokenizer->tokenize("a")) {
    if (!token.is_special)
      is_before = false;
    else if (is_before)
      around.first += std::to_string(token.id) + ", ";
    else
      around.second += ", " + std::to_string(token.id);
  }
  return around;
}

std::vector<StudyText> repeated_texts(const Architecture& architecture, const ModelRef& model) {
  std::vector<std::string> words = words_of(model);
  const int n = n_different(architecture, model, words.size());
  const bool reads_ids = reader_of(model) == TokenizerKind::ids;
  const ModelTokenizers own = model_tokenizers(TokenizerKind::model, model);
  const auto source = added_by(reads_ids ? own.source_tokenizer.get() : nullptr);
  const auto target = added_by(reads_ids ? own.target_tokenizer.get() : nullptr);
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
    texts.push_back({source.first + text + source.second, target.first + text + target.second});
  }
  return texts;
}

Request request_of_study(const HeadStudyRequest& study_request, const StudyTexts& texts) {
  Request request;
  request.architecture = study_request.architecture;
  request.attention = study_request.attention;
  request.model = study_request.model;
  request.tokenizer = texts.tokenizer;
  request.given = study_request.given;
  request.interventions.heads = study_request.changes;
  return without_own_texts(std::move(request));
}

constexpr int n_sentences = 240;

std::string what_it_shows(TaskKind kind, double share) {
  std::array<char, 96> text{};
  switch (kind) {
    case TaskKind::pronouns:
      std::snprintf(text.data(), text.size(), "what the pronoun stands for in %.1f %% of %d minimal pairs",
                    100.0 * share, n_sentences);
      break;
    case TaskKind::copying:
      std::snprintf(text.data(), text.size(),
                    "the word after the previous occurrence of the current word: %.2f on average", share);
      break;
    case TaskKind::reversing:
      std::snprintf(text.data(), text.size(), "the source word to be written next: %.2f on average", share);
      break;
  }
  return text.data();
}

}  // namespace

Result<StudyTexts> study_texts(MeasuredOn on, const Architecture& architecture, const ModelRef& model) {
  if (!model && count_parameters(architecture) > max_drawn_weights)
    return failure("the model has more than 50 million random weights");
  if (on == MeasuredOn::random) return StudyTexts{repeated_texts(architecture, model), reader_of(model)};
  const auto kind = model ? parse_task_name(model->task) : std::nullopt;
  if (!kind) return failure("the model was not trained for a task");
  return StudyTexts{held_out_texts(*kind, n_task_texts, study_seed, "held-out texts"), reader_of(model)};
}

Slices<Result<MeasuredHeads>> head_study(HeadStudyRequest study_request) {
  const StudyTexts texts =
      study_texts(study_request.on, study_request.architecture, study_request.model).value();
  const Architecture& a = study_request.architecture;
  const auto n_heads = static_cast<std::size_t>(a.n_heads);
  std::vector<MeasureSums> sums(static_cast<std::size_t>(a.layers_of(study_request.stack)) * n_heads);
  Engine engine(1);
  Request request = request_of_study(study_request, texts);
  MeasuredHeads study;
  study.n_texts = 0;
  for (const StudyText& text : texts.all) {
    request.sentence = text.sentence;
    request.target = text.target;
    const auto trace = engine.compute(request, TooLong::refuse).value();
    StageId id{StageKind::weights, study_request.stack, 0, study_request.kind, 0};
    // The selection may belong to another model than the pass that is shown meanwhile.
    if (!trace->has(id)) co_return failure("the model does not have this kind of attention");
    const MeasuredText measured = measured_text(*trace, id, study_request.detector);
    for (std::size_t i = 0; i < sums.size(); ++i) {
      id.layer = static_cast<int>(i / n_heads);
      id.head = static_cast<int>(i % n_heads);
      add_head(*trace, id, measured, sums[i]);
    }
    ensure(trace->check_files());
    co_yield static_cast<double>(++study.n_texts) / static_cast<double>(texts.all.size());
  }
  study.n_heads = a.n_heads;
  study.heads.reserve(sums.size());
  for (const MeasureSums& each : sums) study.heads.push_back(means_of(each));
  co_return study;
}

Result<RepresentativeHead> representative_head(const std::shared_ptr<const TrainedModel>& model) {
  const Architecture& a = model->model.architecture;
  const std::optional<TaskKind> kind = parse_task_name(model->task);
  if (!kind) return failure("a model without a task has no head that shows it");
  if (a.stacks != training_recipe(*kind).architecture.stacks)
    return failure("the model does not have the stacks that its task needs");
  const bool is_pronouns = *kind == TaskKind::pronouns;
  const std::vector<StudyText> sentences = held_out_texts(*kind, n_sentences, study_seed, "showing head");

  StageId stage{StageKind::weights, a.last_stack(), 0, AttentionKind::self, 0};
  if (a.has_cross()) stage.attention = AttentionKind::cross;
  const auto n_heads = static_cast<std::size_t>(a.n_heads);
  std::vector<double> sums(static_cast<std::size_t>(a.n_layers) * n_heads, 0.0);
  std::size_t n_cells = 0;
  Engine engine(1);
  Request request;
  request.architecture = a;
  request.attention.mask.causal = a.stacks == Stacks::decoder;
  request.model = model;
  for (const StudyText& shown : sentences) {
    request.sentence = shown.sentence;
    request.target = shown.target;
    const auto trace = engine.compute(request, TooLong::refuse);
    if (!trace) return tl::unexpected(trace.error());
    n_cells += shown.cells.size();
    for (std::size_t i = 0; i < sums.size(); ++i) {
      stage.layer = static_cast<int>(i / n_heads);
      stage.head = static_cast<int>(i % n_heads);
      for (const Cell& cell : shown.cells) {
        const float weight = (*trace)->number(stage, cell.query, cell.key);
        constexpr float clearly = 0.8F;
        sums[i] += !is_pronouns ? static_cast<double>(weight) : weight >= clearly ? 1.0 : 0.0;
      }
    }
  }
  const auto best = static_cast<std::size_t>(std::ranges::max_element(sums) - sums.begin());
  const double share = sums[best] / static_cast<double>(n_cells);
  return RepresentativeHead{static_cast<int>(best / n_heads), static_cast<int>(best % n_heads), share,
                            what_it_shows(*kind, share)};
}

}  // namespace headscope
