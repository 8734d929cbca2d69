#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/checkpoint/family.h"
#include "core/checkpoint/foreign_model.h"
#include "core/checkpoint/gguf_layouts.h"
#include "core/io/gguf.h"
#include "core/model/rotary.h"
#include "core/system/mapped_file.h"
#include "core/text/utf8.h"
#include "core/tokenizers/open_tokenizer.h"

namespace headscope {
namespace {

using Json = nlohmann::json;
using Names = std::string_view;

/// A number of the metadata, whose key follows the name of the architecture, and its name in config.json,
/// with the object that holds it there.
struct MetadataRule {
  Names key;
  Names config;
  bool is_whole = true;
  bool is_needed = false;
  bool is_flag = false;  ///< Whether it is true or false instead of a number.
};

constexpr std::array metadata_rules{
    MetadataRule{"block_count", "num_hidden_layers", true, true},
    MetadataRule{"embedding_length", "hidden_size", true, true},
    MetadataRule{"feed_forward_length", "intermediate_size", true, true},
    MetadataRule{"feed_forward_length", "n_inner", true, true},
    MetadataRule{"attention.head_count", "num_attention_heads", true, true},
    MetadataRule{"context_length", "max_position_embeddings", true, true},
    MetadataRule{"decoder_block_count", "num_decoder_layers"},
    MetadataRule{"feed_forward_length", "ffn_hidden_size"},
    MetadataRule{"feed_forward_length", "d_ff"},
    MetadataRule{"attention.head_count_kv", "num_key_value_heads"},
    MetadataRule{"attention.head_count_kv", "num_kv_heads"},
    MetadataRule{"attention.key_length", "head_dim"},
    MetadataRule{"attention.key_length", "d_kv"},
    MetadataRule{"attention.key_length_mla", "qk_head_dim"},
    MetadataRule{"attention.value_length", "v_head_dim"},
    MetadataRule{"attention.value_length_mla", "v_head_dim"},
    MetadataRule{"rope.dimension_count", "qk_rope_head_dim"},
    MetadataRule{"expert_gating_func", "expert_gating_func"},
    MetadataRule{"attention.q_lora_rank", "q_lora_rank"},
    MetadataRule{"attention.kv_lora_rank", "kv_lora_rank"},
    MetadataRule{"attention.relative_buckets_count", "relative_attention_num_buckets"},
    MetadataRule{"attention.max_alibi_bias", "attn_config.alibi_bias_max"},
    MetadataRule{"attention.clamp_kqv", "attn_config.clip_qkv", false},
    MetadataRule{"attention.sliding_window", "sliding_window"},
    MetadataRule{"attention.sliding_window", "local_attention"},
    MetadataRule{"attention.layer_norm_rms_epsilon", "layer_norm_epsilon", false},
    MetadataRule{"attention.layer_norm_rms_epsilon", "rms_norm_eps", false},
    MetadataRule{"attention.layer_norm_epsilon", "layer_norm_eps", false},
    MetadataRule{"attention.layer_norm_epsilon", "layer_norm_epsilon", false},
    MetadataRule{"attention.layer_norm_epsilon", "norm_epsilon", false},
    MetadataRule{"attention.layer_norm_epsilon", "norm_eps", false},
    MetadataRule{"rope.freq_base", "rope_theta", false},
    MetadataRule{"rope.global.freq_base", "rope_theta", false},
    MetadataRule{"rope.freq_base_swa", "rope_local_base_freq", false},
    MetadataRule{"rope.freq_base_swa", "local_rope_theta", false},
    MetadataRule{"rope.local.freq_base", "rope_local_base_freq", false},
    MetadataRule{"attn_logit_softcapping", "attn_logit_softcapping", false},
    MetadataRule{"final_logit_softcapping", "final_logit_softcapping", false},
    MetadataRule{"expert_count", "num_local_experts"},
    MetadataRule{"expert_count", "num_experts"},
    MetadataRule{"expert_count", "n_routed_experts"},
    MetadataRule{"expert_used_count", "num_experts_per_tok"},
    MetadataRule{"expert_feed_forward_length", "moe_intermediate_size"},
    MetadataRule{"expert_shared_feed_forward_length", "shared_expert_intermediate_size"},
    MetadataRule{"expert_shared_count", "n_shared_experts"},
    MetadataRule{"expert_group_count", "n_group"},
    MetadataRule{"expert_group_used_count", "topk_group"},
    MetadataRule{"expert_weights_scale", "routed_scaling_factor", false},
    MetadataRule{"expert_weights_norm", "norm_topk_prob", false, false, true},
    MetadataRule{"leading_dense_block_count", "first_k_dense_replace"},
    MetadataRule{"use_parallel_residual", "use_parallel_residual", false, false, true},
    MetadataRule{"embedding_scale", "embedding_multiplier", false},
    MetadataRule{"residual_scale", "residual_multiplier", false},
    MetadataRule{"attention.scale", "attention_multiplier", false},
    MetadataRule{"logit_scale", "logits_scaling", false},
    MetadataRule{"logit_scale", "logit_scale", false},
};

/// Reads the metadata of one architecture.
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
      refuse(failure("its " + key(name) +
                     (is_whole ? " is not a whole number from 0 to 67,108,864" : " is not a number")));
    }
    if (std::ranges::any_of(numbers, differs))
      refuse(failure("its " + key(name) + " differs between layers, which is not supported"));
    return is_whole ? Json(static_cast<int>(numbers.front())) : Json(numbers.front());
  }
  bool flag(Names name) {
    const auto value = file_.flag(key(name));
    if (!value) refuse(failure("its " + key(name) + " is not true or false"));
    return *value;
  }
  int whole(Names name, int fallback) { return has(name) ? number(name, true).get<int>() : fallback; }
  /// The keys of the file, by those of config.json.
  std::map<std::string, std::string> names() const {
    std::map<std::string, std::string> keys;
    for (const MetadataRule& rule : metadata_rules)
      if (file_.find(key(rule.key)) != nullptr) keys.emplace(rule.config, key(rule.key));
    for (const Names name : {"rope.scale_linear", "rope.scaling.factor"})
      if (file_.find(key(name)) != nullptr) keys.insert_or_assign("rope_scaling.factor", key(name));
    for (const char* object : {"", "rope_scaling."})
      keys.emplace(object + std::string("original_max_position_embeddings"),
                   key("rope.scaling.original_context_length"));
    return keys;
  }
  /// The keys of the architecture that were never read, or that became keys of a configuration that its
  /// family did not read.
  std::vector<std::string> unknown(const ModelConfig& config) const {
    // The shapes of tensors, the layout and the tokenizer give the first ones, and families that do not read
    // the length of the context have no limit.
    constexpr std::array harmless{Names("vocab_size"),
                                  Names("attention.value_length"),
                                  Names("attention.head_count_kv"),
                                  Names("feed_forward_length"),
                                  Names("expert_feed_forward_length"),
                                  Names("expert_gating_func"),
                                  Names("decoder_start_token_id"),
                                  Names("token_type_count"),
                                  Names("context_length"),
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
      const bool is_known = std::ranges::any_of(metadata_rules, is_it)
                                ? std::ranges::any_of(metadata_rules, is_read)
                                : read_keys_.contains(key);
      if (!is_known && std::ranges::find(harmless, name) == harmless.end()) keys.push_back(valid_utf8(key));
    }
    return keys;
  }

 private:
  const Gguf& file_;
  std::string prefix_;
  std::set<std::string> read_keys_;
};

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
  constexpr Names type_key = "rope.scaling.type";
  const auto type = metadata.has(type_key) ? file.text(metadata.key(type_key)) : std::nullopt;
  if (type ? *type != "none" : scaling.contains("factor"))
    scaling["rope_type"] = type ? std::string(*type) : std::string("linear");
  if (metadata.has("rope.scaling.original_context_length")) {
    const int length = metadata.whole("rope.scaling.original_context_length", 0);
    scaling["original_max_position_embeddings"] = config["original_max_position_embeddings"] = length;
  }
  for (const Names name : {"beta_fast", "beta_slow"}) {
    const std::string key = "rope.scaling.yarn_" + std::string(name);
    if (metadata.has(key)) scaling[std::string(name)] = metadata.number(key, false);
  }
  // The file has a tenth of DeepSeek's mscale_all_dim. With mscale equal to it, only the scale of the scores
  // changes.
  if (constexpr Names log = "rope.scaling.yarn_log_multiplier"; metadata.has(log))
    scaling["mscale"] = scaling["mscale_all_dim"] = metadata.number(log, false).get<double>() * 10.0;
  if (has_tensor(file, "rope_factors_short.weight")) {
    scaling["rope_type"] = "longrope";
    scaling["short_factor"] = vector_named(file, "rope_factors_short.weight");
    if (metadata.has("rope.scaling.attn_factor"))
      scaling["attention_factor"] = metadata.number("rope.scaling.attn_factor", false);
  } else if (metadata.has("rope.scaling.attn_factor") &&
             metadata.number("rope.scaling.attn_factor", false) != 1.0) {
    refuse(failure("its " + metadata.key("rope.scaling.attn_factor") +
                   " is not 1, which is supported with factors for short and long contexts only"));
  }
  if (scaling.contains("rope_type")) config["rope_scaling"] = scaling;
}

/// Adds which layers have a window, and whether any token sees the later ones.
void add_mask(const Gguf& file, MetadataReader& metadata, Json& config) {
  constexpr Names causal = "attention.causal", pattern = "attention.sliding_window_pattern";
  if (metadata.has(causal)) config["is_causal"] = metadata.flag(causal);
  if (!metadata.has(pattern)) return;
  const std::vector<double> slides_by_layer = file.numbers(metadata.key(pattern));
  if (slides_by_layer.empty()) config["sliding_window_pattern"] = metadata.number(pattern, true);
  for (const double each : slides_by_layer)
    config["layer_types"].push_back(each != 0.0 ? "sliding_attention" : "full_attention");
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
void set_llama3(const Gguf& file, Architecture& a) {
  const std::vector<float> divisors = vector_named(file, "rope_freqs.weight");
  if (divisors.empty() || std::ranges::all_of(divisors, [](float each) { return each == 1.0F; })) return;
  constexpr int usual_length = 8192;
  const auto length = file.whole("llama.rope.scaling.original_context_length");
  Rotary scaled = a.rotary;
  scaled.scaling = RotaryScaling::llama3;
  scaled.factor = *std::ranges::max_element(divisors);
  scaled.original_length =
      length && *length <= rotary_limits::max_length ? static_cast<int>(*length) : usual_length;
  if (a.rotary.scaling != RotaryScaling::none ||
      !are_llama3(divisors, a.rotary, scaled, a.head_width(no_layer))) {
    refuse(failure(
        "its rope_freqs.weight divides the angles of rotary positions otherwise than Llama 3 does for contexts longer than " +
        std::to_string(scaled.original_length) + ", which is not supported"));
  }
  a.rotary = scaled;
}

/// The configuration of a model as the config.json of its family would give it. It is an error if the
/// metadata lacks a size that every model has, or if a value has the wrong type.
Json gguf_configuration(const Gguf& file, const GgufLayout& layout, MetadataReader& metadata) {
  Json config = Json::object();
  for (const MetadataRule& rule : metadata_rules) {
    std::string path = "/" + std::string(rule.config);
    std::ranges::replace(path, '.', '/');
    if (metadata.has(rule.key)) {
      config[Json::json_pointer(path)] =
          rule.is_flag ? Json(metadata.flag(rule.key)) : metadata.number(rule.key, rule.is_whole);
    } else if (rule.is_needed) {
      refuse(failure("its metadata has no " + metadata.key(rule.key)));
    }
  }
  if (!config.contains("rms_norm_eps") && !config.contains("layer_norm_eps"))
    refuse(failure("its metadata has neither " + metadata.key("attention.layer_norm_rms_epsilon") + " nor " +
                   metadata.key("attention.layer_norm_epsilon")));
  if (!config.contains("num_key_value_heads")) config["num_key_value_heads"] = config["num_attention_heads"];
  if (!config.contains("head_dim")) config["head_dim"] = nullptr;
  add_rotary(file, metadata, config);
  add_mask(file, metadata, config);
  config["tie_word_embeddings"] = !has_tensor(file, "output.weight");
  config["use_qk_norm"] = config["qk_layernorm"] = has_tensor(file, "blk.0.attn_q_norm.weight");
  if (layout.complete != nullptr) layout.complete(file, config);
  if (!config.contains("rope_theta")) config["rope_theta"] = 10000.0;
  return config;
}

/// Sets the properties that GGUF files express only through their tensors: biases, the final linear layer,
/// segments, and Llama 3's scaling of rotary positions. Refuses rotary positions that the architecture cannot
/// compute.
void set_by_tensors(const Gguf& file, const CheckpointFiles& files, Architecture& a) {
  const auto has_bias = [&](Names tensor) {
    return files.find("blk.0." + std::string(tensor) + ".bias") != nullptr;
  };
  const bool of_all = has_bias("attn_qkv");
  a.bias = {.query = of_all || has_bias("attn_q"),
            .key = of_all || has_bias("attn_k"),
            .value = of_all || has_bias("attn_v"),
            .output = has_bias("attn_output"),
            .feed_forward = has_bias("ffn_down") || has_bias("ffn_down_exps")};
  if (a.output_layer != OutputLayer::tied && files.find("output.weight") != nullptr)
    a.output_layer = OutputLayer::linear;
  a.output_bias = a.output_layer != OutputLayer::none && files.find("output.bias") != nullptr;
  const TensorRef* const segments = files.find("token_types.weight");
  constexpr std::size_t max_segments = 1 << 16;
  if (segments == nullptr) a.foreign.segments = 0;  // DistilBERT's files have the architecture of BERT.
  if (segments != nullptr && segments->shape.size() == 2 && segments->shape[0] <= max_segments)
    a.foreign.segments = static_cast<int>(segments->shape[0]);
  if (a.positions != Positions::rotary) return;
  const std::string key =
      std::string(file.text("general.architecture").value_or("")) + ".rope.dimension_count";
  const auto turned = file.whole(key);
  if (turned && *turned != static_cast<std::uint64_t>(rotated_width(a.rotary, a.head_width(no_layer)))) {
    refuse(failure("its " + key + " is " + std::to_string(*turned) + ", but only " +
                   std::to_string(rotated_width(a.rotary, a.head_width(no_layer))) + " is supported"));
  }
  set_llama3(file, a);
}

namespace fs = std::filesystem;

std::string known_architectures() {
  std::string names;
  for (const GgufLayout& layout : gguf_layouts())
    if (layout.only_with.empty()) names.append(names.empty() ? "" : ", ").append(layout.architecture);
  return names;
}

/// The layout of a file. The error says why none can be used.
const GgufLayout& layout_in(const Gguf& file) {
  constexpr std::string_view key = "general.architecture";
  const auto architecture = file.text(key);
  if (!architecture) refuse(failure("its metadata has no " + std::string(key)));
  const auto layouts = gguf_layouts();
  const auto found = std::ranges::find_if(layouts, [&](const GgufLayout& each) {
    return each.architecture == *architecture &&
           (each.only_with.empty() || file.whole(each.only_with).value_or(0) > each.above);
  });
  if (found != layouts.end()) return *found;
  refuse(failure("its general.architecture is “" + valid_utf8(architecture->substr(0, 80)) +
                 "”, but only these are supported: " + known_architectures()));
}

/// The rows of the embedding table.
int rows_of_table(const CheckpointFiles& files) {
  constexpr std::size_t most = 1 << 24;
  const TensorRef* const table = files.find("token_embd.weight");
  if (table == nullptr) refuse(failure("the tensor token_embd.weight is missing"));
  if (table->shape.size() == 2 && table->shape[0] <= most) return static_cast<int>(table->shape[0]);
  refuse(failure("its tensor token_embd.weight is not a table of 1 to 16,777,216 rows"));
}

/// Refuses another function of the router's logits than the one that the family has.
void check_gating(MetadataReader& metadata, const Architecture& a) {
  constexpr int softmax_of_chosen = 3;  // The same as a softmax of all, divided by the sum of the chosen.
  const int gating = metadata.whole("expert_gating_func", 0);
  if (gating == 0 || !a.foreign.experts) return;
  const Experts& experts = *a.foreign.experts;
  const bool fits = experts.uses_sigmoid
                        ? gating == sigmoid_gating
                        : gating == softmax_gating || (gating == softmax_of_chosen && experts.renormalizes);
  if (fits) return;
  refuse(failure(
      "its " + metadata.key("expert_gating_func") + " is " + std::to_string(gating) +
      ", but its family has " +
      (experts.uses_sigmoid
           ? std::to_string(sigmoid_gating)
           : std::to_string(softmax_gating) +
                 (experts.renormalizes ? " or " + std::to_string(softmax_of_chosen) : std::string()))));
}

/// The architecture of a file. Adds to `unknown` the keys of its metadata that this program does not know.
Architecture architecture_in(const Gguf& file, const CheckpointFiles& files, const GgufLayout& layout,
                             std::vector<std::string>& unknown) {
  MetadataReader metadata(file, layout.architecture);
  const Json json = gguf_configuration(file, layout, metadata);
  ModelConfig config(json, {}, metadata.names());
  Architecture architecture = layout.family.architecture(config, files);
  if (!config.error().empty()) refuse(failure("in its metadata, " + config.error()));
  const bool is_rms = architecture.norm_kind == NormKind::rms;
  if (!json.contains(is_rms ? "rms_norm_eps" : "layer_norm_eps")) {
    refuse(failure("its metadata has no " + std::string(layout.architecture) +
                   (is_rms ? ".attention.layer_norm_rms_epsilon" : ".attention.layer_norm_epsilon")));
  }
  if (metadata.whole("expert_count", 0) > 1 && !architecture.foreign.experts) {
    refuse(failure(
        "it has experts (" + metadata.key("expert_count") +
        "), but in its family, only models whose tokens all go through the same layers can be opened"));
  }
  check_gating(metadata, architecture);
  if (auto ok = validate(architecture); !ok)
    refuse(failure("in its metadata, " + config.in_keys(ok.error().message)));
  unknown = metadata.unknown(config);
  set_by_tensors(file, files, architecture);
  ensure(validate(architecture));
  return architecture;
}

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
void add_parts(const fs::path& path, Gguf& gguf, std::vector<MappedFile>& files) {
  constexpr std::uint64_t max_parts = 1000;
  const std::uint64_t n_parts = gguf.whole("split.count").value_or(1);
  if (n_parts <= 1) return;
  const std::string name = path.filename().string(), end = end_of_part(1, n_parts);
  if (n_parts > max_parts || !name.ends_with(end))
    refuse(failure("it is one of " + std::to_string(n_parts) +
                   " parts of a model: open the first, whose name ends in " + end +
                   ", with the others beside it"));
  for (std::uint64_t part = 2; part <= n_parts; ++part) {
    files.push_back(MappedFile::open(path.parent_path() /
                                     (name.substr(0, name.size() - end.size()) + end_of_part(part, n_parts)))
                        .value());
    gguf.add_part(result_of("in '" + files.back().path().string() + "', ", [&] {
                    return Gguf::parse(files.back().bytes()).value();
                  }).value());
  }
}

}  // namespace

Result<ForeignModel> read_gguf_headers(const fs::path& path) {
  return result_of([&] {
    std::vector<MappedFile> parts;
    parts.push_back(MappedFile::open(path).value());
    const std::string refused = cannot_open_model(path, "").value().message;
    auto [gguf, layout] = result_of(refused, [&] {
                            Gguf all = Gguf::parse(parts.front().bytes()).value();
                            add_parts(path, all, parts);
                            const GgufLayout* const used = &layout_in(all);
                            return std::pair(std::move(all), used);
                          }).value();
    CheckpointFiles files = CheckpointFiles::of_files(std::move(parts), gguf.tensors()).value();
    split_experts(layout->family, files);
    return result_of(
               refused,
               [&, &gguf = gguf, &layout = layout] {
                 ForeignModel model;
                 model.path = path;
                 model.family = &layout->family;
                 model.architecture = architecture_in(gguf, files, *layout, model.unknown_keys);
                 model.vocabulary = rows_of_table(files);
                 if (model.architecture.stacks == Stacks::encoder_decoder) {
                   const auto start =
                       gguf.whole(std::string(layout->architecture) + ".decoder_start_token_id").value_or(0);
                   if (start >= static_cast<std::uint64_t>(model.vocabulary))
                     refuse(failure("its decoder_start_token_id is not an id of its " +
                                    std::to_string(model.vocabulary) + " tokens"));
                   model.decoder_start = static_cast<int>(start);
                 }
                 model.files = std::make_shared<const CheckpointFiles>(std::move(files));
                 model.embedded_name = valid_utf8(gguf.text("general.name").value_or("").substr(0, 200));
                 model.tokenizer = [gguf = std::move(gguf)] { return gguf_tokenizer(gguf); };
                 return model;
               })
        .value();
  });
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
