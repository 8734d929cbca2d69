#include "core/engine/text_training.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numbers>
#include <string_view>
#include <utility>

#include "core/io/json_text.h"
#include "core/session/setting_json.h"
#include "core/system/machine_memory.h"
#include "core/system/read_file.h"
#include "core/tensor/floats.h"
#include "core/tensor/hash.h"
#include "core/tensor/vector_ops.h"
#include "core/text/utf8.h"
#include "core/tokenizers/characters.h"
#include "core/tokenizers/tokenizer_parts.h"

namespace headscope {
namespace {

using Json = nlohmann::json;

constexpr std::string_view document_end = "<|endoftext|>";
/// A model cannot learn more than by heart from fewer rows than this.
constexpr std::size_t least_ids = 256;

tl::unexpected<Error> unreadable(const std::filesystem::path& path, const std::string& why) {
  return failure("cannot train on '" + path.string() + "': " + why);
}

/// Reads a file and drops carriage returns at the ends of lines.
Result<std::string> read_text(const std::filesystem::path& path, std::size_t most_bytes) {
  auto text = read_file(path, most_bytes);
  if (!text) return text;
  if (text->starts_with("\xEF\xBB\xBF")) text->erase(0, 3);
  if (text->starts_with("\xFF\xFE") || text->starts_with("\xFE\xFF"))
    return unreadable(path, "it is UTF-16: save it as UTF-8");
  if (text->find('\0') != std::string::npos)
    return unreadable(path, "it is not a text, because it holds NUL bytes: choose a text file in UTF-8");
  for (std::size_t at = 0; at < text->size();) {
    const std::string_view rest = std::string_view(*text).substr(at);
    const std::size_t length = first_length(rest);
    if (valid_utf8(rest.substr(0, length)) != rest.substr(0, length))
      return unreadable(path, "byte " + std::to_string(at) + " is not UTF-8: save it as UTF-8");
    at += length;
  }
  std::size_t kept = 0;
  for (std::size_t i = 0; i < text->size(); ++i) {
    const bool is_dropped = (*text)[i] == '\r' && i + 1 < text->size() && (*text)[i + 1] == '\n';
    if (!is_dropped) (*text)[kept++] = (*text)[i];
  }
  text->resize(kept);
  return text;
}

std::string_view without_empty_ends(std::string_view text) {
  while (!text.empty() && (text.front() == '\n' || text.front() == ' ')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.remove_suffix(1);
  return text;
}

/// The documents of a text, without those that are empty.
std::vector<std::string_view> documents_of(std::string_view text) {
  std::vector<std::string_view> documents;
  std::size_t begin = 0;
  const auto add = [&](std::size_t end) {
    const std::string_view document = without_empty_ends(text.substr(begin, end - begin));
    if (!document.empty()) documents.push_back(document);
  };
  for (std::size_t line = 0; line < text.size();) {
    const std::size_t line_end = std::min(text.find('\n', line), text.size());
    if (text.substr(line, line_end - line) == document_end) {
      add(line);
      begin = line_end;
    }
    line = line_end + 1;
  }
  add(text.size());
  return documents;
}

/// A text in memory, and the documents in it.
struct ReadText {
  std::vector<std::string> texts;
  std::vector<std::string_view> documents;
};

Result<ReadText> read_all(const std::vector<std::filesystem::path>& files, std::size_t& bytes_left) {
  ReadText all;
  for (const auto& path : files) {
    auto text = read_text(path, bytes_left);
    if (!text) return tl::unexpected(text.error());
    bytes_left -= std::min(bytes_left, text->size());
    all.texts.push_back(std::move(*text));
  }
  for (const std::string& text : all.texts) {
    for (const std::string_view document : documents_of(text)) all.documents.push_back(document);
  }
  return all;
}

/// Moves the held-out share of the documents out of `train`.
std::vector<std::string_view> hold_out(std::vector<std::string_view>& train) {
  constexpr std::size_t one_of = 16;
  std::vector<std::string_view> held_out, kept;
  if (train.size() < one_of) {
    // The end of each document, from a space on.
    for (std::string_view& document : train) {
      const std::size_t share = document.size() / one_of;
      const std::size_t target = document.size() - share;
      std::size_t cut = document.find_last_of(" \n\t", target);
      if (cut == std::string_view::npos || target - cut > share) {
        // In a text without spaces, between two characters.
        for (cut = target; cut > 0 && (static_cast<unsigned char>(document[cut]) & 0xC0U) == 0x80U;) --cut;
      }
      if (cut == 0 || share == 0) continue;
      held_out.push_back(without_empty_ends(document.substr(cut)));
      document = document.substr(0, cut);
    }
    return held_out;
  }
  for (std::size_t i = 0; i < train.size(); ++i)
    (i % one_of == one_of - 1 ? held_out : kept).push_back(train[i]);
  train = std::move(kept);
  return held_out;
}

/// The first words of a document, so that a model goes on within its first sentence.
std::string beginning_of(std::string_view document) {
  constexpr int n_words = 7;
  constexpr std::size_t most = 120;
  const std::string_view line = document.substr(0, document.find('\n'));
  std::size_t end = 0;
  for (int i = 0; i < n_words && end != std::string_view::npos; ++i) end = line.find(' ', end + 1);
  const std::string_view words = line.substr(0, end);
  return words.size() > most ? std::string() : std::string(words);
}

Json to_json(const TextPlan& plan) {
  const TrainOptions& options = plan.options;
  return {{"architecture", architecture_to_json(plan.architecture)},
          {"begins_with", plan.begins_with.string()},
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

Result<TextPlan> plan_from_json(const Json& json) try {
  TextPlan plan = usual_text_plan();
  auto architecture = architecture_from_json(json.at("architecture"));
  if (!architecture) return tl::unexpected(architecture.error());
  architecture->foreign.context = json.at("context").get<int>();
  plan.architecture = llama_architecture(*architecture);
  plan.begins_with = json.value("begins_with", "");
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
    return failure("its plan has sizes that are not positive");
  return plan;
} catch (const Json::exception& error) {
  return failure(error.what());
}

constexpr const char* tensor_names[] = {"parameters", "adam.mean", "adam.square"};

}  // namespace

TextPlan usual_text_plan() {
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

Result<void> TextTraining::read(const TextSources& sources, std::optional<SentencePieceModel> given,
                                const std::atomic<bool>& stop) {
  std::size_t bytes_left = max_text_bytes;
  auto train = read_all(sources.files, bytes_left);
  if (!train) return tl::unexpected(train.error());
  auto held_out = read_all(sources.held_out, bytes_left);
  if (!held_out) return tl::unexpected(held_out.error());
  for (const ReadText* each : {&*train, &*held_out}) {
    std::string sizes = "texts:";
    for (const std::string& text : each->texts) sizes += " " + std::to_string(text.size());
    text_hash_ = hash_of_blocks(sizes, text_hash_);
    for (const std::string& text : each->texts) text_hash_ = hash_of_blocks(text, text_hash_);
  }
  if (sources.held_out.empty()) held_out->documents = hold_out(train->documents);
  const std::filesystem::path& first = sources.files.front();
  if (train->documents.empty()) return unreadable(first, "it holds no text");
  n_documents_ = train->documents.size();
  example_ = beginning_of((held_out->documents.empty() ? train : held_out)->documents.front());
  for (const std::string_view document : held_out->documents)
    held_out_characters_ += character_count(document);

  auto pieces = given ? Result<SentencePieceModel>(std::move(*given))
                      : train_pieces(train->documents, plan_.kind, plan_.n_pieces, &stop);
  if (!pieces) return tl::unexpected(pieces.error());
  pieces_ = std::move(*pieces);
  if (stop) return failure("stopped while the vocabulary was made: nothing was written");
  ModelConfiguration configuration;
  configuration.family = "llama";
  auto parts = sentencepiece_parts(pieces_, configuration);
  if (!parts) return tl::unexpected(parts.error());
  const ModelTokenizer tokenizer(std::move(*parts));
  std::vector<DocumentIds> ids[2];
  std::size_t n_ids = 0;
  for (const bool is_held_out : {false, true}) {
    for (const std::string_view document : (is_held_out ? held_out : train)->documents) {
      if (stop) return failure("stopped while the text was read: nothing was written");
      auto of_document = tokenizer.ids(document);
      if (!of_document) return tl::unexpected(of_document.error());
      of_document->push_back(end_piece);
      if (!is_held_out) n_ids += of_document->size();
      ids[is_held_out ? 1 : 0].push_back(std::move(*of_document));
    }
  }
  if (n_ids < least_ids)
    return unreadable(first, "its text has only " + std::to_string(n_ids) + " pieces, but training needs " +
                                 std::to_string(least_ids) + ": add more text");
  examples_ = std::make_unique<TextExamples>(
      std::move(ids[0]), std::move(ids[1]), static_cast<int>(pieces_.pieces.size()),
      plan_.architecture.foreign.context,
      static_cast<std::size_t>(plan_.steps) * static_cast<std::size_t>(plan_.options.batch_size),
      plan_.options.seed);
  return {};
}

Result<void> TextTraining::begin(TaskPool& pool, const std::atomic<bool>& stop) {
  const double bytes = training_bytes(*examples_, plan_.architecture, plan_.options, pool.size());
  if (auto ok =
          check_memory(bytes, "training this model", "choose a smaller model or a smaller --batch-size");
      !ok)
    return ok;
  auto trainer = Trainer::make(*examples_, plan_.architecture, plan_.options, pool);
  if (!trainer) return tl::unexpected(trainer.error());
  trainer_ = std::move(*trainer);
  trainer_->stop_on(stop);
  // Rows of norm 1 give logits of about 1, because the table also predicts.
  TrainerState state = trainer_->state();
  const ParameterLayout& layout = trainer_->layout();
  const auto d_model = static_cast<std::size_t>(plan_.architecture.d_model);
  scale(state.parameters.data() + layout.slot({.kind = StageKind::embedding_table}).first,
        static_cast<std::size_t>(layout.vocabulary) * d_model, 1.0F / std::sqrt(static_cast<float>(d_model)));
  trainer_->restore(std::move(state));
  return {};
}

Result<std::unique_ptr<TextTraining>> TextTraining::make(const TextSources& sources, const TextPlan& plan,
                                                         TaskPool& pool, const std::atomic<bool>& stop) {
  std::unique_ptr<TextTraining> run(new TextTraining);
  run->plan_ = plan;
  run->plan_.options.adam.decay_steps = plan.steps;
  std::optional<LanguageModel> model;
  if (!plan.begins_with.empty()) {
    auto read = read_language_model(plan.begins_with);
    if (!read) return tl::unexpected(read.error());
    model = std::move(*read);
    run->plan_.architecture = model->architecture;
  }
  auto pieces = model ? std::optional(std::move(model->pieces)) : std::nullopt;
  if (auto ok = run->read(sources, std::move(pieces), stop); !ok) return tl::unexpected(ok.error());
  if (auto ok = run->begin(pool, stop); !ok) return tl::unexpected(ok.error());
  if (!model) return run;
  TrainerState state = run->trainer_->state();
  state.parameters = std::move(model->parameters);
  run->trainer_->restore(std::move(state));
  return run;
}

Result<std::unique_ptr<TextTraining>> TextTraining::resume(const std::filesystem::path& folder,
                                                           const TextSources& sources, TaskPool& pool,
                                                           const std::atomic<bool>& stop) {
  const std::filesystem::path path = folder / training_state_name;
  const auto refused = [&](const std::string& why) {
    return failure("cannot continue from '" + path.string() + "': " + why);
  };
  const auto file = read_safetensors(path);
  if (!file) return refused(file.error().message + "; only a run that was interrupted can be continued");
  const auto found = file->metadata.find("run");
  const auto json = parse_json(found == file->metadata.end() ? "" : found->second);
  if (!json) return refused("it does not describe a run");
  try {
    auto plan = plan_from_json(json->at("plan"));
    if (!plan) return refused(plan.error().message);
    std::unique_ptr<TextTraining> run(new TextTraining);
    run->plan_ = *plan;
    auto pieces = read_language_pieces(folder);
    if (!pieces) return refused(pieces.error().message);
    if (auto ok = run->read(sources, std::move(*pieces), stop); !ok) return tl::unexpected(ok.error());
    if (run->text_hash_ != json->at("text").get<std::uint64_t>())
      return refused("the text is not the one that the run began with");
    if (auto ok = run->begin(pool, stop); !ok) return tl::unexpected(ok.error());
    TrainerState state;
    state.steps = json->at("steps").get<int>();
    if (json->contains("first_loss")) state.first_loss = json->at("first_loss").get<double>();
    state.smoothed_loss = json->at("smoothed_loss").get<double>();
    std::vector<float>* targets[] = {&state.parameters, &state.mean, &state.square};
    for (std::size_t i = 0; i < std::size(targets); ++i) {
      const Tensor* tensor = file->find(tensor_names[i]);
      if (tensor == nullptr || tensor->values.size() != run->trainer_->layout().size)
        return refused(std::string("its ") + tensor_names[i] + " do not fit the model");
      *targets[i] = tensor->values;
    }
    run->trainer_->restore(std::move(state));
    return run;
  } catch (const Json::exception& error) {
    return refused(error.what());
  }
}

TextScore TextTraining::evaluate() {
  const std::vector<Example> windows = examples_->held_out_windows();
  TextScore result;
  result.n_characters = held_out_characters_;
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
      score.cross_entropy[0] / std::numbers::ln2 / static_cast<double>(held_out_characters_);
  return result;
}

Result<void> TextTraining::save(const std::filesystem::path& folder, const std::string& trained_on) const {
  const TrainerState state = trainer_->state();
  const LanguageModel model{plan_.architecture, state.parameters, pieces_, state.steps, trained_on, example_};
  if (is_done()) return save_language_model(folder, model, {}, {});
  std::vector<TensorView> tensors;
  const std::vector<float>* sources[] = {&state.parameters, &state.mean, &state.square};
  for (std::size_t i = 0; i < std::size(sources); ++i) {
    const auto n = static_cast<int>(sources[i]->size());
    tensors.push_back({tensor_names[i], {sources[i]->size()}, {sources[i]->data(), 1, n, n}});
  }
  Json run{{"plan", to_json(plan_)},
           {"text", text_hash_},
           {"steps", state.steps},
           {"smoothed_loss", state.smoothed_loss}};
  if (state.first_loss) run["first_loss"] = *state.first_loss;
  return save_language_model(folder, model, tensors, {{"run", json_text(run)}});
}

}  // namespace headscope
