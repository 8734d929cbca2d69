#include "core/checkpoint/language_model.h"

#include <nlohmann/json.hpp>
#include <system_error>
#include <utility>

#include "core/checkpoint/family_parts.h"
#include "core/io/atomic_file.h"
#include "core/io/atomic_folder.h"
#include "core/tokenizers/piece_trainer.h"

namespace headscope {
namespace {

using OrderedJson = nlohmann::ordered_json;

OrderedJson config_of(const LanguageModel& model) {
  const Architecture& a = model.architecture;
  return {{"architectures", OrderedJson::array({"LlamaForCausalLM"})},
          {"model_type", "llama"},
          {"vocab_size", model.pieces.pieces.size()},
          {"hidden_size", a.d_model},
          {"intermediate_size", a.d_ff},
          {"num_hidden_layers", a.n_layers},
          {"num_attention_heads", a.n_heads},
          {"num_key_value_heads", a.kv_heads()},
          {"head_dim", a.head_width()},
          {"hidden_act", "silu"},
          {"max_position_embeddings", a.foreign.context},
          {"rms_norm_eps", a.norm_epsilon},
          {"rope_theta", a.rotary.base},
          {"tie_word_embeddings", a.output_layer == OutputLayer::tied},
          {"attention_bias", false},
          {"mlp_bias", false},
          {"bos_token_id", begin_piece},
          {"eos_token_id", end_piece},
          {"torch_dtype", "float16"},
          {"headscope", {{"steps", model.steps}, {"trained_on", model.trained_on}}}};
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

/// The tensors of the model, whose names and shapes are those of the Llama family.
class Tensors {
 public:
  explicit Tensors(const LanguageModel& model)
      : numbers_(model.parameters.data()),
        layout_(layout_of(model.architecture, static_cast<int>(model.pieces.pieces.size()))) {
    add("model.embed_tokens.weight", layout_.embedding, layout_.vocabulary, model.architecture.d_model);
    for (std::size_t l = 0; l < layout_.decoder.layers.size(); ++l) {
      const LayerSlots& layer = layout_.decoder.layers[l];
      const std::string prefix = "model.layers." + std::to_string(l) + ".";
      norm(prefix + "input_layernorm.weight", layer.self_norm);
      linear(prefix + "self_attn.q_proj.weight", layer.self.query);
      linear(prefix + "self_attn.k_proj.weight", layer.self.key);
      linear(prefix + "self_attn.v_proj.weight", layer.self.value);
      linear(prefix + "self_attn.o_proj.weight", layer.self.out);
      norm(prefix + "post_attention_layernorm.weight", layer.feed_forward_norm);
      linear(prefix + "mlp.gate_proj.weight", layer.hidden);
      linear(prefix + "mlp.up_proj.weight", layer.up);
      linear(prefix + "mlp.down_proj.weight", layer.output);
    }
    norm("model.norm.weight", layout_.decoder.norm);
    if (layout_.logits.exists()) linear("lm_head.weight", layout_.logits);
  }
  std::span<const TensorView> views() const { return views_; }

 private:
  void add(const std::string& name, std::ptrdiff_t first, int rows, int cols) {
    views_.push_back({name,
                      {static_cast<std::size_t>(rows), static_cast<std::size_t>(cols)},
                      {numbers_ + first, rows, cols, cols},
                      nullptr,
                      true});
  }
  void norm(const std::string& name, const NormSlot& slot) {
    add(name, slot.gain, 1, slot.width);
    views_.back().shape.erase(views_.back().shape.begin());
  }
  /// PyTorch stores the transpose, [out, in].
  void linear(const std::string& name, const LinearSlot& slot) {
    std::vector<float>& transposed = transposed_.emplace_back();
    for (int out = 0; out < slot.n_out; ++out) {
      for (int in = 0; in < slot.n_in; ++in)
        transposed.push_back(numbers_[slot.weight + static_cast<std::ptrdiff_t>(in) * slot.n_out + out]);
    }
    views_.push_back({name,
                      {static_cast<std::size_t>(slot.n_out), static_cast<std::size_t>(slot.n_in)},
                      {transposed.data(), slot.n_out, slot.n_in, slot.n_in},
                      nullptr,
                      true});
  }

  const float* numbers_;
  ParameterLayout layout_;
  std::vector<TensorView> views_;
  std::vector<std::vector<float>> transposed_;
};

}  // namespace

Architecture llama_architecture(const Architecture& sizes) {
  Architecture a;
  a.stacks = Stacks::decoder;
  a.norm = Norm::pre;
  a.residual = true;
  a.n_layers = sizes.n_layers;
  a.d_model = sizes.d_model;
  a.n_heads = sizes.n_heads;
  a.n_kv_heads = sizes.kv_heads();
  a.d_head = sizes.head_width();
  a.d_ff = sizes.d_ff;
  a.norm_kind = NormKind::rms;
  a.gated = true;
  a.activation = Activation::silu;
  a.bias = {.query = false, .key = false, .value = false, .output = false, .feed_forward = false};
  a.positions = Positions::rotary;
  a.rotary.pairing = RotaryPairing::halves;
  a.output_layer = sizes.output_layer;
  a.foreign.context = sizes.foreign.context;
  a.seed = sizes.seed;
  a.init = sizes.init;
  return a;
}

Result<void> save_language_model(const std::filesystem::path& folder, const LanguageModel& model,
                                 std::span<const TensorView> state, const TensorMetadata& state_metadata) {
  const Tensors tensors(model);
  constexpr int indent = 2;
  const auto text = [](const OrderedJson& json) {
    return json.dump(indent, ' ', false, OrderedJson::error_handler_t::replace) + "\n";
  };
  auto files = AtomicFolder::create(folder);
  if (!files) return tl::unexpected(files.error());
  const std::filesystem::path& apart = files->apart();
  const OrderedJson generation{{"bos_token_id", begin_piece}, {"eos_token_id", end_piece}};
  for (const auto& [name, content] :
       {std::pair<const char*, std::string>("config.json", text(config_of(model))),
        {"generation_config.json", text(generation)},
        {"tokenizer_config.json", text(tokenizer_config())},
        {"tokenizer.json", tokenizer_json_file(model.pieces)},
        {"tokenizer.model", sentencepiece_file(model.pieces)}}) {
    if (auto written = write_atomically(apart / name, content); !written)
      return files->failed(written.error());
  }
  if (auto written = write_safetensors(apart / "model.safetensors", tensors.views(), {{"format", "pt"}});
      !written)
    return files->failed(written.error());
  if (!state.empty()) {
    if (auto written = write_safetensors(apart / training_state_name, state, state_metadata); !written)
      return files->failed(written.error());
  }
  if (auto done = files->commit(); !done) return done;
  std::error_code ignored;  // A state that stays is only larger than needed.
  if (state.empty()) std::filesystem::remove(folder / training_state_name, ignored);
  return {};
}

}  // namespace headscope
