#include "core/engine/head_study.h"

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <utility>

#include "core/engine/engine.h"
#include "core/tasks/pronouns.h"
#include "core/tasks/task.h"

namespace headscope {
namespace {

constexpr std::uint64_t study_seed = 99;
constexpr int most_different_words = 25;
constexpr double most_drawn_weights = 50e6;

/// A sentence that training never draws. `target` is for tasks with two stacks.
struct HeldOutText {
  std::string sentence, target;
};

/// `n` held-out texts, the same for the same seed: minimal pairs for the pronouns, drawn examples for the
/// other tasks.
std::vector<HeldOutText> held_out_texts(TaskKind kind, int n, std::uint64_t seed) {
  std::vector<HeldOutText> texts;
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
TokenizerKind reader_of(const HeadStudyRequest& request) {
  const bool reads_ids = request.model && request.model->tokenizer_kind() != TokenizerKind::word;
  return reads_ids ? TokenizerKind::ids : TokenizerKind::word;
}

/// The words of a model that can be typed, or the ids of its pieces. Without a model, as many made-up words.
std::vector<std::string> words_of(const HeadStudyRequest& request) {
  std::vector<std::string> words;
  if (reader_of(request) == TokenizerKind::ids) {
    const std::vector<std::string>& pieces = request.model->vocabulary.words();
    for (std::size_t id = 0; id < pieces.size(); ++id)
      if (is_of_text(pieces[id])) words.push_back(std::to_string(id));
    return words;
  }
  if (!request.model) {
    words.reserve(most_different_words);
    for (int i = 0; i < most_different_words; ++i) words.push_back("w" + std::to_string(i));
    return words;
  }
  for (const std::string& word : request.model->vocabulary.words()) {
    const std::vector<Token> tokens = tokenize(word, TokenizerKind::word);
    if (!is_special(word) && tokens.size() == 1 && tokens.front().lookup == word) words.push_back(word);
  }
  return words;
}

/// How many different words half a sentence of the task has.
int n_different(const HeadStudyRequest& request, std::size_t n_words) {
  const auto kind = request.model ? task_named(request.model->task) : std::nullopt;
  const int half = kind ? task(*kind).longest() / 2 : most_different_words;
  constexpr int for_special = 4;
  const int most = request.architecture.most_tokens();
  const int fits = most > 0 ? std::max((most - for_special) / 2, 1) : most_different_words;
  return std::min({half, most_different_words, static_cast<int>(n_words), fits});
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

std::vector<HeldOutText> repeated_texts(const HeadStudyRequest& request) {
  std::vector<std::string> words = words_of(request);
  const int n = n_different(request, words.size());
  const bool reads_ids = reader_of(request) == TokenizerKind::ids;
  const ModelTokenizers own = model_tokenizers(TokenizerKind::model, request.model);
  const Around source = added_by(reads_ids ? own.of_source.get() : nullptr);
  const Around target = added_by(reads_ids ? own.of_target.get() : nullptr);
  RandomStream random(study_seed, "repeated words");
  std::vector<HeldOutText> texts;
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

Request request_of_study(const HeadStudyRequest& asked) {
  Request request;
  request.architecture = asked.architecture;
  request.attention = asked.attention;
  request.model = asked.model;
  request.tokenizer = reader_of(asked);
  request.given = asked.given;
  request.interventions.heads = asked.changes;
  return for_other_texts(std::move(request));
}

double n_weights(const Architecture& a) {
  const double d = a.d_model;
  const double width = static_cast<double>(a.n_heads) * (2.0 * a.head_width() + 2.0 * a.value_width());
  const double attentions = a.has_cross() ? 3.0 : 1.0;
  const double layers = a.n_layers * (a.has_cross() ? 2.0 : 1.0);
  return a.n_layers * attentions * d * width + layers * 2.0 * d * a.d_ff;
}

Result<std::vector<HeldOutText>> texts_for(const HeadStudyRequest& request) {
  if (!request.model && n_weights(request.architecture) > most_drawn_weights)
    return failure("the model has more than 50 million random weights");
  if (request.on == MeasuredOn::random) return repeated_texts(request);
  const auto kind = request.model ? task_named(request.model->task) : std::nullopt;
  if (!kind) return failure("the model was not trained for a task");
  return held_out_texts(*kind, n_task_texts, study_seed);
}

}  // namespace

std::string text_of(const Vocabulary& vocabulary, const std::vector<int>& ids) {
  std::string text;
  for (const int id : ids) text.append(text.empty() ? "" : " ").append(vocabulary.word(id));
  return text;
}

Result<std::shared_ptr<const HeadStudy>> head_study(const HeadStudyRequest& asked,
                                                    const std::atomic<bool>* stop) {
  const auto texts = texts_for(asked);
  if (!texts) return tl::unexpected(texts.error());
  const Architecture& a = asked.architecture;
  const auto n_heads = static_cast<std::size_t>(a.n_heads);
  std::vector<MeasureSums> sums(static_cast<std::size_t>(a.n_layers) * n_heads);
  Engine engine(1);
  Request request = request_of_study(asked);
  for (const HeldOutText& text : *texts) {
    request.sentence = text.sentence;
    request.target = text.target;
    const auto trace = engine.compute(request, TooLong::refuse);
    if (!trace) return tl::unexpected(trace.error());
    StageId id{StageKind::weights, asked.stack, 0, asked.kind, 0};
    // The selection may belong to another model than the pass that is shown meanwhile.
    if (!(*trace)->has(id)) return failure("the model does not have this kind of attention");
    const MeasuredText measured = measured_text(**trace, id, asked.detector);
    for (std::size_t i = 0; i < sums.size(); ++i) {
      id.layer = static_cast<int>(i / n_heads);
      id.head = static_cast<int>(i % n_heads);
      if (!add_head(**trace, id, measured, sums[i], stop)) return std::shared_ptr<const HeadStudy>();
    }
    if (auto ok = (*trace)->check_files(); !ok) return tl::unexpected(ok.error());
  }
  auto study = std::make_shared<HeadStudy>();
  study->n_texts = static_cast<int>(texts->size());
  study->heads.n_heads = a.n_heads;
  study->heads.heads.reserve(sums.size());
  for (const MeasureSums& each : sums) study->heads.heads.push_back(means_of(each));
  return std::shared_ptr<const HeadStudy>(std::move(study));
}

}  // namespace headscope
