#include "core/engine/text_training.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numbers>
#include <string_view>
#include <utility>

#include "core/checkpoint/language_model.h"
#include "core/io/json_text.h"
#include "core/session/setting_json.h"
#include "core/system/machine_memory.h"
#include "core/system/read_file.h"
#include "core/tensor/elementwise.h"
#include "core/tensor/floats.h"
#include "core/tensor/hash.h"
#include "core/text/utf8.h"
#include "core/tokenizers/characters.h"
#include "core/tokenizers/tokenizer_parts.h"

namespace headscope {
namespace {

using Json = nlohmann::json;

Json to_json(const TextPlan& plan) {
  const TrainOptions& options = plan.options;
  return {{"architecture", architecture_to_json(plan.architecture)},
          {"begins_with", plan.base_model.string()},
          {"context", plan.architecture.foreign.context},
          {"steps", plan.steps},
          {"batch_size", options.batch_size},
          {"learning_rate", options.adam.learning_rate},
          {"warm_up", options.adam.warm_up},
          {"weight_decay", options.adam.weight_decay},
          {"dropout", options.dropout},
          {"seed", options.seed},
          {"whole_words", plan.kind == PieceKind::whole_words},
          {"pieces", plan.n_pieces}};
}

TextPlan plan_from_json(const Json& json) {
  TextPlan plan = default_text_plan();
  Architecture architecture = architecture_from_json(json.at("architecture")).value();
  architecture.foreign.context = json.at("context").get<int>();
  plan.architecture = llama_architecture(architecture);
  plan.base_model = json.value("begins_with", "");
  plan.steps = json.at("steps").get<int>();
  plan.options.batch_size = json.at("batch_size").get<int>();
  plan.options.adam.learning_rate = json.at("learning_rate").get<float>();
  plan.options.adam.warm_up = json.at("warm_up").get<int>();
  plan.options.adam.weight_decay = json.at("weight_decay").get<float>();
  plan.options.adam.decay_steps = plan.steps;
  plan.options.dropout = json.at("dropout").get<float>();
  plan.options.seed = json.at("seed").get<std::uint64_t>();
  plan.kind = json.at("whole_words").get<bool>() ? PieceKind::whole_words : PieceKind::byte_pairs;
  plan.n_pieces = json.at("pieces").get<int>();
  if (plan.options.batch_size < 1 || plan.steps < 1 || plan.architecture.foreign.context < 1)
    refuse(failure("its plan has sizes that are not positive"));
  return plan;
}

constexpr const char* tensor_names[] = {"parameters", "adam.mean", "adam.square"};

}  // namespace

TextPlan default_text_plan() {
  TextPlan plan;
  Architecture sizes;
  sizes.n_layers = 4;
  sizes.d_model = 128;
  sizes.n_heads = 4;
  sizes.d_ff = 344;
  sizes.output_layer = OutputLayer::tied;
  sizes.foreign.context = 256;
  sizes.seed = 1;
  plan.architecture = llama_architecture(sizes);
  plan.steps = 4000;
  TrainOptions& options = plan.options;
  options.batch_size = 32;
  options.adam.learning_rate = 4e-3F;
  options.adam.warm_up = 100;
  options.adam.cosine_decay = true;
  options.adam.weight_decay = 0.1F;
  options.adam.decays_matrices_only = true;
  options.max_gradient_norm = 1.0F;
  options.seed = 1;
  return plan;
}

namespace {

Architecture architecture_of(const LanguageModelSize& size) {
  Architecture sizes = default_text_plan().architecture;
  sizes.n_layers = size.n_layers;
  sizes.d_model = size.d_model;
  sizes.n_heads = size.n_heads;
  sizes.n_kv_heads.reset();
  sizes.d_head.reset();
  sizes.d_ff = size.d_ff;
  sizes.foreign.context = size.context;
  sizes.seed = Architecture{}.seed;  // A model that is read from its folder has no other.
  return llama_architecture(sizes);
}

/// The number of steps that take about this long, with two digits.
int steps_in(double seconds, double seconds_of_step) {
  constexpr double min_steps = 200.0;
  constexpr double max_steps = 20'000.0;
  const double steps = std::clamp(seconds / std::max(seconds_of_step, 1e-6), min_steps, max_steps);
  const double unit = std::pow(10.0, std::floor(std::log10(steps)) - 1.0);
  return static_cast<int>(std::round(steps / unit) * unit);
}

/// How long a step of training takes, measured after one that warms up. What happens between the slices does
/// not count.
Slices<Result<double>> seconds_of_step(TextExamples examples, Architecture architecture, TrainOptions options,
                                       int n_threads) {
  co_yield 0.0;
  constexpr int n_measured = 3;
  using Clock = std::chrono::steady_clock;
  ThreadPool pool(n_threads);
  const auto trainer = Trainer::make(examples, architecture, options, pool).value();
  co_yield 0.0;
  Clock::duration took(0);
  for (int i = 0; i <= n_measured; ++i) {
    Slices<StepReport> step = trainer->step_slices();
    for (bool has_more = true; has_more;) {
      const auto begin = Clock::now();
      has_more = step.next();
      if (i > 0) took += Clock::now() - begin;
      co_yield static_cast<double>(i) / n_measured;
    }
  }
  co_return std::chrono::duration<double>(took).count() / n_measured;
}

}  // namespace

std::optional<std::size_t> text_model_size_of(const Architecture& architecture) {
  for (std::size_t i = 0; i < text_model_sizes.size(); ++i) {
    if (architecture_of(text_model_sizes[i]) == architecture) return i;
  }
  return std::nullopt;
}

Slices<Result<OpenedText>> open_text(TextSources sources, std::size_t size, int n_threads) {
  constexpr double share_read = 0.8;
  constexpr std::size_t max_bytes = std::size_t{4} << 20U;
  constexpr std::size_t bytes_of_piece = 256;
  constexpr int max_pieces = 1024;
  constexpr int batch_size = 16;
  std::size_t n_bytes = sources.pasted.size();
  for (const auto& file : sources.files) {
    std::error_code unknown;  // read_corpus() says what is wrong with the file.
    const auto of_file = std::filesystem::file_size(file, unknown);
    if (!unknown) n_bytes += static_cast<std::size_t>(of_file);
  }
  if (n_bytes > max_bytes)
    co_return failure("the text has " + std::to_string(n_bytes >> 20U) +
                      " MiB, but the window trains on at most 4: train on it with “headscope train --text”");
  const int n_pieces =
      std::clamp(static_cast<int>(n_bytes / bytes_of_piece), 2 * first_text_piece, max_pieces);
  Slices<Result<Corpus>> reading = read_corpus(sources, {PieceKind::byte_pairs, n_pieces, {}});
  while (reading.next()) co_yield share_read* reading.share();
  const auto corpus = std::make_shared<const Corpus>(reading.take().value());
  const Architecture architecture = architecture_of(text_model_sizes[size]);
  TrainOptions options = default_text_plan().options;
  options.batch_size = batch_size;
  co_yield share_read;
  Slices<Result<double>> measuring =
      seconds_of_step(examples_of(*corpus, architecture, batch_size), architecture, options, n_threads);
  while (measuring.next()) co_yield std::lerp(share_read, 1.0, measuring.share());
  const double seconds = measuring.take().value();
  co_return OpenedText{
      untrained_model(architecture, corpus),
      {steps_in(text_model_sizes[size].seconds, seconds), batch_size, options.adam.learning_rate}};
}

TextExamples examples_of(const Corpus& corpus, const Architecture& architecture, std::size_t n_drawn) {
  return TextExamples(corpus.train, corpus.held_out, static_cast<int>(corpus.pieces.pieces.size()),
                      architecture.foreign.context, n_drawn, default_text_plan().options.seed);
}

void TextTraining::read(const TextSources& sources, std::optional<SentencePieceModel> given,
                        const std::atomic<bool>& stop) {
  Slices<Result<Corpus>> reading = read_corpus(sources, {plan_.kind, plan_.n_pieces, std::move(given)});
  while (reading.next()) {
    if (stop) refuse(failure("stopped before training began: nothing was written"));
  }
  corpus_ = reading.take().value();
  examples_ = std::make_unique<TextExamples>(
      std::move(corpus_.train), std::move(corpus_.held_out), static_cast<int>(corpus_.pieces.pieces.size()),
      plan_.architecture.foreign.context,
      static_cast<std::size_t>(plan_.steps) * static_cast<std::size_t>(plan_.options.batch_size),
      plan_.options.seed);
}

void TextTraining::begin(ThreadPool& pool, const std::atomic<bool>& stop) {
  const double bytes = training_bytes(*examples_, plan_.architecture, plan_.options, pool.size());
  ensure(check_memory(bytes, "training this model", "choose a smaller model or a smaller --batch-size"));
  trainer_ = Trainer::make(*examples_, plan_.architecture, plan_.options, pool).value();
  trainer_->set_stop_flag(stop);
  trainer_->set_parameters(initial_parameters(trainer_->layout()));
}

Result<std::unique_ptr<TextTraining>> TextTraining::make(const TextSources& sources, const TextPlan& plan,
                                                         ThreadPool& pool, const std::atomic<bool>& stop) {
  return result_of([&] {
    std::unique_ptr<TextTraining> run(new TextTraining);
    run->plan_ = plan;
    run->plan_.options.adam.decay_steps = plan.steps;
    std::optional<LanguageModel> model;
    if (!plan.base_model.empty()) {
      model = read_language_model(plan.base_model).value();
      run->plan_.architecture = model->architecture;
    }
    run->read(sources, model ? std::optional(std::move(model->pieces)) : std::nullopt, stop);
    run->begin(pool, stop);
    if (model) run->trainer_->set_parameters(model->parameters);
    return run;
  });
}

Result<std::unique_ptr<TextTraining>> TextTraining::resume(const std::filesystem::path& folder,
                                                           const TextSources& sources, ThreadPool& pool,
                                                           const std::atomic<bool>& stop) {
  const std::filesystem::path path = folder / training_state_name;
  const std::string cannot = "cannot continue from '" + path.string() + "': ";
  return result_of([&] {
    const auto file = read_safetensors(path);
    if (!file)
      refuse(failure(cannot + file.error().message + "; only a run that was interrupted can be continued"));
    const auto found = file->metadata.find("run");
    const auto json = parse_json(found == file->metadata.end() ? "" : found->second);
    if (!json) refuse(failure(cannot + "it does not describe a run"));
    try {
      std::unique_ptr<TextTraining> run(new TextTraining);
      auto pieces = result_of(cannot, [&] {
        run->plan_ = plan_from_json(json->at("plan"));
        return read_language_pieces(folder).value();
      });
      run->read(sources, std::move(pieces.value()), stop);
      if (run->corpus_.hash != json->at("text").get<std::uint64_t>())
        refuse(failure(cannot + "the text is not the one that the run began with"));
      run->begin(pool, stop);
      TrainerState state;
      state.steps = json->at("steps").get<int>();
      if (json->contains("first_loss")) state.first_loss = json->at("first_loss").get<double>();
      state.smoothed_loss = json->at("smoothed_loss").get<double>();
      std::vector<float>* targets[] = {&state.parameters, &state.mean, &state.square};
      for (std::size_t i = 0; i < std::size(targets); ++i) {
        const Tensor* tensor = file->find(tensor_names[i]);
        if (tensor == nullptr || tensor->values.size() != run->trainer_->layout().size)
          refuse(failure(cannot + "its " + tensor_names[i] + " do not fit the model"));
        *targets[i] = tensor->values;
      }
      run->trainer_->restore(std::move(state));
      return run;
    } catch (const Json::exception& error) {
      refuse(failure(cannot + error.what()));
    }
  });
}

TextScore TextTraining::evaluate() {
  const std::vector<Example> windows = examples_->held_out_windows();
  TextScore result;
  result.n_characters = corpus_.n_held_out_characters;
  if (windows.empty()) return result;
  // The model is measured as it is written.
  const TrainerState state = trainer_->state();
  TrainerState written = state;
  std::vector<std::byte> halves(2 * state.parameters.size());
  float_to_float16(state.parameters.data(), state.parameters.size(), halves.data());
  float16_to_float(halves.data(), state.parameters.size(), written.parameters.data());
  trainer_->restore(std::move(written));
  Score score;
  try {
    score = trainer_->evaluate(windows);
  } catch (...) {
    trainer_->restore(state);
    throw;
  }
  trainer_->restore(state);
  result.nats_per_piece = score.mean(0);
  result.bits_per_character =
      score.cross_entropy[0] / std::numbers::ln2 / static_cast<double>(corpus_.n_held_out_characters);
  return result;
}

Result<void> TextTraining::save(const std::filesystem::path& folder, const std::string& trained_on) const {
  const TrainerState state = trainer_->state();
  const LanguageModel model{plan_.architecture, state.parameters, corpus_.pieces,
                            state.steps,        trained_on,       corpus_.example};
  if (is_done()) return save_language_model(folder, model, {}, {});
  std::vector<TensorView> tensors;
  const std::vector<float>* sources[] = {&state.parameters, &state.mean, &state.square};
  for (std::size_t i = 0; i < std::size(sources); ++i) {
    const auto n = static_cast<int>(sources[i]->size());
    tensors.push_back({tensor_names[i], {sources[i]->size()}, {sources[i]->data(), 1, n, n}});
  }
  Json run{{"plan", to_json(plan_)},
           {"text", corpus_.hash},
           {"steps", state.steps},
           {"smoothed_loss", state.smoothed_loss}};
  if (state.first_loss) run["first_loss"] = *state.first_loss;
  return save_language_model(folder, model, tensors, {{"run", json_text(run)}});
}

}  // namespace headscope
