#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <limits>

#include "core/checkpoint/family.h"
#include "core/exact_text.h"
#include "core/io/json_text.h"
#include "core/model/rotary.h"
#include "core/text/number_text.h"
#include "core/text/utf8.h"
#include "core/to_float.h"

namespace headscope {
namespace {

using ActivationName = std::pair<std::string_view, Activation>;

/// The supported activations of ACT2FN in transformers. gelu_new, gelu_fast, gelu_accurate and
/// gelu_pytorch_tanh are the same formula.
constexpr std::array activations{ActivationName{"relu", Activation::relu},
                                 ActivationName{"gelu", Activation::gelu},
                                 ActivationName{"gelu_python", Activation::gelu},
                                 ActivationName{"gelu_new", Activation::gelu_tanh},
                                 ActivationName{"gelu_fast", Activation::gelu_tanh},
                                 ActivationName{"gelu_accurate", Activation::gelu_tanh},
                                 ActivationName{"gelu_pytorch_tanh", Activation::gelu_tanh},
                                 ActivationName{"silu", Activation::silu},
                                 ActivationName{"swish", Activation::silu}};

/// Keys that do not affect the numbers of a pass: names, special tokens, dropout, initial weights, training,
/// sampling, heads for other tasks, storage, and parts for pictures and sounds. Each is a pattern with '*',
/// followed by '=' and the only harmless value as JSON, unless every value is.
constexpr auto harmless_keys = std::to_array<std::string_view>(
    {"_name_or_path", "_commit_hash", "model_type", "architectures", "auto_map", "transformers_version",
     "transformers.js_config", "unsloth_*", "is_llama_config", "tokenizer_*", "*_token", "*_token_id",
     "*_token_ids", "*_token_index", "prefix", "vocab", "vocab_size", "pad_vocab_size_multiple",
     "torch_dtype", "dtype", "torchscript", "use_bfloat16", "tf_legacy_loss", "*attn_implementation*",
     "*flash_attn*", "*dropout", "*dropout_prob", "*dropout_rate", "*_pdrop", "dropout*", "*layerdrop",
     "bias_dropout_fusion", "neftune_noise_alpha", "init*_range", "init*_factor", "init_std", "init_method",
     "init_mode", "init_weights", "init_config", "init_device", "weight_init_mode", "seed",
     "gradient_checkpointing", "chunk_size_feed_forward", "pretraining_tp", "use_cache",
     "cache_implementation", "output_attentions", "output_hidden_states", "output_past", "output_scores",
     "renormalize_logits", "force_bos_token_to_be_generated", "save_step", "return_dict*", "problem_type",
     "finetuning_task", "task_specific_params", "id2label", "label2id", "*num_labels", "summary_*",
     "pooler_*", "directionality", "tie_encoder_decoder", "tie_weights_", "max_length", "min_length",
     "max_new_tokens", "do_sample", "early_stopping", "num_beam*", "diversity_penalty", "repetition_penalty",
     "length_penalty", "exponential_decay_length_penalty", "temperature", "top_k", "top_p", "typical_p",
     "*no_repeat_ngram_size", "bad_words_ids", "num_return_sequences", "remove_invalid_values",
     "*suppress_tokens", "quantization_config", "quantization", "vision_config", "audio_config",
     "mm_tokens_per_image", "*_soft_tokens_per_image",
     // Other names for limits of texts, and sizes of missing parts.
     "n_ctx", "n_positions", "seq_length", "max_sequence_length", "model_max_length", "type_vocab_size",
     "generator_*size",
     // Other computations of the same numbers.
     "reorder_and_upcast_attn", "attention_softmax_in_fp32", "masked_softmax_fusion", "slow_but_exact",
     "skip_bias_add*", "offset_alibi", "sinusoidal_pos_embds", "is_gated_act", "dense_act_fn",
     "_sliding_window_pattern",
     // Parts that a model may have in other families.
     "xla_device", "is_decoder=false", "is_encoder_decoder", "add_cross_attention=false",
     "attention_bias=false", "mlp_bias=false", "lm_head_bias=false", "use_mrope=false",
     "rope_interleaved=false", "full_attn_mod=1", "interpolate_factor=1"});

bool is_harmless(const std::string& key, const nlohmann::json& value) {
  return std::ranges::any_of(harmless_keys, [&](std::string_view each) {
    const std::size_t end = std::min(each.find('='), each.size());
    return matches_pattern(key, each.substr(0, end)) &&
           (end == each.size() || json_text(value) == each.substr(end + 1));
  });
}

std::string shown_value(const nlohmann::json& value) {
  constexpr std::size_t most = 80;
  std::string text = json_text(value);
  return text.size() > most ? text.substr(0, most) + "…" : text;
}

/// The limits of a number in every family, by the names that configurations have for it, and the word for it
/// in the messages of validate().
struct Limit {
  std::string_view keys;  ///< with spaces between them
  double low, high;
  std::string_view word = {};
};

using Limits = ArchitectureLimits;
/// This is small enough to add a few such numbers and multiply them by 4.
constexpr double max_integer = 1 << 26;
constexpr double min_factor = 1e-6;

constexpr std::array limits{
    Limit{"hidden_size n_embd n_embed d_model dim", Limits::min_d_model, Limits::max_d_model, "d_model"},
    Limit{"intermediate_size n_inner d_ff ffn_dim ffn_hidden_size d_mlp hidden_dim encoder_ffn_dim "
          "decoder_ffn_dim",
          0, Limits::max_d_ff, "d_ff"},
    Limit{"num_hidden_layers n_layer n_layers num_layers", Limits::min_layers, Limits::max_layers, "layers"},
    Limit{"num_attention_heads n_head n_heads num_heads encoder_attention_heads decoder_attention_heads",
          Limits::min_heads, Limits::max_heads, "heads"},
    Limit{"num_key_value_heads num_kv_heads n_kv_heads n_key_value_heads", Limits::min_heads,
          Limits::max_heads, "kv_heads"},
    Limit{"head_dim attention_head_size", 0, Limits::max_head_width, "d_head"},
    Limit{"d_kv d_head", Limits::min_head_width, Limits::max_head_width, "d_head"},
    Limit{"encoder_layers decoder_layers num_decoder_layers", Limits::min_layers, Limits::max_layers},
    Limit{"max_position_embeddings n_positions n_ctx max_seq_len block_size", 1, max_integer},
    Limit{"sliding_window_pattern", 1, max_integer},
    Limit{"vocab_size d_vocab vocab_size_per_layer_input", 1, Limits::max_rows},
    Limit{"num_experts num_local_experts n_routed_experts", 1, Limits::max_experts, "experts"},
    Limit{"num_experts_per_tok top_k_experts experts_per_token", 1, Limits::max_experts,
          "experts of a token"},
    Limit{"moe_intermediate_size", 1, Limits::max_d_ff},
    Limit{"n_group", 1, Limits::max_experts, "groups of experts"},
    Limit{"topk_group", 1, Limits::max_experts, "groups of a token"},
    Limit{"relative_attention_num_buckets", Limits::min_relative_buckets, Limits::max_relative_buckets,
          "relative_buckets"},
    Limit{"qk_nope_head_dim", 1, Limits::max_head_width},
    Limit{"qk_rope_head_dim", 2, Limits::max_head_width},
    Limit{"v_head_dim", Limits::min_head_width, Limits::max_head_width, "d_value"},
    Limit{"kv_lora_rank embedding_size word_embed_proj_dim", 1, Limits::max_d_model},
    Limit{"original_max_position_embeddings", rotary_limits::min_length, rotary_limits::max_length},
    Limit{"type_vocab_size", 0, Limits::max_rows},
    Limit{"altup_num_inputs", 2, Limits::max_streams},
    Limit{"laurel_rank", 1, Limits::max_d_model},
    Limit{"hidden_size_per_layer_input", 0, Limits::max_d_model},
    Limit{"global_head_dim", 0, Limits::max_head_width},
    Limit{"num_global_key_value_heads", 0, Limits::max_heads},
    Limit{"rms_norm_eps layer_norm_eps layer_norm_epsilon norm_epsilon norm_eps", Limits::min_norm_epsilon,
          Limits::max_norm_epsilon},
    Limit{"final_logit_softcapping attn_logit_softcapping", 0, Limits::max_softcap},
    Limit{"attention_multiplier", min_factor, Limits::max_score_scale},
    Limit{"embedding_multiplier residual_multiplier logits_scaling logit_scale routed_scaling_factor",
          min_factor, 1 / min_factor},
    Limit{"rope_theta rope_local_base_freq local_rope_theta global_rope_theta rotary_emb_base",
          rotary_limits::min_base, rotary_limits::max_base},
    Limit{"factor", rotary_limits::min_factor, rotary_limits::max_factor},
    Limit{"partial_rotary_factor rotary_pct", rotary_limits::min_fraction, rotary_limits::max_fraction}};

const Limit* limit_of(std::string_view key) {
  const auto* const found = std::ranges::find_if(limits, [&](const Limit& each) {
    return (' ' + std::string(each.keys) + ' ').find(' ' + std::string(key) + ' ') != std::string::npos;
  });
  return found == limits.end() ? nullptr : found;
}

std::string range_text(double low, double high) {
  const auto text = [](double value) {
    const bool is_short = value == std::floor(value) && value <= max_integer;
    return is_short ? grouped(static_cast<long long>(value)) : exact_text(static_cast<float>(value));
  };
  return "from " + text(low) + " to " + text(high);
}

}  // namespace

const nlohmann::json* ModelConfig::find(std::string_view key) const {
  shared_->read_keys.insert(path_ + std::string(key));
  if (!json_.is_object()) return nullptr;
  const auto found = json_.find(std::string(key));
  return found == json_.end() || found->is_null() ? nullptr : &*found;
}

bool ModelConfig::has(std::string_view key) const {
  return find(key) != nullptr;
}

std::string ModelConfig::named(std::string_view key) const {
  const std::string path = path_ + std::string(key);
  const auto name = shared_->names.find(path);
  const nlohmann::json* const found = find(key);
  return "its " + (name == shared_->names.end() ? path : name->second) + " is " +
         (found != nullptr ? shown_value(*found)
          : contains(key)  ? "null"
                           : "missing");
}

void ModelConfig::wrong(std::string_view key, std::string_view what) {
  fail(named(key) + ", " + std::string(what));
}

int ModelConfig::whole(std::string_view key, int fallback) {
  const nlohmann::json* const found = find(key);
  const Limit* const limit = limit_of(key);
  if (found == nullptr) {
    if (limit != nullptr && fallback > 0)
      shared_->defaults[limit->word] = named(key) + " and taken to be " + std::to_string(fallback);
    return fallback;
  }
  const double value = found->is_number() ? found->get<double>() : -1.0;
  const double low = limit == nullptr ? 0.0 : limit->low, high = limit == nullptr ? max_integer : limit->high;
  if (!(value >= low && value <= high && value == std::floor(value))) {
    wrong(key, "but must be a whole number " + range_text(low, high));
    return fallback;
  }
  const auto whole = static_cast<int>(value);
  if (limit != nullptr && !limit->word.empty())
    shared_->sizes.emplace(std::pair(limit->word, whole), named(key));
  return whole;
}

int ModelConfig::whole(std::string_view key, int left_out, int null) {
  return whole(key, !has(key) && contains(key) ? null : left_out);
}

int ModelConfig::whole(std::string_view key) {
  if (!has(key)) wrong(key, "and has no default");
  return whole(key, 1);
}

float ModelConfig::decimal(std::string_view key, double fallback) {
  const nlohmann::json* const found = find(key);
  if (found == nullptr) return to_float(fallback);
  const Limit* const limit = limit_of(key);
  const float value = found->is_number() ? to_float(found->get<double>()) : std::nanf("");
  const auto low = static_cast<float>(limit == nullptr ? std::numeric_limits<float>::lowest() : limit->low);
  const auto high = static_cast<float>(limit == nullptr ? std::numeric_limits<float>::max() : limit->high);
  if (value >= low && value <= high) return value;  // NaN fails this comparison.
  wrong(key, "but must be a number" + (limit == nullptr ? "" : " " + range_text(limit->low, limit->high)));
  return to_float(fallback);
}

std::string ModelConfig::in_keys(const std::string& error) const {
  // What follows a colon is advice for settings, which a file does not have.
  const std::string fault = error.substr(0, error.find(": "));
  std::string values;
  for (const auto& [of, size] : shared_->sizes) {
    const std::string number = std::to_string(of.second), name(of.first);
    const auto says = [&](const std::string& words) {
      return (' ' + fault + ' ').find(' ' + words + ' ') != std::string::npos;
    };
    if (says(name + ' ' + number) || says(number + ' ' + name))
      values += (values.empty() ? "" : " and ") + size;
  }
  return values.empty() ? fault : values + ", but " + fault;
}

std::string ModelConfig::missing_sizes() const {
  std::string text;
  for (const auto& [word, size] : shared_->defaults) {
    // The file may have the size under another name.
    const auto first = shared_->sizes.lower_bound({word, std::numeric_limits<int>::min()});
    const bool is_there = first != shared_->sizes.end() && first->first.first == word;
    if (!word.empty() && !is_there) text += (text.empty() ? "" : ", ") + size;
  }
  return text;
}

std::vector<float> ModelConfig::decimals(std::string_view key) {
  std::vector<float> numbers;
  const nlohmann::json* const found = find(key);
  if (found != nullptr && found->is_array()) {
    for (const nlohmann::json& number : *found)
      numbers.push_back(number.is_number() ? to_float(number.get<double>()) : std::nanf(""));
  }
  const bool are_numbers = std::ranges::all_of(numbers, [](float x) { return std::isfinite(x); });
  if (numbers.empty() || !are_numbers) wrong(key, "but must be a list of numbers");
  return numbers;
}

bool ModelConfig::flag(std::string_view key, bool fallback) {
  const nlohmann::json* const found = find(key);
  if (found == nullptr) return fallback;
  if (found->is_boolean()) return found->get<bool>();
  wrong(key, "but must be true or false");
  return fallback;
}

std::string ModelConfig::text(std::string_view key, std::string_view fallback) {
  const nlohmann::json* const found = find(key);
  if (found == nullptr) return std::string(fallback);
  if (found->is_string()) return found->get<std::string>();
  wrong(key, "but must be a text");
  return std::string(fallback);
}

std::optional<ModelConfig> ModelConfig::inside(std::string_view key) {
  const nlohmann::json* const found = find(key);
  if (found == nullptr) return std::nullopt;
  if (found->is_object()) return ModelConfig(*found, path_ + std::string(key) + ".", shared_);
  wrong(key, "but must be an object");
  return std::nullopt;
}

const nlohmann::json& ModelConfig::value(std::string_view key) const {
  static const nlohmann::json missing;
  const nlohmann::json* const found = find(key);
  return found == nullptr ? missing : *found;
}

std::vector<std::string> ModelConfig::unknown() const {
  std::vector<std::string> keys;
  for (const auto& [key, value] : json_.items()) {
    const std::string path = path_ + key;
    // An object whose keys were read is nested. Of any other, no key is read.
    const auto first = shared_->read_keys.lower_bound(path + ".");
    if (value.is_object() && first != shared_->read_keys.end() && first->starts_with(path + ".")) {
      std::ranges::move(ModelConfig(value, path + ".", shared_).unknown(), std::back_inserter(keys));
    } else if (!value.empty() && (value.is_object() || !was_read(path)) && !is_harmless(key, value)) {
      keys.push_back(valid_utf8(path) + " (" + shown_value(value) + ")");
    }
  }
  return keys;
}

Activation ModelConfig::activation(std::string_view key, std::string_view fallback) {
  const std::string name = text(key, fallback);
  const auto* const found = std::ranges::find(activations, name, &ActivationName::first);
  if (found != activations.end()) return found->second;
  wrong(key, "but only relu, gelu, gelu_new, gelu_pytorch_tanh and silu are supported");
  return Activation::gelu;
}

void ModelConfig::require(bool fits, std::string_view key, std::string_view what) {
  if (!fits) wrong(key, what);
}

bool has_tensor_ending(const CheckpointFiles& files, std::string_view end) {
  return std::ranges::any_of(files.tensors(),
                             [&](const TensorRef& tensor) { return tensor.name.ends_with(end); });
}

bool matches_pattern(std::string_view name, std::string_view pattern) {
  std::size_t n = 0;
  std::size_t p = 0;
  // The position of the last star in the pattern, and the end of the letters that it has matched so far.
  std::size_t star = std::string_view::npos;
  std::size_t reaches = 0;
  while (n < name.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      reaches = n;
    } else if (p < pattern.size() && pattern[p] == name[n]) {
      ++p;
      ++n;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      n = ++reaches;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', p) == std::string_view::npos;
}

}  // namespace headscope
