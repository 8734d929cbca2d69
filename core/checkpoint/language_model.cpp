#include "core/checkpoint/language_model.h"

#include <nlohmann/json.hpp>
#include <system_error>
#include <utility>

#include "core/checkpoint/family.h"
#include "core/checkpoint/foreign_model.h"
#include "core/system/atomic_file.h"
#include "core/system/machine_memory.h"
#include "core/system/read_file.h"
#include "core/tensor/elementwise.h"
#include "core/tensor/floats.h"
#include "core/tensor/hash.h"
#include "core/tensor/shape_text.h"
#include "core/tokenizers/sentencepiece_model.h"

namespace headscope {
namespace {

using OrderedJson = nlohmann::ordered_json;

OrderedJson config_of(const LanguageModel& model) {
  const Architecture& a = model.architecture;
  OrderedJson own{{"steps", model.steps}, {"trained_on", model.trained_on}, {"example", model.example}};
  if (!model.text.empty()) own["text"] = model.text;
  return {{"architectures", OrderedJson::array({"LlamaForCausalLM"})},
          {"model_type", "llama"},
          {"vocab_size", model.pieces.pieces.size()},
          {"hidden_size", a.d_model},
          {"intermediate_size", a.d_ff},
          {"num_hidden_layers", a.n_layers},
          {"num_attention_heads", a.n_heads},
          {"num_key_value_heads", a.kv_heads(no_layer)},
          {"head_dim", a.head_width(no_layer)},
          {"hidden_act", "silu"},
          {"max_position_embeddings", a.foreign.context},
          {"rms_norm_eps", a.norm_epsilon},
          {"rope_theta", a.rotary.base},
          {"tie_word_embeddings", a.output_layer == OutputLayer::tied},
          {"attention_bias", false},
          {"mlp_bias", false},
          {"bos_token_id", begin_piece},
          {"eos_token_id", end_piece},
          {"torch_dtype", model.is_half_precision ? "float16" : "float32"},
          {"headscope", own}};
}

OrderedJson tokenizer_config() {
  return {{"tokenizer_class", "LlamaTokenizer"},
          {"add_bos_token", true},
          {"add_eos_token", false},
          {"bos_token", "<s>"},
          {"eos_token", "</s>"},
          {"unk_token", "<unk>"},
          {"clean_up_tokenization_spaces", false},
          {"legacy", true}};
}

/// A tensor of a Llama model's file, and where its numbers lie among all parameters.
struct StoredTensor {
  std::string name;
  std::ptrdiff_t first = 0;
  int rows = 0, cols = 0;  ///< In the file.
  bool is_transposed = false;

  bool is_vector() const { return rows == 1; }
  std::vector<std::size_t> shape() const {
    std::vector<std::size_t> sizes{static_cast<std::size_t>(rows), static_cast<std::size_t>(cols)};
    if (is_vector()) sizes.erase(sizes.begin());
    return sizes;
  }
  /// The index, among all parameters, of the number in this row and column of the file.
  std::size_t at(int row, int col) const {
    const std::ptrdiff_t i = is_transposed ? static_cast<std::ptrdiff_t>(col) * rows + row
                                           : static_cast<std::ptrdiff_t>(row) * cols + col;
    return static_cast<std::size_t>(first + i);
  }
};

std::vector<StoredTensor> stored_tensors(const ParameterLayout& layout) {
  using enum StageKind;
  std::vector<StoredTensor> places;
  // PyTorch stores the transpose of a linear layer's weights, [out, in].
  const auto add = [&](const std::string& name, StageKind kind, int layer = 0) {
    const ParameterSlot slot = layout.slot(normalized({kind, Stack::decoder, layer}));
    const ParameterKind parameter = info(kind).parameter;
    const bool is_transposed = parameter == ParameterKind::weight || parameter == ParameterKind::word_weight;
    if (!slot.exists()) return;
    if (is_transposed) places.push_back({name, slot.first, slot.n_out, slot.n_in, is_transposed});
    if (!is_transposed) places.push_back({name, slot.first, slot.n_in, slot.n_out});
  };
  add("model.embed_tokens.weight", embedding_table);
  for (int l = 0; l < layout.architecture.n_layers; ++l) {
    const std::string prefix = "model.layers." + std::to_string(l) + ".";
    add(prefix + "input_layernorm.weight", norm_gain, l);
    add(prefix + "self_attn.q_proj.weight", w_query, l);
    add(prefix + "self_attn.k_proj.weight", w_key, l);
    add(prefix + "self_attn.v_proj.weight", w_value, l);
    add(prefix + "self_attn.o_proj.weight", w_output, l);
    add(prefix + "post_attention_layernorm.weight", feed_forward_norm_gain, l);
    add(prefix + "mlp.gate_proj.weight", w_1, l);
    add(prefix + "mlp.up_proj.weight", w_up, l);
    add(prefix + "mlp.down_proj.weight", w_2, l);
  }
  add("model.norm.weight", final_norm_gain);
  add("lm_head.weight", w_logits);
  return places;
}

}  // namespace

Architecture llama_architecture(const Architecture& sizes) {
  Architecture a;
  a.stacks = Stacks::decoder;
  a.norm = Norm::pre;
  a.residual = true;
  a.n_layers = sizes.n_layers;
  a.d_model = sizes.d_model;
  a.n_heads = sizes.n_heads;
  a.n_kv_heads = sizes.kv_heads(no_layer);
  a.d_head = sizes.head_width(no_layer);
  a.d_ff = sizes.d_ff;
  a.norm_kind = NormKind::rms;
  a.norm_epsilon = sizes.norm_epsilon;
  a.gated = true;
  a.activation = Activation::silu;
  a.bias = {.query = false, .key = false, .value = false, .output = false, .feed_forward = false};
  a.positions = Positions::rotary;
  a.rotary.base = sizes.rotary.base;
  a.rotary.pairing = RotaryPairing::halves;
  a.output_layer = sizes.output_layer;
  a.foreign.context = sizes.foreign.context;
  a.seed = sizes.seed;
  a.init = sizes.init;
  return a;
}

std::vector<float> initial_parameters(const ParameterLayout& layout) {
  const Architecture& a = layout.architecture;
  std::vector<float> numbers = parameters_of(random_model(a, layout.vocabulary, shared_pool()), layout);
  const ParameterSlot table = layout.slot({.kind = StageKind::embedding_table});
  scale(numbers.data() + table.first,
        static_cast<std::size_t>(table.n_in) * static_cast<std::size_t>(table.n_out),
        1.0F / std::sqrt(static_cast<float>(a.d_model)));
  return numbers;
}

std::shared_ptr<const TrainedModel> trained_model(const ParameterLayout& layout,
                                                  std::span<const float> parameters, int steps,
                                                  const std::shared_ptr<const Corpus>& corpus, int run,
                                                  std::string trained_on) {
  const Architecture& a = layout.architecture;
  const std::string of_run = corpus->name + " " + std::to_string(corpus->hash) + " " +
                             std::to_string(a.n_layers) + " × " + std::to_string(a.d_model);
  auto model = std::make_shared<TrainedModel>(TrainedModel{"",
                                                           "",
                                                           steps,
                                                           0,
                                                           0,
                                                           model_of(layout, parameters),
                                                           Vocabulary::from_pieces({}),
                                                           {},
                                                           TaskSource{of_run, run}});
  set_tokenizer(*model, corpus->tokenizer, layout.vocabulary, {}, false);
  model->family = "Llama";
  model->embedded_name = corpus->name;
  model->trained_on =
      trained_on.empty() && steps > 0 ? "Trained on " + corpus->name + "." : std::move(trained_on);
  model->example = corpus->example;
  model->corpus = corpus;
  return model;
}

std::shared_ptr<const TrainedModel> untrained_model(const Architecture& architecture,
                                                    const std::shared_ptr<const Corpus>& corpus) {
  const ParameterLayout layout = layout_of(architecture, static_cast<int>(corpus->pieces.pieces.size()));
  return trained_model(layout, initial_parameters(layout), 0, corpus);
}

Result<void> save_language_model(const std::filesystem::path& folder, const TrainedModel& model) {
  const ParameterLayout layout = layout_of(model.model.architecture, model.vocabulary.size());
  return save_language_model(folder,
                             {layout.architecture, parameters_of(model.model, layout), model.corpus->pieces,
                              model.steps, model.trained_on, model.example, model.corpus->name, false},
                             {}, {});
}

Result<void> save_language_model(const std::filesystem::path& folder, const LanguageModel& model,
                                 std::span<const TensorView> state, const TensorMetadata& state_metadata) {
  const ParameterLayout layout = layout_of(model.architecture, static_cast<int>(model.pieces.pieces.size()));
  const std::vector<StoredTensor> places = stored_tensors(layout);
  std::vector<std::vector<float>> numbers(places.size());
  std::vector<TensorView> tensors;
  for (std::size_t i = 0; i < places.size(); ++i) {
    const StoredTensor& place = places[i];
    for (int row = 0; row < place.rows; ++row) {
      for (int col = 0; col < place.cols; ++col) numbers[i].push_back(model.parameters[place.at(row, col)]);
    }
    tensors.push_back({place.name,
                       place.shape(),
                       {numbers[i].data(), place.rows, place.cols, place.cols},
                       nullptr,
                       model.is_half_precision});
  }
  constexpr int indent = 2;
  const auto text = [](const OrderedJson& json) {
    return json.dump(indent, ' ', false, OrderedJson::error_handler_t::replace) + "\n";
  };
  const OrderedJson generation{{"bos_token_id", begin_piece}, {"eos_token_id", end_piece}};
  const std::array<std::string, language_model_files.size()> contents{
      text(config_of(model)), text(generation), text(tokenizer_config()), tokenizer_json_file(model.pieces),
      sentencepiece_file(model.pieces)};
  auto done = write_folder(folder, [&](const std::filesystem::path& staging) {
    for (std::size_t i = 0; i < contents.size(); ++i)
      ensure(write_atomically(staging / language_model_files[i], contents[i]));
    ensure(write_safetensors(staging / "model.safetensors", tensors, {{"format", "pt"}}));
    if (!state.empty()) ensure(write_safetensors(staging / training_state_name, state, state_metadata));
  });
  if (!done) return done;
  std::error_code ignored;  // A state that stays is only larger than needed.
  if (state.empty()) std::filesystem::remove(folder / training_state_name, ignored);
  return {};
}

Result<SentencePieceModel> read_language_pieces(const std::filesystem::path& folder) {
  const std::filesystem::path path = folder / "tokenizer.model";
  const auto bytes = read_file(path);
  if (!bytes) return tl::unexpected(bytes.error());
  auto pieces = parse_sentencepiece(*bytes);
  const bool is_written_here = pieces && pieces->pieces.size() >= first_text_piece &&
                               pieces->pieces[begin_piece].kind == ScoredPiece::Kind::control &&
                               pieces->pieces[end_piece].kind == ScoredPiece::Kind::control &&
                               sentencepiece_file(*pieces) == *bytes;
  if (is_written_here) return pieces;
  return failure("'" + path.string() + "' is not as this program writes it" +
                 (pieces ? "" : ": " + pieces.error().message));
}

Result<LanguageModel> read_language_model(const std::filesystem::path& folder) try {
  const auto refused = [&](const std::string& why) {
    return failure("the model in '" + folder.string() + "' cannot be trained further: " + why);
  };
  const ForeignModel headers = read_foreign_headers(folder).value();
  LanguageModel model{llama_architecture(headers.architecture),
                      {},
                      {},
                      headers.steps,
                      headers.trained_on,
                      headers.example,
                      headers.text};
  if (!(model.architecture == headers.architecture))
    return refused(
        "only a model of the Llama family without parts of its own can be, because it is written as one");
  if (headers.trained_on.empty())
    return refused("it was not trained on a text by this program, and may read texts in another way");
  model.pieces = read_language_pieces(folder).value();
  if (static_cast<int>(model.pieces.pieces.size()) != headers.vocabulary)
    return refused("tokenizer.model has " + std::to_string(model.pieces.pieces.size()) +
                   " pieces, but the model has " + std::to_string(headers.vocabulary));
  const ParameterLayout layout = layout_of(model.architecture, headers.vocabulary);
  ensure(check_memory(sizeof(float) * static_cast<double>(layout.size), "training this model further",
                      "choose a smaller model"));
  model.parameters.resize(layout.size);
  for (const StoredTensor& place : stored_tensors(layout)) {
    const TensorRef* tensor = headers.files->find(place.name);
    if (tensor == nullptr || tensor->shape != place.shape())
      return refused("its weights have no " + place.name + " of " + shape_text(place.shape()));
    std::vector<float> numbers(tensor->size());
    read_numbers(*tensor, 0, numbers.size(), numbers.data());
    if (!all_finite(numbers.data(), numbers.size()))
      return refused(place.name + " holds a number that is not finite");
    for (int row = 0; row < place.rows; ++row) {
      for (int col = 0; col < place.cols; ++col)
        model.parameters[place.at(row, col)] =
            numbers[static_cast<std::size_t>(row) * static_cast<std::size_t>(place.cols) +
                    static_cast<std::size_t>(col)];
    }
  }
  ensure(headers.files->check_unchanged());
  return model;
} catch (const tl::bad_expected_access<Error>& thrown) {
  return tl::unexpected(thrown.error());
}

Result<std::shared_ptr<const TrainedModel>> load_language_model(const std::filesystem::path& folder) {
  return result_of([&] {
    LanguageModel read = read_language_model(folder).value();
    Corpus corpus;
    corpus.name = read.text.empty() ? "a text" : read.text;
    corpus.tokenizer = tokenizer_of(read.pieces).value();
    corpus.example = std::move(read.example);
    corpus.pieces = std::move(read.pieces);
    const ParameterLayout layout =
        layout_of(read.architecture, static_cast<int>(corpus.pieces.pieces.size()));
    corpus.hash = xxh64_hash(
        {reinterpret_cast<const char*>(read.parameters.data()), read.parameters.size() * sizeof(float)});
    return trained_model(layout, read.parameters, read.steps,
                         std::make_shared<const Corpus>(std::move(corpus)), 0, std::move(read.trained_on));
  });
}

}  // namespace headscope
