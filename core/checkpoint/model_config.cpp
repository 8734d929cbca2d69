#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <limits>

#include "core/checkpoint/family.h"
#include "core/io/json_text.h"
#include "core/text/utf8.h"
#include "core/to_float.h"

namespace headscope {
namespace {

struct ActivationName {
  std::string_view name;
  Activation activation;
};

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

struct HarmlessKey {
  std::string_view key;         ///< A pattern with '*'.
  std::string_view value = {};  ///< The only harmless value, as JSON. Empty if every value is.
};

/// What does not change the numbers of a pass: names, special tokens, dropout, initial weights, training,
/// choosing the next token, heads for other tasks, storage, and parts for pictures and sounds.
constexpr std::array harmless_keys{
    HarmlessKey{"_name_or_path"}, HarmlessKey{"_commit_hash"}, HarmlessKey{"model_type"},
    HarmlessKey{"architectures"}, HarmlessKey{"auto_map"}, HarmlessKey{"transformers_version"},
    HarmlessKey{"transformers.js_config"}, HarmlessKey{"unsloth_*"}, HarmlessKey{"is_llama_config"},
    HarmlessKey{"tokenizer_*"}, HarmlessKey{"*_token"}, HarmlessKey{"*_token_id"}, HarmlessKey{"*_token_ids"},
    HarmlessKey{"*_token_index"}, HarmlessKey{"prefix"}, HarmlessKey{"vocab"}, HarmlessKey{"vocab_size"},
    HarmlessKey{"pad_vocab_size_multiple"}, HarmlessKey{"torch_dtype"}, HarmlessKey{"dtype"},
    HarmlessKey{"torchscript"}, HarmlessKey{"use_bfloat16"}, HarmlessKey{"tf_legacy_loss"},
    HarmlessKey{"*attn_implementation*"}, HarmlessKey{"*flash_attn*"}, HarmlessKey{"*dropout"},
    HarmlessKey{"*dropout_prob"}, HarmlessKey{"*dropout_rate"}, HarmlessKey{"*_pdrop"},
    HarmlessKey{"dropout*"}, HarmlessKey{"*layerdrop"}, HarmlessKey{"bias_dropout_fusion"},
    HarmlessKey{"neftune_noise_alpha"}, HarmlessKey{"init*_range"}, HarmlessKey{"init*_factor"},
    HarmlessKey{"init_std"}, HarmlessKey{"init_method"}, HarmlessKey{"init_mode"},
    HarmlessKey{"init_weights"}, HarmlessKey{"weight_init_mode"}, HarmlessKey{"seed"},
    HarmlessKey{"gradient_checkpointing"}, HarmlessKey{"chunk_size_feed_forward"},
    HarmlessKey{"pretraining_tp"}, HarmlessKey{"use_cache"}, HarmlessKey{"cache_implementation"},
    HarmlessKey{"output_attentions"}, HarmlessKey{"output_hidden_states"}, HarmlessKey{"output_past"},
    HarmlessKey{"output_scores"}, HarmlessKey{"return_dict*"}, HarmlessKey{"problem_type"},
    HarmlessKey{"finetuning_task"}, HarmlessKey{"task_specific_params"}, HarmlessKey{"id2label"},
    HarmlessKey{"label2id"}, HarmlessKey{"*num_labels"}, HarmlessKey{"summary_*"}, HarmlessKey{"pooler_*"},
    HarmlessKey{"directionality"}, HarmlessKey{"tie_encoder_decoder"}, HarmlessKey{"tie_weights_"},
    HarmlessKey{"max_length"}, HarmlessKey{"min_length"}, HarmlessKey{"max_new_tokens"},
    HarmlessKey{"do_sample"}, HarmlessKey{"early_stopping"}, HarmlessKey{"num_beam*"},
    HarmlessKey{"diversity_penalty"}, HarmlessKey{"repetition_penalty"}, HarmlessKey{"length_penalty"},
    HarmlessKey{"exponential_decay_length_penalty"}, HarmlessKey{"temperature"}, HarmlessKey{"top_k"},
    HarmlessKey{"top_p"}, HarmlessKey{"typical_p"}, HarmlessKey{"*no_repeat_ngram_size"},
    HarmlessKey{"bad_words_ids"}, HarmlessKey{"num_return_sequences"}, HarmlessKey{"remove_invalid_values"},
    HarmlessKey{"*suppress_tokens"}, HarmlessKey{"vision_config"}, HarmlessKey{"audio_config"},
    HarmlessKey{"mm_tokens_per_image"},
    // Limits of texts under other names, and sizes of parts that are not there.
    HarmlessKey{"n_ctx"}, HarmlessKey{"n_positions"}, HarmlessKey{"seq_length"},
    HarmlessKey{"max_sequence_length"}, HarmlessKey{"model_max_length"}, HarmlessKey{"type_vocab_size"},
    HarmlessKey{"generator_*size"},
    // Other ways to the same numbers.
    HarmlessKey{"reorder_and_upcast_attn"}, HarmlessKey{"attention_softmax_in_fp32"},
    HarmlessKey{"masked_softmax_fusion"}, HarmlessKey{"slow_but_exact"}, HarmlessKey{"skip_bias_add*"},
    HarmlessKey{"offset_alibi"}, HarmlessKey{"sinusoidal_pos_embds"}, HarmlessKey{"is_gated_act"},
    HarmlessKey{"dense_act_fn"}, HarmlessKey{"_sliding_window_pattern"},
    // Parts that a model may have in other families.
    HarmlessKey{"xla_device"}, HarmlessKey{"is_decoder"}, HarmlessKey{"is_encoder_decoder"},
    HarmlessKey{"add_cross_attention", "false"}, HarmlessKey{"attention_bias", "false"},
    HarmlessKey{"mlp_bias", "false"}, HarmlessKey{"lm_head_bias", "false"}, HarmlessKey{"use_mrope", "false"},
    HarmlessKey{"rope_interleaved", "false"}, HarmlessKey{"full_attn_mod", "1"},
    HarmlessKey{"interpolate_factor", "1"}};

bool is_harmless(const std::string& key, const nlohmann::json& value) {
  return std::ranges::any_of(harmless_keys, [&](const HarmlessKey& each) {
    return fits_pattern(key, each.key) && (each.value.empty() || json_text(value) == each.value);
  });
}

std::string shown_value(const nlohmann::json& value) {
  constexpr std::size_t most = 80;
  std::string text = json_text(value);
  return text.size() > most ? text.substr(0, most) + "…" : text;
}

}  // namespace

const nlohmann::json* ModelConfig::find(std::string_view key) const {
  asked_->insert(path_ + std::string(key));
  if (!json_.is_object()) return nullptr;
  const auto found = json_.find(std::string(key));
  return found == json_.end() || found->is_null() ? nullptr : &*found;
}

bool ModelConfig::has(std::string_view key) const {
  return find(key) != nullptr;
}

void ModelConfig::wrong(std::string_view key, std::string_view what) {
  const nlohmann::json* const found = find(key);
  const std::string name = "its " + std::string(key);
  fail(name + (found == nullptr ? " is missing" : " is " + shown_value(*found)) + ", " + std::string(what));
}

int ModelConfig::whole(std::string_view key, int otherwise) {
  const nlohmann::json* const found = find(key);
  if (found == nullptr) return otherwise;
  const double value = found->is_number() ? found->get<double>() : -1.0;
  // This is small enough to add a few such numbers and multiply them by 4.
  constexpr double most = 1 << 26;
  if (value >= 0.0 && value <= most && value == std::floor(value)) return static_cast<int>(value);
  wrong(key, "but must be a whole number from 0 to 67,108,864");
  return otherwise;
}

int ModelConfig::whole(std::string_view key, int left_out, int null) {
  const bool is_null = !has(key) && json_.is_object() && json_.contains(std::string(key));
  return whole(key, is_null ? null : left_out);
}

int ModelConfig::whole(std::string_view key) {
  if (!has(key)) wrong(key, "and has no default");
  return whole(key, 1);
}

float ModelConfig::decimal(std::string_view key, double otherwise) {
  const nlohmann::json* const found = find(key);
  if (found == nullptr) return to_float(otherwise);
  const double value = found->is_number() ? found->get<double>() : std::nan("");
  if (std::isfinite(to_float(value))) return to_float(value);
  wrong(key, "but must be a number");
  return to_float(otherwise);
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

bool ModelConfig::flag(std::string_view key, bool otherwise) {
  const nlohmann::json* const found = find(key);
  if (found == nullptr) return otherwise;
  if (found->is_boolean()) return found->get<bool>();
  wrong(key, "but must be true or false");
  return otherwise;
}

std::string ModelConfig::text(std::string_view key, std::string_view otherwise) {
  const nlohmann::json* const found = find(key);
  if (found == nullptr) return std::string(otherwise);
  if (found->is_string()) return found->get<std::string>();
  wrong(key, "but must be a text");
  return std::string(otherwise);
}

std::optional<ModelConfig> ModelConfig::inside(std::string_view key) {
  const nlohmann::json* const found = find(key);
  if (found == nullptr) return std::nullopt;
  if (found->is_object()) {
    ModelConfig nested(*found);
    nested.path_ = path_ + std::string(key) + ".";
    nested.asked_ = asked_;
    return nested;
  }
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
    // An object whose keys were asked for is nested.
    const auto first = asked_->lower_bound(path + ".");
    if (value.is_object() && first != asked_->end() && first->starts_with(path + ".")) {
      ModelConfig nested(value);
      nested.path_ = path + ".";
      nested.asked_ = asked_;
      std::ranges::move(nested.unknown(), std::back_inserter(keys));
    } else if (!value.empty() && !is_asked(path) && !is_harmless(key, value)) {
      keys.push_back(valid_utf8(path) + " (" + shown_value(value) + ")");
    }
  }
  return keys;
}

Activation ModelConfig::activation(std::string_view key, std::string_view otherwise) {
  const std::string name = text(key, otherwise);
  const auto* const found = std::ranges::find(activations, name, &ActivationName::name);
  if (found != activations.end()) return found->activation;
  wrong(key, "but only relu, gelu, gelu_new, gelu_pytorch_tanh and silu are supported");
  return Activation::gelu;
}

void ModelConfig::refuse_unless(bool fits, std::string_view key, std::string_view what) {
  if (!fits) wrong(key, what);
}

bool has_tensor_ending(const CheckpointFiles& files, std::string_view end) {
  return std::ranges::any_of(files.tensors(),
                             [&](const TensorSource& tensor) { return tensor.name.ends_with(end); });
}

bool fits_pattern(std::string_view name, std::string_view pattern) {
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
