#include "core/engine/representative_head.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <optional>
#include <string_view>
#include <vector>

#include "core/engine/engine.h"
#include "core/engine/study_texts.h"
#include "core/tasks/pronouns.h"
#include "core/tasks/task.h"

namespace headscope {
namespace {

constexpr int n_sentences = 240;
constexpr std::uint64_t sentences_seed = 99;

/// A sentence, and the cells that its rows should attend to.
struct Shown {
  std::string sentence, target;
  std::vector<Cell> cells;
};

/// What the heads of a task's models should do.
struct Search {
  Stacks stacks = Stacks::encoder;
  std::vector<Shown> sentences;
  float least =
      /// The minimum weight. If it is above 0, a cell with at least this weight counts as 1 and any other as
      /// 0. If it is 0, a cell counts as its weight.
      0.0F;
};

int place_of(const std::vector<Token>& tokens, const std::string& lookup) {
  return static_cast<int>(std::ranges::find(tokens, lookup, &Token::lookup) - tokens.begin());
}

std::vector<Shown> pronouns_shown() {
  std::vector<Shown> shown;
  shown.reserve(n_sentences);
  for (const MinimalPair& pair : minimal_pairs(n_sentences, sentences_seed)) {
    const std::vector<Token> tokens = tokenize(pair.text, TokenizerKind::word);
    shown.push_back({pair.text, "", {{place_of(tokens, pair.pronoun), place_of(tokens, pair.right)}}});
  }
  return shown;
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

std::vector<Shown> sequences_shown(const Task& task) {
  RandomStream random(sentences_seed, "showing head");
  std::vector<Shown> shown;
  shown.reserve(n_sentences);
  for (int i = 0; i < n_sentences; ++i) {
    const Example example = task.draw(random, Split::held_out);
    shown.push_back(
        {text_of(task.vocabulary(), example.source), text_of(task.vocabulary(), example.target),
         task.kind() == TaskKind::copying ? cells_of_copying(example) : cells_of_reversing(example)});
  }
  return shown;
}

Search search_of(TaskKind kind) {
  constexpr float clearly = 0.8F;
  switch (kind) {
    case TaskKind::copying:
      return {Stacks::decoder, sequences_shown(task(kind)), 0.0F};
    case TaskKind::reversing:
      return {Stacks::encoder_decoder, sequences_shown(task(kind)), 0.0F};
    case TaskKind::pronouns:
      break;
  }
  return {Stacks::encoder, pronouns_shown(), clearly};
}

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

Result<RepresentativeHead> representative_head(const std::shared_ptr<const TrainedModel>& model) {
  const Architecture& a = model->model.architecture;
  const std::optional<TaskKind> kind = parse_task_name(model->task);
  if (!kind) return failure("a model without a task has no head that shows it");
  const Search search = search_of(*kind);
  if (a.stacks != search.stacks) return failure("the model does not have the stacks that its task needs");

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
  for (const Shown& shown : search.sentences) {
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
        sums[i] += search.least == 0.0F ? weight : weight >= search.least ? 1.0 : 0.0;
      }
    }
  }
  const auto best = static_cast<std::size_t>(std::ranges::max_element(sums) - sums.begin());
  const double share = sums[best] / static_cast<double>(n_cells);
  return RepresentativeHead{static_cast<int>(best / n_heads), static_cast<int>(best % n_heads), share,
                            what_it_shows(*kind, share)};
}

}  // namespace headscope
