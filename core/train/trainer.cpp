#include "core/train/trainer.h"

#include <algorithm>
#include <cmath>

#include "core/tensor/elementwise.h"

namespace headscope {
namespace {

/// The approximate minimum of rows in a shard (the maximum is twice that), so that its activations fit into
/// the L2 cache.
constexpr std::size_t rows_at_once = 128;

std::size_t shards_for_each(std::span<const Example> examples, std::size_t n_networks) {
  std::size_t rows = 0;
  for (const Example& example : examples) rows += example.expected.size();
  // A shard has at least one example.
  return std::max<std::size_t>(1, std::min(rows / rows_at_once, examples.size()) / n_networks);
}

/// The ranges of parameters that are not matrices: norms, biases and sinks.
std::vector<Adam::Range> vectors_of(const ParameterLayout& layout) {
  std::vector<Adam::Range> ranges;
  for (const NamedParameter& each : layout.named) {
    using enum ParameterKind;
    const bool is_matrix =
        each.kind == weight || each.kind == table || each.kind == word_table || each.kind == word_weight;
    const auto first = static_cast<std::size_t>(each.first);
    if (!is_matrix) ranges.emplace_back(first, first + static_cast<std::size_t>(each.cols));
  }
  std::ranges::sort(ranges);
  return ranges;
}

}  // namespace

TrainingRecipe training_recipe(TaskKind task) {
  TrainingRecipe model;
  Architecture& a = model.architecture;
  AdamOptions& adam = model.options.adam;
  a.d_model = 64;
  a.n_heads = 4;
  a.d_ff = 128;
  a.residual = true;
  a.output_layer = OutputLayer::tied;
  a.scales_embedding = true;
  switch (task) {
    case TaskKind::pronouns:
      a.stacks = Stacks::encoder;
      a.n_layers = 2;
      a.norm = Norm::pre;
      a.activation = Activation::gelu;
      a.seed = 1;
      // The deciding word can be anywhere, so distances are more informative than positions.
      a.positions = Positions::rotary;
      adam.learning_rate = 5e-3F;
      // The grammar is narrower than English; small weights generalise better to unknown words.
      adam.weight_decay = 0.02F;
      model.options.batch_size = 96;
      model.steps = 12000;
      model.quick_steps = 600;
      break;
    case TaskKind::copying:
      a.stacks = Stacks::decoder;
      a.n_layers = 2;
      // With a norm, heads that attend to many places at once are learned long before the one that finds the
      // current word, and then interfere with it.
      a.norm = Norm::none;
      a.positions = Positions::learned;
      adam.learning_rate = 7e-3F;
      model.steps = 1000;
      model.quick_steps = 600;
      break;
    case TaskKind::reversing:
      a.stacks = Stacks::encoder_decoder;
      a.n_layers = 1;
      a.norm = Norm::pre;
      a.positions = Positions::learned;
      adam.learning_rate = 7e-3F;
      model.steps = 1000;
      model.quick_steps = 400;
      break;
  }
  adam.decay_steps = model.steps;
  return model;
}

Result<void> check_trainable(const Architecture& a) {
  if (auto ok = validate(a); !ok) return ok;
  if (a.output_layer == OutputLayer::none) {
    return usage_error(
        "a model without a final linear layer predicts no words, so there is nothing to learn");
  }
  ForeignParts trainable;
  trainable.context = a.foreign.context;  // limits texts but not the computation
  if (!(a.foreign == trainable)) {
    return usage_error(
        "this model has parts that only models from other programs have, such as norms of embeddings: it can be viewed here, but not trained");
  }
  if (a.layer_width() != a.d_model) {
    return usage_error(
        "a model without an output projection can be trained only if n_heads · d_value is d_model");
  }
  return {};
}

Result<void> check_trainable(const ExampleSource& source, const Architecture& a) {
  const auto* task = dynamic_cast<const Task*>(&source);
  const Stacks needed = task == nullptr ? a.stacks : training_recipe(task->kind()).architecture.stacks;
  if (a.stacks != needed) {
    return usage_error("the task " + std::string(task->name()) + " needs a model with " +
                       (needed == Stacks::encoder   ? "only an encoder"
                        : needed == Stacks::decoder ? "only a decoder"
                                                    : "an encoder and a decoder"));
  }
  return check_trainable(a);
}

double training_bytes(const ExampleSource& source, const Architecture& a, const TrainOptions& options,
                      int n_threads) {
  const auto parameters = static_cast<double>(layout_of(a, source.vocabulary_size()).size);
  // Parameters, last good snapshot, gradients, two moving averages, and the gradients of each thread.
  const double of_parameters = parameters * (5.0 + n_threads);
  const auto max_length = static_cast<double>(source.max_length());
  const double batch_rows = options.batch_size * max_length;
  const double rows = std::min(batch_rows, n_threads * (2.0 * rows_at_once + max_length));
  // Per layer and row: the steps of three sublayers with gradients, the heads and their maps, and the hidden
  // layer.
  const double of_row =
      16.0 * a.d_model + 8.0 * a.concat_width(no_layer) + 6.0 * a.d_ff + 4.0 * a.n_heads * max_length;
  const double layers = a.n_layers * (a.has_cross() ? 2.0 : 1.0);
  const double logits = 2.0 * rows * source.vocabulary_size();
  constexpr double of_example = 16.0;  // ids, labels and weights, twice each
  return sizeof(float) * (of_parameters + batch_rows * of_example + rows * of_row * layers + logits);
}

void Trainer::set_stop_flag(const std::atomic<bool>& flag) {
  for (const auto& network : networks_) network->set_stop_flag(flag);
}

Result<std::unique_ptr<Trainer>> Trainer::make(const ExampleSource& source, const Architecture& architecture,
                                               const TrainOptions& options, ThreadPool& pool) {
  if (auto ok = check_trainable(source, architecture); !ok) return tl::unexpected(ok.error());
  return std::unique_ptr<Trainer>(new Trainer(source, architecture, options, pool));
}

Trainer::Trainer(const ExampleSource& source, const Architecture& architecture, const TrainOptions& options,
                 ThreadPool& pool)
    : source_(source),
      pool_(pool),
      options_(options),
      layout_(layout_of(architecture, source.vocabulary_size())),
      gradients_(layout_.size, 0.0F),
      adam_(layout_.size, vectors_of(layout_)),
      random_(options.seed, "sentences") {
  const auto drawn = parameters_of(random_model(architecture, layout_.vocabulary, pool), layout_);
  parameters_.assign(drawn.begin(), drawn.end());
  good_parameters_ = parameters_;
  for (int i = 0; i < pool.size(); ++i) {
    networks_.push_back(std::make_unique<Network<float>>(layout_));
    network_gradients_.emplace_back(layout_.size, 0.0F);
  }
}

Slices<Score> Trainer::run(std::span<const Example> examples, bool learns) {
  const std::size_t n_parts = source_.parts().size();
  const std::size_t n_networks = networks_.size();
  const std::size_t each = shards_for_each(examples, n_networks);
  const std::vector<Shard> shards = shards_of(examples, source_.parts(), static_cast<int>(each * n_networks));
  std::vector<Score> scores(n_networks, Score(n_parts));
  // With several threads, slices would add synchronisation.
  const std::size_t in_slice = n_networks == 1 ? 1 : each;
  for (std::size_t begin = 0; begin < each; begin += in_slice) {
    pool_.for_each(static_cast<int>(n_networks), [&](int index) {
      const auto n = static_cast<std::size_t>(index);
      Network<float>& network = *networks_[n];
      if (learns && begin == 0) std::fill_n(network_gradients_[n].data(), layout_.size, 0.0F);
      for (const Shard& shard : std::span(shards).subspan(n * each + begin, in_slice)) {
        scores[n].add(
            learns ? network.forward_backward(shard, n_parts, parameters_.data(),
                                              network_gradients_[n].data(), options_.dropout,
                                              options_.seed + static_cast<std::uint64_t>(steps()) * 1'000'003)
                   : network.evaluate(shard, n_parts, parameters_.data()));
      }
    });
    co_yield static_cast<double>(begin + in_slice) / static_cast<double>(each);
  }
  Score sum(n_parts);
  for (const Score& score : scores) sum.add(score);
  co_return sum;
}

/// Sums the gradients of the networks in a fixed order, and returns the norm.
double Trainer::sum_gradients() {
  std::copy(network_gradients_.front().begin(), network_gradients_.front().end(), gradients_.begin());
  float* sum = gradients_.data();
  for (std::size_t n = 1; n < network_gradients_.size(); ++n) {
    add(sum, network_gradients_[n].data(), layout_.size, sum);
  }
  return std::sqrt(sum_of_squares(sum, layout_.size));
}

bool Trainer::has_diverged(const StepReport& report) {
  if (!std::isfinite(report.score.loss) || !std::isfinite(report.gradient_norm)) return true;
  constexpr double memory = 0.95;
  constexpr double far = 2.0;
  if (!first_loss_) first_loss_ = smoothed_loss_ = report.score.loss;
  smoothed_loss_ = memory * smoothed_loss_ + (1.0 - memory) * report.score.loss;
  return smoothed_loss_ > far * *first_loss_;
}

void Trainer::keep_snapshot() {
  constexpr int between = 25;
  if (steps_ % between != 0 || smoothed_loss_ > *first_loss_) return;
  good_parameters_ = parameters_;
  good_steps_ = steps_;
}

Slices<StepReport> Trainer::step_slices() {
  RandomStream random = random_;
  const std::vector<Example> examples = source_.batch(random, steps_, options_.batch_size);
  StepReport report;
  constexpr bool learns = true;
  Slices<Score> running = run(examples, learns);
  while (running.next()) co_yield running.share();
  report.score = running.take();
  report.gradient_norm = sum_gradients();
  random_ = random;
  if (!diverged_ && has_diverged(report)) {
    diverged_ = true;
    parameters_ = good_parameters_;
    steps_ = good_steps_;
  }
  report.diverged = diverged_;
  if (diverged_) co_return report;
  const auto max_norm = static_cast<double>(options_.max_gradient_norm);
  if (max_norm > 0.0 && report.gradient_norm > max_norm)
    scale(gradients_.data(), layout_.size, static_cast<float>(max_norm / report.gradient_norm));
  adam_.step(options_.adam, gradients_.data(), parameters_.data());
  ++steps_;
  keep_snapshot();
  co_return report;
}

TrainerState Trainer::state() const {
  const auto copy = [](const AlignedVector<float>& from) {
    return std::vector<float>(from.begin(), from.end());
  };
  return {steps_,  copy(parameters_), copy(adam_.mean()), copy(adam_.square()),
          random_, first_loss_,       smoothed_loss_};
}

void Trainer::set_parameters(std::span<const float> parameters) {
  parameters_.assign(parameters.begin(), parameters.end());
  good_parameters_ = parameters_;
}

void Trainer::restore(TrainerState state) {
  steps_ = good_steps_ = state.steps;
  set_parameters(state.parameters);
  adam_.restore(state.steps, state.mean, state.square);
  random_ = state.random;
  first_loss_ = state.first_loss;
  smoothed_loss_ = state.smoothed_loss;
  diverged_ = false;
}

Slices<Score> Trainer::evaluation_slices(std::span<const Example> examples) {
  Score score(source_.parts().size());
  constexpr std::size_t at_once = 128;
  for (std::size_t done = 0; done < examples.size(); done += at_once) {
    constexpr bool learns = false;
    Slices<Score> running = run(examples.subspan(done, std::min(at_once, examples.size() - done)), learns);
    while (running.next()) co_yield static_cast<double>(done) / static_cast<double>(examples.size());
    score.add(running.take());
  }
  co_return score;
}

Slices<Score> Trainer::evaluation_slices(Split split, int n) {
  RandomStream random(0, split == Split::train ? "evaluate train" : "evaluate held out");
  std::vector<Example> examples;
  for (int i = 0; i < n; ++i) examples.push_back(source_.draw(random, split));
  Slices<Score> evaluating = evaluation_slices(examples);
  while (evaluating.next()) co_yield evaluating.share();
  Score score = evaluating.take();
  constexpr int at_once = 128;
  score.loss /= std::max((n + at_once - 1) / at_once, 1);
  co_return score;
}

}  // namespace headscope
