// Measures a training step (draw a batch, forward, loss, backward, Adam) on a corpus of the same sizes as in
// peer_training.py, and the time from random weights until the pronouns of a given corpus are learned.
// Arguments: threads (0: all); seed.
#include <benchmark/benchmark.h>

#include <array>
#include <chrono>
#include <cstdlib>

#include "core/io/npy.h"
#include "core/tasks/task.h"
#include "core/train/trainer.h"

namespace headscope {
namespace {

constexpr int padding = 0;
constexpr int blank = 1;
constexpr int pronoun = 2;  ///< the pronoun's id in the made-up corpus

/// A sentence and the id that is wanted at each word: the word's own id or, for a pronoun, that of another
/// word.
struct Sentence {
  std::vector<int> ids;
  std::vector<int> expected;
};

Vocabulary numbered_words(int n) {
  std::vector<std::string> words;
  for (int id = 0; id < n; ++id) words.push_back("word" + std::to_string(id));
  return *Vocabulary::make(std::move(words));
}

/// A task made from given sentences, the last of which are held out. In training, a tenth of the words, but
/// no pronoun, is blanked. The loss consists of the pronouns, all words with half the weight, and the blanks.
class Corpus : public Task {
 public:
  Corpus(std::vector<Sentence> sentences, int n_words, std::size_t n_held_out)
      : Task(TaskKind::pronouns, "corpus", "Corpus", "Sentences of a file.", "sentences of a file",
             numbered_words(n_words), {{"pronouns", 1.0F}, {"words", 0.5F}, {"blanks", 1.0F}}, {}),
        sentences_(std::move(sentences)),
        n_learned_(sentences_.size() - n_held_out) {}

  int max_length() const override { return static_cast<int>(sentences_.back().ids.size()); }

  TaskRows rows(std::span<const int> source, std::span<const int> /*target*/) const override {
    return {std::vector<int>(source.size(), -1),  // Only the window asks for this.
            std::vector<Expectation>(source.size(), Expectation::repeats)};
  }
  Example draw(RandomStream& random, Split split) const override {
    if (split == Split::held_out) {
      return example(sentences_[n_learned_ + draw_below(random, sentences_.size() - n_learned_)]);
    }
    Example drawn = example(sentences_[draw_below(random, n_learned_)]);
    for (std::size_t i = 0; i < drawn.source.size(); ++i) {
      constexpr double blanks = 0.1;
      if (!draw_chance(random, blanks) || drawn.source[i] != drawn.expected[i]) continue;
      drawn.source[i] = blank;
      drawn.parts[i] |= 4U;
    }
    return drawn;
  }

  /// Returns each held-out sentence once, without blanks.
  std::vector<Example> held_out() const {
    std::vector<Example> examples;
    for (std::size_t i = n_learned_; i < sentences_.size(); ++i) examples.push_back(example(sentences_[i]));
    return examples;
  }

 private:
  static Example example(const Sentence& sentence) {
    Example example{sentence.ids, {}, sentence.expected, {}, {}};
    for (std::size_t i = 0; i < sentence.ids.size(); ++i) {
      example.parts.push_back(sentence.ids[i] == sentence.expected[i] ? 2U : 3U);
    }
    return example;
  }

  std::vector<Sentence> sentences_;
  std::size_t n_learned_;
};

/// Returns sentences of random words with the same lengths as the peer's. The fifth word of every sentence of
/// more than 8 words is the pronoun.
Corpus made_up_corpus() {
  constexpr int n_words = 361;
  constexpr std::array lengths{8, 8, 8, 10, 11, 11, 11, 11, 12, 12, 12, 12, 12, 12, 12, 12, 12, 12, 12, 12};
  RandomStream random(0, "words");
  std::vector<Sentence> sentences(2000);
  for (std::size_t s = 0; s < sentences.size(); ++s) {
    std::vector<int>& ids = sentences[s].ids;
    const int length = lengths[s % lengths.size()];
    for (int i = 0; i < length; ++i) {
      ids.push_back(pronoun + 1 + static_cast<int>(draw_below(random, n_words - pronoun - 1)));
    }
    if (length > lengths[0]) ids[4] = pronoun;
    sentences[s].expected = ids;
    if (length > lengths[0]) sentences[s].expected[4] = ids[3];
  }
  return {std::move(sentences), n_words, 0};
}

/// Returns the architecture of the recipe that the peer follows: pre-norm, ReLU, sinusoidal positions, tied
/// words.
Architecture benchmarked() {
  Architecture a;
  a.stacks = Stacks::encoder;
  a.d_model = 64;
  a.n_heads = 4;
  a.n_layers = 2;
  a.d_ff = 128;
  a.norm = Norm::pre;
  a.activation = Activation::relu;
  a.positions = Positions::sinusoidal;
  a.residual = true;
  a.output_layer = OutputLayer::tied;
  a.scales_embedding = true;
  return a;
}

void step(benchmark::State& state) {
  const Corpus corpus = made_up_corpus();
  ThreadPool pool(static_cast<int>(state.range(0)));
  const auto trainer = Trainer::make(corpus, benchmarked(), {}, pool);
  if (!trainer) return state.SkipWithError(trainer.error().message.c_str());
  for ([[maybe_unused]] auto _ : state) benchmark::DoNotOptimize((*trainer)->step());
}

/// Random pieces in sequences of one length, each of which wants the next piece, as in a language model.
class RandomPieces : public ExampleSource {
 public:
  static constexpr int length = 256;
  int vocabulary_size() const override { return 2048; }
  const std::vector<LossPart>& parts() const override { return parts_; }
  int max_length() const override { return length; }
  Example draw(RandomStream& random, Split /*split*/) const override {
    Example example;
    for (int i = 0; i < length; ++i) example.source.push_back(static_cast<int>(draw_below(random, 2048)));
    example.expected.assign(example.source.begin() + 1, example.source.end());
    example.expected.push_back(-1);
    example.parts.assign(length, 1U);
    example.parts.back() = 0U;
    return example;
  }

 private:
  std::vector<LossPart> parts_{{"pieces", 1.0F}};
};

/// A language model of about a million parameters in Llama's layout.
Architecture language_model() {
  Architecture a;
  a.stacks = Stacks::decoder;
  a.n_layers = 4;
  a.d_model = 128;
  a.n_heads = 4;
  a.d_ff = 344;
  a.norm = Norm::pre;
  a.norm_kind = NormKind::rms;
  a.activation = Activation::silu;
  a.gated = true;
  a.bias = {false, false, false, false, false};
  a.positions = Positions::rotary;
  a.residual = true;
  a.output_layer = OutputLayer::tied;
  return a;
}

void language_step(benchmark::State& state) {
  const RandomPieces pieces;
  ThreadPool pool(static_cast<int>(state.range(0)));
  TrainOptions options;
  options.batch_size = 32;
  const auto trainer = Trainer::make(pieces, language_model(), options, pool);
  if (!trainer) return state.SkipWithError(trainer.error().message.c_str());
  for ([[maybe_unused]] auto _ : state) benchmark::DoNotOptimize((*trainer)->step());
  state.counters["tokens_per_second"] =
      benchmark::Counter(static_cast<double>(state.iterations()) * options.batch_size * RandomPieces::length,
                         benchmark::Counter::kIsRate);
}

/// Reads a corpus from a .npy file [2, sentences, words]: the ids of the words, with 0 after the last, and
/// the id wanted at each word.
Result<Corpus> corpus_of(const char* path) {
  if (path == nullptr) return usage_error("no corpus: HEADSCOPE_CORPUS names none");
  const auto array = read_npy(path);
  if (!array) return tl::unexpected(array.error());
  if (array->shape.size() != 3 || array->shape[0] != 2) {
    return usage_error("a corpus is [2, sentences, words]");
  }
  const auto length = static_cast<std::size_t>(array->shape[2]);
  std::vector<Sentence> sentences(static_cast<std::size_t>(array->shape[1]));
  const std::size_t n = sentences.size() * length;
  int n_words = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const int id = static_cast<int>(array->values[i]);
    if (id == padding) continue;
    Sentence& sentence = sentences[i / length];
    sentence.ids.push_back(id);
    sentence.expected.push_back(static_cast<int>(array->values[n + i]));
    n_words = std::max({n_words, id + 1, sentence.expected.back() + 1});
  }
  constexpr std::size_t n_held_out = 500;
  if (sentences.size() <= n_held_out) return usage_error("too few sentences");
  return Corpus(std::move(sentences), n_words, n_held_out);
}

/// Measures the share of the corpus's held-out pronouns that a model predicts correctly. Its networks divide
/// the sentences among themselves.
class Exam {
 public:
  Exam(const Corpus& corpus, const ParameterLayout& layout, ThreadPool& pool)
      : n_parts_(corpus.parts().size()),
        shards_(shards_of(corpus.held_out(), corpus.parts(), pool.size())),
        pool_(pool) {
    for (int i = 0; i < pool.size(); ++i) networks_.push_back(std::make_unique<Network<float>>(layout));
  }

  double accuracy(const Trainer& trainer) {
    std::vector<Score> scores(shards_.size(), Score(n_parts_));
    pool_.for_each(pool_.size(), [&](int index) {
      const auto i = static_cast<std::size_t>(index);
      scores[i] = networks_[i]->evaluate(shards_[i], n_parts_, trainer.parameters().data());
    });
    Score sum(n_parts_);
    for (const Score& score : scores) sum.add(score);
    return sum.accuracy(0);
  }

 private:
  std::size_t n_parts_;
  std::vector<Shard> shards_;
  ThreadPool& pool_;
  std::vector<std::unique_ptr<Network<float>>> networks_;
};

/// Uses all cores. The time includes drawing the weights and measuring the accuracy.
void until_known(benchmark::State& state) {
  const auto corpus = corpus_of(std::getenv("HEADSCOPE_CORPUS"));
  if (!corpus) return state.SkipWithError(corpus.error().message.c_str());
  Architecture architecture = benchmarked();
  TrainOptions options;
  architecture.seed = options.seed = static_cast<std::uint64_t>(state.range(0));
  constexpr int between = 100;
  constexpr int max_steps = 1000;
  constexpr double enough = 0.99;
  double accuracy = 0.0;
  int n_steps = 0;
  for ([[maybe_unused]] auto _ : state) {
    const auto begin = std::chrono::steady_clock::now();
    ThreadPool pool;
    const auto trainer = Trainer::make(*corpus, architecture, options, pool);
    if (!trainer) return state.SkipWithError(trainer.error().message.c_str());
    Exam exam(*corpus, (*trainer)->layout(), pool);
    for (n_steps = 0; accuracy < enough && n_steps < max_steps; ++n_steps) {
      (*trainer)->step();
      if ((n_steps + 1) % between == 0) accuracy = exam.accuracy(**trainer);
    }
    state.SetIterationTime(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  }
  if (accuracy < enough) return state.SkipWithError("the pronouns were not learned");
  state.counters["steps"] = n_steps;
  state.counters["accuracy"] = accuracy;
}

BENCHMARK(step)->ArgName("threads")->Arg(1)->Arg(0)->UseRealTime();
BENCHMARK(language_step)->ArgName("threads")->Arg(1)->Arg(0)->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK(until_known)->ArgName("seed")->DenseRange(0, 2)->Iterations(1)->UseManualTime();

}  // namespace
}  // namespace headscope

BENCHMARK_MAIN();
