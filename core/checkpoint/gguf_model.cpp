#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/checkpoint/family.h"
#include "core/checkpoint/foreign_model.h"
#include "core/io/gguf.h"
#include "core/model/rotary.h"
#include "core/system/mapped_file.h"
#include "core/text/utf8.h"
#include "core/tokenizers/open_tokenizer.h"

namespace headscope {
namespace {

/// A family as GGUF files store its models. llama.cpp calls this an architecture.
struct GgufLayout {
  std::string_view architecture;  ///< general.architecture
  Family family;                  ///< The family, with the rules and the unused tensors of GGUF files.
  /// Adds to a configuration the values that the family reads but that only files of this architecture
  /// express differently. Null if there are none.
  void (*complete)(nlohmann::json& config) = nullptr;
  /// A key with a number above 0 that distinguishes these files from others of the architecture. Empty if
  /// there are no others.
  std::string_view only_with = {};
};

using Json = nlohmann::json;
using Names = std::string_view;
using enum StoredAs;
using enum StoredPart;

/// A number of the metadata, whose key follows the name of the architecture, and its name in config.json.
struct MetadataRule {
  Names key;
  Names config;
  bool is_whole = true;
  bool is_needed = false;
};

constexpr std::array metadata_rules{
    MetadataRule{"block_count", "num_hidden_layers", true, true},
    MetadataRule{"embedding_length", "hidden_size", true, true},
    MetadataRule{"feed_forward_length", "intermediate_size", true, true},
    MetadataRule{"feed_forward_length", "n_inner", true, true},
    MetadataRule{"attention.head_count", "num_attention_heads", true, true},
    MetadataRule{"context_length", "max_position_embeddings", true, true},
    MetadataRule{"attention.head_count_kv", "num_key_value_heads"},
    MetadataRule{"attention.key_length", "head_dim"},
    MetadataRule{"attention.sliding_window", "sliding_window"},
    MetadataRule{"attention.layer_norm_rms_epsilon", "rms_norm_eps", false},
    MetadataRule{"attention.layer_norm_epsilon", "layer_norm_eps", false},
    MetadataRule{"attention.layer_norm_epsilon", "layer_norm_epsilon", false},
    MetadataRule{"attention.layer_norm_epsilon", "norm_epsilon", false},
    MetadataRule{"rope.freq_base", "rope_theta", false},
    MetadataRule{"rope.global.freq_base", "rope_theta", false},
    MetadataRule{"rope.freq_base_swa", "rope_local_base_freq", false},
    MetadataRule{"rope.local.freq_base", "rope_local_base_freq", false},
    MetadataRule{"attn_logit_softcapping", "attn_logit_softcapping", false},
    MetadataRule{"final_logit_softcapping", "final_logit_softcapping", false},
    MetadataRule{"expert_count", "num_local_experts"},
    MetadataRule{"expert_count", "num_experts"},
    MetadataRule{"expert_used_count", "num_experts_per_tok"},
    MetadataRule{"expert_feed_forward_length", "moe_intermediate_size"},
    MetadataRule{"expert_shared_feed_forward_length", "shared_expert_intermediate_size"},
    MetadataRule{"embedding_scale", "embedding_multiplier", false},
    MetadataRule{"residual_scale", "residual_multiplier", false},
    MetadataRule{"attention.scale", "attention_multiplier", false},
    MetadataRule{"logit_scale", "logits_scaling", false},
    MetadataRule{"logit_scale", "logit_scale", false},
};

/// Reads the metadata of one architecture and records the first error.
class MetadataReader {
 public:
  MetadataReader(const Gguf& file, Names architecture) : file_(file), prefix_(architecture) {
    prefix_ += '.';
  }

  std::string key(Names name) const { return prefix_ + std::string(name); }
  bool has(Names name) {
    read_keys_.insert(key(name));
    return file_.find(key(name)) != nullptr;
  }
  /// Returns a number, or the common value of a list with one number per layer. 0 if the key is missing.
  Json number(Names name, bool is_whole) {
    const GgufValue* const value = file_.find(key(name));
    if (value == nullptr) return 0;
    std::vector<double> numbers = file_.numbers(key(name));
    if (const auto whole = file_.whole(key(name))) numbers = {static_cast<double>(*whole)};
    if (const auto* const decimal = std::get_if<double>(value)) numbers = {*decimal};
    constexpr double max_whole = 1 << 26, most = std::numeric_limits<float>::max();
    const auto fits = [&](double each) {
      if (is_whole) return each >= 0.0 && each <= max_whole && each == std::floor(each);
      return std::abs(each) <= most;
    };
    const auto differs = [&](double each) { return each != numbers.front(); };
    if (numbers.empty() || !std::ranges::all_of(numbers, fits)) {
      fail("its " + key(name) +
           (is_whole ? " is not a whole number from 0 to 67,108,864" : " is not a number"));
    } else if (std::ranges::any_of(numbers, differs)) {
      fail("its " + key(name) + " differs between layers, which is not supported");
    } else {
      return is_whole ? Json(static_cast<int>(numbers.front())) : Json(numbers.front());
    }
    return 0;
  }
  int whole(Names name, int fallback) { return has(name) ? number(name, true).get<int>() : fallback; }
  void fail(const std::string& why) {
    if (error_.empty()) error_ = why;
  }
  const std::string& error() const { return error_; }
  /// The keys of the architecture that were never read, or that became keys of a configuration that its
  /// family did not read.
  std::vector<std::string> unknown(const ModelConfig& config) const {
    constexpr std::array harmless{Names("vocab_size"),
                                  Names("attention.value_length"),  // The shapes of the tensors give it.
                                  Names("pooling_type"),
                                  Names("rope.dimension_count"),
                                  Names("rope.scaling.finetuned"),
                                  Names("tensor_data_layout")};
    std::vector<std::string> keys;
    for (const auto& [key, value] : file_.metadata()) {
      if (!key.starts_with(prefix_)) continue;
      const Names name = Names(key).substr(prefix_.size());
      const auto is_it = [&](const MetadataRule& rule) { return rule.key == name; };
      const auto is_read = [&](const MetadataRule& rule) {
        return is_it(rule) && config.was_read(std::string(rule.config));
      };
      const bool is_known =
          std::ranges::any_of(metadata_rules, is_it)
              ? std::ranges::any_of(metadata_rules, is_read)
              : read_keys_.contains(key) || std::ranges::find(harmless, name) != harmless.end();
      if (!is_known) keys.push_back(valid_utf8(key));
    }
    return keys;
  }

 private:
  const Gguf& file_;
  std::string prefix_;
  std::set<std::string> read_keys_;
  std::string error_;
};

bool has_tensor(const Gguf& file, Names name) {
  return std::ranges::find(file.tensors(), name, &TensorRef::name) != file.tensors().end();
}

/// The width of a head.
double width_of_head(const Json& config) {
  if (config["head_dim"].is_number()) return config["head_dim"].get<double>();
  return config["hidden_size"].get<double>() / std::max(config["num_attention_heads"].get<double>(), 1.0);
}

/// The numbers of a vector. Empty if there is no such tensor.
std::vector<float> vector_named(const Gguf& file, Names name) {
  std::vector<float> numbers;
  const auto found = std::ranges::find(file.tensors(), name, &TensorRef::name);
  if (found == file.tensors().end() || !found->is_weight()) return numbers;
  numbers.resize(found->size());
  read_numbers(*found, 0, numbers.size(), numbers.data());
  return numbers;
}

/// Adds the scaling of rotary positions, which newer files give with its type and older ones only as a
/// factor.
void add_rotary(const Gguf& file, MetadataReader& metadata, Json& config) {
  const double width = width_of_head(config);
  if (metadata.has("rope.dimension_count") && width > 0.0)
    config["partial_rotary_factor"] = metadata.whole("rope.dimension_count", 0) / width;
  Json scaling = Json::object();
  for (const Names name : {"rope.scale_linear", "rope.scaling.factor"}) {
    if (metadata.has(name)) scaling["factor"] = metadata.number(name, false);
  }
  // A factor without a type is that of linear scaling.
  const auto type = file.text(metadata.key("rope.scaling.type"));
  if (type ? *type != "none" : scaling.contains("factor"))
    scaling["rope_type"] = type ? std::string(*type) : std::string("linear");
  if (metadata.has("rope.scaling.original_context_length")) {
    const int length = metadata.whole("rope.scaling.original_context_length", 0);
    scaling["original_max_position_embeddings"] = config["original_max_position_embeddings"] = length;
  }
  if (has_tensor(file, "rope_factors_short.weight")) {
    scaling["rope_type"] = "longrope";
    scaling["short_factor"] = vector_named(file, "rope_factors_short.weight");
    if (metadata.has("rope.scaling.attn_factor"))
      scaling["attention_factor"] = metadata.number("rope.scaling.attn_factor", false);
  } else if (metadata.has("rope.scaling.attn_factor") &&
             metadata.number("rope.scaling.attn_factor", false) != 1.0) {
    metadata.fail("its " + metadata.key("rope.scaling.attn_factor") +
                  " is not 1, which is supported with factors for short and long contexts only");
  }
  if (scaling.contains("rope_type")) config["rope_scaling"] = scaling;
}

/// Adds which layers have a window, and whether any token sees the later ones.
void add_mask(const Gguf& file, MetadataReader& metadata, Json& config) {
  constexpr Names causal = "attention.causal", pattern = "attention.sliding_window_pattern";
  if (metadata.has(causal)) {
    const auto is_causal = file.flag(metadata.key(causal));
    if (!is_causal) metadata.fail("its " + metadata.key(causal) + " is not true or false");
    config["is_causal"] = is_causal.value_or(true);
  }
  if (!metadata.has(pattern)) return;
  const std::vector<double> slides_by_layer = file.numbers(metadata.key(pattern));
  if (slides_by_layer.empty()) config["sliding_window_pattern"] = metadata.number(pattern, true);
  for (const double each : slides_by_layer)
    config["layer_types"].push_back(each != 0.0 ? "sliding_attention" : "full_attention");
}

/// Adds the scale of the scores, which is not in the file. Only the largest model, which is recognised by its
/// number of layers, does not divide scores by the square root of a head's width.
void complete_gemma(Json& config, int layers_of_largest) {
  const bool is_largest = config["num_hidden_layers"] == layers_of_largest;
  const double of_all =
      config["hidden_size"].get<double>() / std::max(config["num_attention_heads"].get<double>(), 1.0);
  config["query_pre_attn_scalar"] = is_largest ? of_all : width_of_head(config);
}

void complete_gemma2(Json& config) {
  complete_gemma(config, 46);
}

void complete_gemma3(Json& config) {
  if (!config.contains("rope_theta")) config["rope_theta"] = 1e6;
  if (!config.contains("sliding_window")) config["sliding_window"] = 0;
  complete_gemma(config, 62);
}

void complete_qwen3_moe(Json& config) {
  config["norm_topk_prob"] = true;
}

/// YaRN does not round in this family.
void complete_gpt_oss(Json& config) {
  if (config.contains("rope_scaling")) config["rope_scaling"]["truncate"] = false;
}

/// Parameters that have the same names in all layouts. A layer has only some of them. If two tensors are
/// listed for one parameter, the first that a file has is used. For example, files with norms after the
/// sublayers, as in BERT, have none before them.
constexpr auto common_rules = rules({
    {"embedding.table", "token_embd.weight"},
    {"positions.table", "position_embd.weight"},
    {"segments.table", "token_types.weight"},
    {"embedding.norm.gain", "token_embd_norm.weight"},
    {"layers.{l}.self.norm.gain", "blk.{l}.attn_norm.weight"},
    {"layers.{l}.self.norm.gain", "blk.{l}.attn_output_norm.weight"},
    {"layers.{l}.self.W_Q", "blk.{l}.attn_q.weight"},
    {"layers.{l}.self.W_Q", "blk.{l}.attn_qkv.weight", query},
    {"layers.{l}.self.W_K", "blk.{l}.attn_k.weight"},
    {"layers.{l}.self.W_K", "blk.{l}.attn_qkv.weight", key},
    {"layers.{l}.self.W_V", "blk.{l}.attn_v.weight"},
    {"layers.{l}.self.W_V", "blk.{l}.attn_qkv.weight", value},
    {"layers.{l}.self.query_norm.gain", "blk.{l}.attn_q_norm.weight"},
    {"layers.{l}.self.key_norm.gain", "blk.{l}.attn_k_norm.weight"},
    {"layers.{l}.self.W_O", "blk.{l}.attn_output.weight"},
    {"layers.{l}.self.output_norm.gain", "blk.{l}.post_attention_norm.weight"},
    {"layers.{l}.feed_forward.norm.gain", "blk.{l}.ffn_norm.weight"},
    {"layers.{l}.feed_forward.norm.gain", "blk.{l}.layer_output_norm.weight"},
    {"layers.{l}.feed_forward.W_1", "blk.{l}.ffn_gate.weight"},
    {"layers.{l}.feed_forward.W_1", "blk.{l}.ffn_up.weight"},
    {"layers.{l}.feed_forward.W_up", "blk.{l}.ffn_up.weight"},
    {"layers.{l}.feed_forward.W_2", "blk.{l}.ffn_down.weight"},
    {"layers.{l}.feed_forward.output_norm.gain", "blk.{l}.post_ffw_norm.weight"},
    {"norm.gain", "output_norm.weight"},
    {"logits.W", "output.weight"},
});

/// Llama's rotary positions pair neighbouring dimensions in these files, but the two halves of a head in the
/// family's architecture.
constexpr auto neighbour_rules = rules({
    {"layers.{l}.self.W_Q", "blk.{l}.attn_q.weight", neighbours_of_head},
    {"layers.{l}.self.W_K", "blk.{l}.attn_k.weight", neighbours_of_head},
});
constexpr auto llama_gguf_rules = joined(neighbour_rules, common_rules);
/// The norms of whole layers may lack a bias, and those of queries and keys have a gain for each head.
constexpr auto layer_norm_gguf_rules =
    joined(rules({
               optional_bias("layers.{l}.self.norm.bias", "blk.{l}.attn_norm.bias"),
               optional_bias("layers.{l}.feed_forward.norm.bias", "blk.{l}.ffn_norm.bias"),
               optional_bias("norm.bias", "output_norm.bias"),
               {"layers.{l}.self.query_norm.gain", "blk.{l}.attn_q_norm.weight", whole, heads_out},
               {"layers.{l}.self.key_norm.gain", "blk.{l}.attn_k_norm.weight", whole, heads_out},
           }),
           common_rules);
constexpr auto expert_gguf_rules =
    joined(rules({
               {"layers.{l}.feed_forward.router.W", "blk.{l}.ffn_gate_inp.weight"},
               {"layers.{l}.feed_forward.W_1", "blk.{l}.ffn_gate_exps.weight.{e}"},
               {"layers.{l}.feed_forward.W_up", "blk.{l}.ffn_up_exps.weight.{e}"},
               {"layers.{l}.feed_forward.W_2", "blk.{l}.ffn_down_exps.weight.{e}"},
               {"layers.{l}.feed_forward.b_1", "blk.{l}.ffn_gate_exps.bias"},
               {"layers.{l}.feed_forward.b_up", "blk.{l}.ffn_up_exps.bias"},
               {"layers.{l}.feed_forward.B_2", "blk.{l}.ffn_down_exps.bias"},
               {"layers.{l}.feed_forward.shared_gate.W", "blk.{l}.ffn_gate_inp_shexp.weight"},
               {"layers.{l}.feed_forward.shared.W_1", "blk.{l}.ffn_gate_shexp.weight"},
               {"layers.{l}.feed_forward.shared.W_up", "blk.{l}.ffn_up_shexp.weight"},
               {"layers.{l}.feed_forward.shared.W_2", "blk.{l}.ffn_down_shexp.weight"},
           }),
           common_rules);
/// Early files have tensors for each expert.
constexpr auto mixtral_gguf_rules = joined(neighbour_rules, expert_gguf_rules,
                                           rules({
                                               {"layers.{l}.feed_forward.W_1", "blk.{l}.ffn_gate.{e}.weight"},
                                               {"layers.{l}.feed_forward.W_up", "blk.{l}.ffn_up.{e}.weight"},
                                               {"layers.{l}.feed_forward.W_2", "blk.{l}.ffn_down.{e}.weight"},
                                           }));
constexpr auto gpt_oss_gguf_rules =
    joined(rules({
               {"layers.{l}.self.sink", "blk.{l}.attn_sinks.weight"},
               {"layers.{l}.feed_forward.norm.gain", "blk.{l}.post_attention_norm.weight"},
           }),
           expert_gguf_rules);
constexpr auto phi3_gguf_rules =
    joined(rules({
               {"layers.{l}.feed_forward.W_1", "blk.{l}.ffn_up.weight", first_half},
               {"layers.{l}.feed_forward.W_up", "blk.{l}.ffn_up.weight", second_half},
           }),
           common_rules);

/// Tensors whose numbers become part of the architecture, and heads for other tasks.
constexpr std::array gguf_unused{Names("rope_freqs.weight"), Names("rope_factors_*.weight"),
                                 Names("blk.*.attn_rot_embd"), Names("blk.*.rope_freqs.weight"),
                                 Names("cls.*")};

GgufLayout gguf_layout(Names architecture, Names model_type, std::span<const TensorRule> rules,
                       void (*complete)(Json&) = nullptr, Names only_with = {}) {
  const auto is_it = [&](const Family& family) {
    return std::ranges::find(family.model_types, model_type) != family.model_types.end();
  };
  Family family = *std::ranges::find_if(families(), is_it);
  family.prefixes = no_prefix;
  family.rules = rules;
  family.unused = gguf_unused;
  family.configuration = "its metadata";
  return {architecture, family, complete, only_with};
}

/// Whether the divisors of the rotary frequencies are those of Llama 3's scaling with the largest divisor as
/// its factor.
bool are_llama3(const std::vector<float>& divisors, const Rotary& plain, const Rotary& scaled, int width) {
  constexpr double rounding = 1e-5;
  const RotaryFrequencies before = rotary_frequencies(plain, width);
  const RotaryFrequencies after = rotary_frequencies(scaled, width);
  if (before.frequencies.size() != divisors.size()) return false;
  for (std::size_t i = 0; i < divisors.size(); ++i) {
    const double ratio = before.frequencies[i] / after.frequencies[i] / static_cast<double>(divisors[i]);
    if (!(std::abs(ratio - 1.0) <= rounding)) return false;
  }
  return true;
}

/// Sets Llama 3's scaling. Its factor is not in the metadata but follows from the divisors of the
/// frequencies.
Result<void> set_llama3(const Gguf& file, Architecture& a) {
  const std::vector<float> divisors = vector_named(file, "rope_freqs.weight");
  if (divisors.empty() || std::ranges::all_of(divisors, [](float each) { return each == 1.0F; })) return {};
  constexpr int usual_length = 8192;
  const auto length = file.whole("llama.rope.scaling.original_context_length");
  Rotary scaled = a.rotary;
  scaled.scaling = RotaryScaling::llama3;
  scaled.factor = *std::ranges::max_element(divisors);
  scaled.original_length =
      length && *length <= RotaryLimits::max_length ? static_cast<int>(*length) : usual_length;
  if (a.rotary.scaling != RotaryScaling::none || !are_llama3(divisors, a.rotary, scaled, a.head_width())) {
    return failure(
        "its rope_freqs.weight divides the angles of rotary positions otherwise than Llama 3 does for contexts longer than " +
        std::to_string(scaled.original_length) + ", which is not supported");
  }
  a.rotary = scaled;
  return {};
}

std::span<const GgufLayout> gguf_layouts() {
  static const std::vector<GgufLayout> all{
      gguf_layout("llama", "mixtral", mixtral_gguf_rules, nullptr, "llama.expert_count"),
      gguf_layout("llama", "llama", llama_gguf_rules),
      gguf_layout("qwen2", "qwen2", common_rules),
      gguf_layout("qwen3", "qwen3", common_rules),
      gguf_layout("gemma", "gemma", common_rules),
      gguf_layout("gemma2", "gemma2", common_rules, complete_gemma2),
      gguf_layout("gemma3", "gemma3_text", common_rules, complete_gemma3),
      gguf_layout("phi2", "phi", common_rules),
      gguf_layout("phi3", "phi3", phi3_gguf_rules),
      gguf_layout("gpt2", "gpt2", common_rules),
      gguf_layout("starcoder2", "starcoder2", common_rules),
      gguf_layout("bert", "bert", common_rules),
      gguf_layout("granite", "granite", llama_gguf_rules),
      gguf_layout("smollm3", "smollm3", llama_gguf_rules),
      gguf_layout("olmo2", "olmo3", common_rules, nullptr, "olmo2.attention.sliding_window"),
      gguf_layout("olmo2", "olmo2", common_rules),
      gguf_layout("stablelm", "stablelm", layer_norm_gguf_rules),
      gguf_layout("command-r", "cohere", layer_norm_gguf_rules),
      gguf_layout("cohere2", "cohere2", layer_norm_gguf_rules),
      gguf_layout("qwen2moe", "qwen2_moe", expert_gguf_rules),
      gguf_layout("qwen3moe", "qwen3_moe", expert_gguf_rules, complete_qwen3_moe),
      gguf_layout("olmoe", "olmoe", expert_gguf_rules),
      gguf_layout("gpt-oss", "gpt_oss", gpt_oss_gguf_rules, complete_gpt_oss),
  };
  return all;
}

/// The configuration of a model as the config.json of its family would give it. It is an error if the
/// metadata lacks a size that every model has, or if a value has the wrong type.
Result<Json> gguf_configuration(const Gguf& file, const GgufLayout& layout, MetadataReader& metadata) {
  Json config = Json::object();
  for (const MetadataRule& rule : metadata_rules) {
    if (metadata.has(rule.key)) {
      config[std::string(rule.config)] = metadata.number(rule.key, rule.is_whole);
    } else if (rule.is_needed) {
      metadata.fail("its metadata has no " + metadata.key(rule.key));
    }
  }
  if (!config.contains("rms_norm_eps") && !config.contains("layer_norm_eps"))
    metadata.fail("its metadata has neither " + metadata.key("attention.layer_norm_rms_epsilon") + " nor " +
                  metadata.key("attention.layer_norm_epsilon"));
  if (!metadata.error().empty()) return failure(metadata.error());
  if (!config.contains("num_key_value_heads")) config["num_key_value_heads"] = config["num_attention_heads"];
  if (!config.contains("head_dim")) config["head_dim"] = nullptr;
  add_rotary(file, metadata, config);
  add_mask(file, metadata, config);
  config["tie_word_embeddings"] = !has_tensor(file, "output.weight");
  config["use_qk_norm"] = config["qk_layernorm"] = has_tensor(file, "blk.0.attn_q_norm.weight");
  if (metadata.has("use_parallel_residual"))
    config["use_parallel_residual"] = file.flag(metadata.key("use_parallel_residual")).value_or(false);
  if (layout.complete != nullptr) layout.complete(config);
  if (!config.contains("rope_theta")) config["rope_theta"] = 10000.0;
  if (!metadata.error().empty()) return failure(metadata.error());
  return config;
}

/// Sets the properties that GGUF files express only through their tensors: biases, the final linear layer,
/// segments, and Llama 3's scaling of rotary positions. Refuses rotary positions that the architecture cannot
/// compute.
Result<void> set_by_tensors(const Gguf& file, const CheckpointFiles& files, Architecture& a) {
  const auto has_bias = [&](Names tensor) {
    return files.find("blk.0." + std::string(tensor) + ".bias") != nullptr;
  };
  const bool of_all = has_bias("attn_qkv");
  a.bias = {.query = of_all || has_bias("attn_q"),
            .key = of_all || has_bias("attn_k"),
            .value = of_all || has_bias("attn_v"),
            .output = has_bias("attn_output"),
            .feed_forward = has_bias("ffn_down") || has_bias("ffn_down_exps")};
  if (files.find("output.weight") != nullptr) a.output_layer = OutputLayer::linear;
  a.output_bias = a.output_layer != OutputLayer::none && files.find("output.bias") != nullptr;
  const TensorRef* const segments = files.find("token_types.weight");
  constexpr std::size_t max_segments = 1 << 16;
  if (segments == nullptr) a.foreign.segments = 0;  // DistilBERT's files have the architecture of BERT.
  if (segments != nullptr && segments->shape.size() == 2 && segments->shape[0] <= max_segments)
    a.foreign.segments = static_cast<int>(segments->shape[0]);
  if (a.positions != Positions::rotary) return {};
  const std::string key =
      std::string(file.text("general.architecture").value_or("")) + ".rope.dimension_count";
  const auto turned = file.whole(key);
  if (turned && *turned != static_cast<std::uint64_t>(rotated_width(a.rotary, a.head_width()))) {
    return failure("its " + key + " is " + std::to_string(*turned) + ", but only " +
                   std::to_string(rotated_width(a.rotary, a.head_width())) + " is supported");
  }
  return set_llama3(file, a);
}

namespace fs = std::filesystem;

std::string known_architectures() {
  std::string names;
  for (const GgufLayout& layout : gguf_layouts())
    if (layout.only_with.empty()) names.append(names.empty() ? "" : ", ").append(layout.architecture);
  return names;
}

/// The layout of a file. The error says why none can be used.
Result<const GgufLayout*> layout_in(const Gguf& file) {
  constexpr std::string_view key = "general.architecture";
  const auto architecture = file.text(key);
  if (!architecture) return failure("its metadata has no " + std::string(key));
  const auto layouts = gguf_layouts();
  const auto found = std::ranges::find_if(layouts, [&](const GgufLayout& each) {
    return each.architecture == *architecture &&
           (each.only_with.empty() || file.whole(each.only_with).value_or(0) > 0);
  });
  if (found != layouts.end()) return &*found;
  return failure("its general.architecture is “" + valid_utf8(architecture->substr(0, 80)) +
                 "”, but only these are supported: " + known_architectures());
}

/// The rows of the embedding table.
Result<int> rows_of_table(const CheckpointFiles& files) {
  constexpr std::size_t most = 1 << 24;
  const TensorRef* const table = files.find("token_embd.weight");
  if (table == nullptr) return failure("the tensor token_embd.weight is missing");
  if (table->shape.size() == 2 && table->shape[0] <= most) return static_cast<int>(table->shape[0]);
  return failure("its tensor token_embd.weight is not a table of 1 to 16,777,216 rows");
}

/// The architecture of a file. Adds to `unknown` the keys of its metadata that this program does not know.
Result<Architecture> architecture_in(const Gguf& file, const CheckpointFiles& files, const GgufLayout& layout,
                                     std::vector<std::string>& unknown) {
  MetadataReader metadata(file, layout.architecture);
  const auto json = gguf_configuration(file, layout, metadata);
  if (!json) return tl::unexpected(json.error());
  ModelConfig config(*json);
  Architecture architecture = layout.family.architecture(config, files);
  if (!config.error().empty()) return failure("in its metadata, " + config.error());
  const bool is_rms = architecture.norm_kind == NormKind::rms;
  if (!json->contains(is_rms ? "rms_norm_eps" : "layer_norm_eps")) {
    return failure("its metadata has no " + std::string(layout.architecture) +
                   (is_rms ? ".attention.layer_norm_rms_epsilon" : ".attention.layer_norm_epsilon"));
  }
  if (metadata.whole("expert_count", 0) > 1 && !architecture.foreign.experts) {
    return failure(
        "it has experts (" + metadata.key("expert_count") +
        "), but in its family, only models whose tokens all go through the same layers can be opened");
  }
  if (auto ok = validate(architecture); !ok) return tl::unexpected(ok.error());
  unknown = metadata.unknown(config);
  if (auto ok = set_by_tensors(file, files, architecture); !ok) return tl::unexpected(ok.error());
  if (auto ok = validate(architecture); !ok) return tl::unexpected(ok.error());
  return architecture;
}

}  // namespace

namespace {

/// “-00001-of-00003.gguf”
std::string end_of_part(std::uint64_t part, std::uint64_t n_parts) {
  const auto padded = [](std::uint64_t number) {
    constexpr std::size_t n_digits = 5;
    const std::string digits = std::to_string(number);
    return std::string(n_digits - std::min(n_digits, digits.size()), '0') + digits;
  };
  return "-" + padded(part) + "-of-" + padded(n_parts) + ".gguf";
}

/// Adds the other parts of a model that gguf-split divided, which lie beside the first.
Result<void> add_parts(const fs::path& path, Gguf& gguf, std::vector<MappedFile>& files) {
  constexpr std::uint64_t max_parts = 1000;
  const std::uint64_t n_parts = gguf.whole("split.count").value_or(1);
  if (n_parts <= 1) return {};
  const std::string name = path.filename().string(), end = end_of_part(1, n_parts);
  if (n_parts > max_parts || !name.ends_with(end))
    return failure("it is one of " + std::to_string(n_parts) +
                   " parts of a model: open the first, whose name ends in " + end +
                   ", with the others beside it");
  for (std::uint64_t part = 2; part <= n_parts; ++part) {
    auto file = MappedFile::open(path.parent_path() /
                                 (name.substr(0, name.size() - end.size()) + end_of_part(part, n_parts)));
    if (!file) return tl::unexpected(file.error());
    const auto read = Gguf::parse(file->bytes());
    if (!read) return failure("in '" + file->path().string() + "', " + read.error().message);
    gguf.add_part(*read);
    files.push_back(std::move(*file));
  }
  return {};
}

}  // namespace

Result<ForeignModel> read_gguf_headers(const fs::path& path) {
  auto mapped = MappedFile::open(path);
  if (!mapped) return tl::unexpected(mapped.error());
  auto gguf = Gguf::parse(mapped->bytes());
  if (!gguf) return cannot_open_model(path, gguf.error().message);
  std::vector<MappedFile> parts;
  parts.push_back(std::move(*mapped));
  if (auto ok = add_parts(path, *gguf, parts); !ok) return cannot_open_model(path, ok.error().message);
  const auto layout = layout_in(*gguf);
  if (!layout) return cannot_open_model(path, layout.error().message);
  auto files = CheckpointFiles::of_files(std::move(parts), gguf->tensors());
  if (!files) return tl::unexpected(files.error());
  split_experts((*layout)->family, *files);
  std::vector<std::string> unknown;
  const auto architecture = architecture_in(*gguf, *files, **layout, unknown);
  if (!architecture) return cannot_open_model(path, architecture.error().message);
  const auto rows = rows_of_table(*files);
  if (!rows) return cannot_open_model(path, rows.error().message);
  std::string embedded_name = valid_utf8(gguf->text("general.name").value_or("").substr(0, 200));
  return ForeignModel{path,
                      &(*layout)->family,
                      std::make_shared<const CheckpointFiles>(std::move(*files)),
                      *architecture,
                      *rows,
                      {},
                      [gguf = std::move(*gguf)] { return gguf_tokenizer(gguf); },
                      std::move(embedded_name),
                      std::move(unknown)};
}

Result<std::string> describe_gguf(const fs::path& file) {
  return read_gguf_headers(file).map([](const ForeignModel& model) {
    const std::string types = model.files->types_text();
    return description_of(model) + " · " + types.substr(0, types.find(':'));
  });
}

Result<std::shared_ptr<const TrainedModel>> open_gguf(const fs::path& file, const std::string& name) {
  const auto model = read_gguf_headers(file);
  if (!model) return tl::unexpected(model.error());
  return load_foreign_model(*model, name).finish();
}

}  // namespace headscope
