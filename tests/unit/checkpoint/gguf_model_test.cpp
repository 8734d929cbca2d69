// Compares models in GGUF files with the same models as folders in Hugging Face's layout. The tests write the
// files as llama.cpp's conversion does, with its names, its metadata and its changes to the numbers.

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <nlohmann/json.hpp>
#include <numbers>
#include <optional>
#include <regex>
#include <string_view>

#include "core/checkpoint/foreign_model.h"
#include "core/checkpoint/model_folder.h"
#include "core/engine/engine.h"
#include "core/io/checkpoint_files.h"
#include "core/io/safetensors.h"
#include "core/model/parameters.h"
#include "core/session/action.h"
#include "core/system/atomic_file.h"
#include "tests/unit/checkpoint/tiny_gguf.h"
#include "tests/unit/io/gguf_writer.h"
#include "tests/unit/io/temporary_folder.h"

namespace headscope {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;
using Names = std::vector<std::pair<const char*, const char*>>;

const fs::path reference_data = fs::path(HEADSCOPE_SOURCE_DIR) / "../shared/reference";

/// Regular expressions and their replacements, which are applied to a tensor's name in this order.
const Names llama_names{{"^model\\.", ""},
                        {"^layers", "blk"},
                        {"embed_tokens", "token_embd"},
                        {"self_attn.([qkv])_proj", "attn_$1"},
                        {"self_attn.qkv_proj", "attn_qkv"},
                        {"self_attn.(o_proj|dense)", "attn_output"},
                        {"self_attn.([qk])_norm", "attn_$1_norm"},
                        {"mlp.gate_proj", "ffn_gate"},
                        {"mlp.(up_proj|gate_up_proj|fc1|c_fc)", "ffn_up"},
                        {"mlp.(down_proj|fc2|c_proj)", "ffn_down"},
                        {"input_layernorm", "attn_norm"},
                        {"pre_feedforward_layernorm", "ffn_norm"},
                        {"post_feedforward_layernorm", "post_ffw_norm"},
                        {"^(norm|final_layernorm)\\.", "output_norm."},
                        {"lm_head", "output"}};
const Names gpt2_names{{"^transformer\\.", ""},        {"^h\\.", "blk."},      {"wte", "token_embd"},
                       {"wpe", "position_embd"},       {"ln_1", "attn_norm"},  {"attn.c_attn", "attn_qkv"},
                       {"attn.c_proj", "attn_output"}, {"ln_2", "ffn_norm"},   {"mlp.c_fc", "ffn_up"},
                       {"mlp.c_proj", "ffn_down"},     {"ln_f", "output_norm"}};
const Names bert_names{{"^bert\\.", ""},
                       {"encoder.layer", "blk"},
                       {"embeddings.word_embeddings", "token_embd"},
                       {"embeddings.position_embeddings", "position_embd"},
                       {"embeddings.token_type_embeddings", "token_types"},
                       {"embeddings.LayerNorm", "token_embd_norm"},
                       {"attention.self.([qkv])[a-z]*", "attn_$1"},
                       {"attention.output.dense", "attn_output"},
                       {"attention.output.LayerNorm", "attn_output_norm"},
                       {"intermediate.dense", "ffn_up"},
                       {"output.dense", "ffn_down"},
                       {"([0-9])\\.output.LayerNorm", "$1.layer_output_norm"}};

/// Those of Falcon and BLOOM.
const Names falcon_names{{"^transformer\\.", ""},
                         {"^h\\.", "blk."},
                         {"word_embeddings_layernorm", "token_embd_norm"},
                         {"word_embeddings", "token_embd"},
                         {"self_attention.query_key_value", "attn_qkv"},
                         {"self_attention.dense", "attn_output"},
                         {"ln_attn", "attn_norm_2"},
                         {"input_layernorm|ln_mlp", "attn_norm"},
                         {"post_attention_layernorm", "ffn_norm"},
                         {"mlp.dense_h_to_4h", "ffn_up"},
                         {"mlp.dense_4h_to_h", "ffn_down"},
                         {"ln_f", "output_norm"},
                         {"lm_head", "output"}};
const Names gpt_neox_names{{"^gpt_neox\\.", ""},
                           {"^layers", "blk"},
                           {"embed_in", "token_embd"},
                           {"attention.query_key_value", "attn_qkv"},
                           {"attention.dense", "attn_output"},
                           {"input_layernorm", "attn_norm"},
                           {"post_attention_layernorm", "ffn_norm"},
                           {"mlp.dense_h_to_4h", "ffn_up"},
                           {"mlp.dense_4h_to_h", "ffn_down"},
                           {"final_layer_norm", "output_norm"},
                           {"embed_out", "output"}};
const Names mpt_names{{"^transformer\\.", ""},   {"^blocks", "blk"},        {"wte", "token_embd"},
                      {"norm_1", "attn_norm"},   {"attn.Wqkv", "attn_qkv"}, {"attn.out_proj", "attn_output"},
                      {"norm_2", "ffn_norm"},    {"ffn.up_proj", "ffn_up"}, {"ffn.down_proj", "ffn_down"},
                      {"^norm_f", "output_norm"}};
const Names modern_bert_names{{"^model\\.", ""},
                              {"^layers", "blk"},
                              {"embeddings.tok_embeddings", "token_embd"},
                              {"embeddings.norm", "token_embd_norm"},
                              {"attn.Wqkv", "attn_qkv"},
                              {"attn.Wo", "attn_output"},
                              {"mlp_norm", "ffn_norm"},
                              {"mlp.Wi", "ffn_up"},
                              {"mlp.Wo", "ffn_down"},
                              {"^final_norm", "output_norm"}};
const Names t5_names{{"^(enc|dec)oder.block", "$1.blk"},
                     {"layer.0.SelfAttention.relative_attention_bias", "attn_rel_b"},
                     {"layer.0.SelfAttention.([qkvo])", "attn_$1"},
                     {"layer.0.layer_norm", "attn_norm"},
                     {"layer.1.EncDecAttention.relative_attention_bias", "cross_attn_rel_b"},
                     {"layer.1.EncDecAttention.([qkvo])", "cross_attn_$1"},
                     {"(dec.*)layer.1.layer_norm", "$1cross_attn_norm"},
                     {"layer.[12].layer_norm", "ffn_norm"},
                     {"layer.[12].DenseReluDense.wi_0", "ffn_gate"},
                     {"layer.[12].DenseReluDense.wi(_1)?", "ffn_up"},
                     {"layer.[12].DenseReluDense.wo", "ffn_down"},
                     {"^(enc|dec)oder.final_layer_norm", "$1.output_norm"},
                     {"^shared", "token_embd"},
                     {"lm_head", "output"}};
const Names deepseek_names{{"self_attn.(q_a|q_b|k_b|v_b|kv_b)_proj", "attn_$1"},
                           {"self_attn.kv_a_proj_with_mqa", "attn_kv_a_mqa"},
                           {"self_attn.(q|kv)_a_layernorm", "attn_$1_a_norm"},
                           {"mlp.gate.e_score_correction_bias", "exp_probs_b.bias"},
                           {"mlp.gate\\.", "ffn_gate_inp."},
                           {"mlp.experts.([a-z]+)_proj", "ffn_$1_exps"},
                           {"mlp.shared_experts.([a-z]+)_proj", "ffn_$1_shexp"},
                           {"post_attention_layernorm", "ffn_norm"}};

struct ConvertedCase {
  std::string name;
  fs::path folder;
  const char* architecture;
  Names names = llama_names;
  /// Whether the conversion places the two dimensions of a rotary pair side by side, adds 1 to the gains of
  /// norms, or transposes matrices.
  bool pairs = false, adds_one = false, transposes = false;
  /// Adjusts settings that a GGUF file cannot express.
  std::function<void(Architecture&)> adjust = [](Architecture&) {};
  bool joins_experts = true;
  /// Whether queries, keys and values that are side by side for each group of heads become q | k | v, and
  /// whether the keys and values of latents become tensors of their own.
  bool ungroups = false, splits_latents = false;
  const char* leaves_out = "";  ///< Tensors that the conversion does not keep.
};

Names with(Names names, const std::pair<const char*, const char*>& more) {
  names.insert(names.begin(), more);
  return names;
}

void scale_by_width(Architecture& a) {
  a.score_scale = 1.0F / std::sqrt(static_cast<float>(a.head_width(no_layer)));
}

std::vector<ConvertedCase> converted_cases() {
  const fs::path models = reference_data / "checkpoints/models";
  const fs::path fixtures = fs::path(HEADSCOPE_SOURCE_DIR) / "tests/fixtures/foreign";
  const Names llama = with(llama_names, {"post_attention_layernorm", "ffn_norm"});
  const Names gemma2 = with(llama_names, {"post_attention_layernorm", "post_attention_norm"});
  Names experts{{"(mlp|block_sparse_moe).(gate|router)\\.", "ffn_gate_inp."},
                {"(mlp|block_sparse_moe).experts.(gate_proj|w1)", "ffn_gate_exps"},
                {"(mlp|block_sparse_moe).experts.(down_proj|w2)", "ffn_down_exps"},
                {"(mlp|block_sparse_moe).experts.(up_proj|w3)", "ffn_up_exps"},
                {"mlp.shared_expert_gate", "ffn_gate_inp_shexp"},
                {"mlp.shared_expert.([a-z]+)_proj", "ffn_$1_shexp"},
                {"self_attn.sinks", "attn_sinks.weight"}};
  const Names gpt_oss = [&] {
    Names names = experts;
    names.insert(names.end(), gemma2.begin(), gemma2.end());
    return names;
  }();
  experts.insert(experts.end(), llama.begin(), llama.end());
  Names early_experts = experts;
  for (const auto& more : Names{{"block_sparse_moe.experts.([0-9]).w1", "ffn_gate.$1"},
                                {"block_sparse_moe.experts.([0-9]).w2", "ffn_down.$1"},
                                {"block_sparse_moe.experts.([0-9]).w3", "ffn_up.$1"}})
    early_experts.insert(early_experts.begin(), more);
  return {{"llama", reference_data / "models/stories260K-llama", "llama", llama, true},
          {"llama3", models / "tiny-llama3-bf16", "llama", llama, true},
          {"qwen2", models / "rand-qwen2", "qwen2", llama},
          {"qwen3", models / "tiny-qwen3-bf16", "qwen3", llama},
          {"gemma", models / "rand-gemma", "gemma", llama, false, true},
          {"gemma2", models / "rand-gemma2", "gemma2", gemma2, false, true, false, scale_by_width},
          {"gemma3", fixtures / "gemma3", "gemma3", gemma2, false, true, false,
           [](Architecture& a) {
             scale_by_width(a);
             a.global_every.reset();  // One layer in six is global, but it has only three.
           }},
          {"phi2", fixtures / "phi", "phi2", llama_names},
          {"phi3", fixtures / "phi3", "phi3", llama},
          {"phi3_longrope", fixtures / "phi3_longrope", "phi3", llama},
          {"gpt2", models / "tiny-random-gpt2", "gpt2", gpt2_names, false, false, true},
          {"starcoder2", fixtures / "starcoder2", "starcoder2", llama},
          {"bert", fixtures / "bert", "bert", bert_names},
          {"granite", fixtures / "granite", "granite", llama, true},
          {"smollm3", fixtures / "smollm3", "smollm3", llama, true},
          {"olmo2", fixtures / "olmo2", "olmo2", gemma2},
          {"stablelm", fixtures / "stablelm", "stablelm", llama},
          {"command_r_plus", fixtures / "command_r_plus", "command-r", llama},
          {"cohere2", fixtures / "cohere2", "cohere2", llama},
          {"mixtral", fixtures / "mixtral", "llama", experts, true},
          {"early_mixtral", fixtures / "mixtral", "llama", early_experts, true, false, false,
           [](Architecture&) {}, false},
          {"qwen2moe", fixtures / "qwen2_moe", "qwen2moe", experts},
          {"qwen3moe", fixtures / "qwen3_moe", "qwen3moe", experts},
          {"olmoe", fixtures / "olmoe", "olmoe", experts},
          {"gpt_oss", fixtures / "gpt_oss_bf16", "gpt-oss", gpt_oss},
          {"bert_of_many_segments", models / "tiny-bert-cls", "bert", bert_names}};
}

std::vector<ConvertedCase> further_cases() {
  const fs::path models = reference_data / "checkpoints/models";
  const fs::path fixtures = fs::path(HEADSCOPE_SOURCE_DIR) / "tests/fixtures/foreign";
  Names deepseek = deepseek_names;
  deepseek.insert(deepseek.end(), llama_names.begin(), llama_names.end());
  const auto made = [](std::string name, fs::path folder, const char* architecture, Names names) {
    return ConvertedCase{std::move(name), std::move(folder), architecture, std::move(names)};
  };
  std::vector<ConvertedCase> cases{made("deepseek_v2", fixtures / "deepseek_v2", "deepseek2", deepseek),
                                   made("deepseek_v3", fixtures / "deepseek_v3", "deepseek2", deepseek),
                                   made("deepseek_v2_early", fixtures / "deepseek_v2", "deepseek2", deepseek),
                                   made("falcon_7b", fixtures / "falcon_7b", "falcon", falcon_names),
                                   made("falcon_40b", fixtures / "falcon_40b", "falcon", falcon_names),
                                   made("bloom", models / "tiny-bloom", "bloom", falcon_names),
                                   made("gptneox", models / "rand-gpt-neox", "gptneox", gpt_neox_names)};
  for (ConvertedCase& each : cases) {
    each.splits_latents = each.name == "deepseek_v2" || each.name == "deepseek_v3";
    each.ungroups = !each.name.starts_with("deepseek");
  }
  const Names& gpt2 = gpt2_names;
  for (ConvertedCase each :
       {made("mpt", fixtures / "mpt", "mpt", mpt_names),
        made("starcoder", fixtures / "gpt_bigcode", "starcoder", gpt2),
        made("modern_bert", fixtures / "modernbert", "modern-bert", modern_bert_names),
        made("t5", fixtures / "t5", "t5", t5_names), made("umt5", fixtures / "umt5", "t5", t5_names),
        made("t5_without_gates", models / "tiny-t5", "t5", t5_names),
        made("t5encoder", fixtures / "t5", "t5encoder", t5_names)}) {
    if (each.name == "modern_bert") each.leaves_out = "(head|decoder)\\..*";
    if (each.name == "t5encoder") each.leaves_out = "(decoder|lm_head)\\..*";
    cases.push_back(std::move(each));
  }
  return cases;
}

struct PlainTensor {
  std::string name;
  std::vector<std::size_t> shape;
  std::vector<float> numbers;
};

/// The tensors of a folder, without the buffers and the heads for other tasks, which the conversion leaves
/// out.
std::vector<PlainTensor> tensors_in(const ConvertedCase& of) {
  std::vector<PlainTensor> tensors;
  const auto files = CheckpointFiles::open(of.folder);
  EXPECT_TRUE(files.has_value()) << files.error().message;
  if (!files) return tensors;
  const std::regex left_out(
      "^cls\\..*|.*pooler.*|.*classifier.*|.*\\.att(n|ention)\\.(masked_)?bias|.*position_ids|.*inv_freq|" +
      std::string(of.leaves_out));
  for (const TensorRef& tensor : files->tensors()) {
    if (std::regex_match(tensor.name, left_out)) continue;
    PlainTensor& plain = tensors.emplace_back(PlainTensor{tensor.name, tensor.shape, {}});
    plain.numbers.resize(tensor.size());
    read_numbers(tensor, 0, plain.numbers.size(), plain.numbers.data());
  }
  return tensors;
}

/// All experts of a layer in one tensor, as the conversion joins them. Its gates and the layers beside them,
/// which gpt-oss interleaves in columns, become tensors of their own.
std::vector<PlainTensor> with_joined_experts(const std::vector<PlainTensor>& tensors) {
  std::vector<PlainTensor> joined;
  const auto columns_as_rows = [&](const PlainTensor& from, std::string name, std::size_t first,
                                   std::size_t step) {
    const bool is_bias = from.shape.size() == 2;
    const std::size_t rows = is_bias ? 1 : from.shape[1], cols = from.shape.back();
    PlainTensor to{std::move(name) + (is_bias ? ".bias" : ".weight"), {from.shape[0], cols / step}, {}};
    if (!is_bias) to.shape.push_back(rows);
    for (std::size_t expert = 0; expert < from.shape[0]; ++expert) {
      for (std::size_t col = first; col < cols; col += step) {
        for (std::size_t row = 0; row < rows; ++row)
          to.numbers.push_back(from.numbers[(expert * rows + row) * cols + col]);
      }
    }
    joined.push_back(std::move(to));
  };
  for (const PlainTensor& tensor : tensors) {
    std::smatch parts;
    if (std::regex_match(tensor.name, parts, std::regex("(.*experts\\.)[0-9]+\\.(.*)"))) {
      const std::string name = parts[1].str() + parts[2].str();
      auto found = std::ranges::find(joined, name, &PlainTensor::name);
      if (found == joined.end())
        found = joined.insert(found, PlainTensor{name, {0, tensor.shape[0], tensor.shape[1]}, {}});
      ++found->shape[0];
      found->numbers.insert(found->numbers.end(), tensor.numbers.begin(), tensor.numbers.end());
    } else if (std::regex_match(tensor.name, parts, std::regex("(.*experts\\.)gate_up_proj(_bias)?"))) {
      columns_as_rows(tensor, parts[1].str() + "gate_proj", 0, 2);
      columns_as_rows(tensor, parts[1].str() + "up_proj", 1, 2);
    } else if (std::regex_match(tensor.name, parts, std::regex("(.*experts\\.down_proj)(_bias)?"))) {
      columns_as_rows(tensor, parts[1].str(), 0, 1);
    } else {
      joined.push_back(tensor);
      if (tensor.name.ends_with("shared_expert_gate.weight")) joined.back().shape = {tensor.shape[1]};
    }
  }
  return joined;
}

/// The keys of each head as [latent, own] and its values as [value, latent], which are [own + value, latent].
std::vector<PlainTensor> with_split_latents(const std::vector<PlainTensor>& tensors, const Architecture& a) {
  std::vector<PlainTensor> split;
  const auto n_heads = static_cast<std::size_t>(a.n_heads),
             n_value = static_cast<std::size_t>(a.value_width(no_layer));
  for (const PlainTensor& tensor : tensors) {
    if (!tensor.name.ends_with("kv_b_proj.weight")) {
      split.push_back(tensor);
      continue;
    }
    const std::size_t latent = tensor.shape[1], all = tensor.shape[0] / n_heads, own = all - n_value;
    const auto named = [&](const char* part) {
      return std::regex_replace(tensor.name, std::regex("kv_b_proj"), part);
    };
    PlainTensor keys{named("k_b_proj"), {n_heads, latent, own}, {}};
    PlainTensor values{named("v_b_proj"), {n_heads, n_value, latent}, {}};
    for (std::size_t head = 0; head < n_heads; ++head) {
      const auto number = [&](std::size_t row, std::size_t col) {
        return tensor.numbers[(head * all + row) * latent + col];
      };
      for (std::size_t i = 0; i < latent * own; ++i) keys.numbers.push_back(number(i % own, i / own));
      for (std::size_t i = 0; i < n_value * latent; ++i)
        values.numbers.push_back(number(own + i / latent, i % latent));
    }
    split.push_back(std::move(keys));
    split.push_back(std::move(values));
  }
  return split;
}

void write_folder(const fs::path& folder, const Json& config, const std::vector<PlainTensor>& tensors) {
  std::vector<TensorView> views;
  for (const PlainTensor& tensor : tensors) {
    const auto n = static_cast<int>(tensor.numbers.size());
    views.push_back({tensor.name, tensor.shape, {tensor.numbers.data(), 1, n, n}});
  }
  EXPECT_TRUE(write_atomically(folder / "config.json", config.dump()).has_value());
  EXPECT_TRUE(write_safetensors(folder / "model.safetensors", views, {}).has_value());
}

/// Changes the numbers of a tensor as llama.cpp's conversion does.
PlainTensor converted(PlainTensor tensor, const ConvertedCase& of, const Architecture& a) {
  const bool is_norm = tensor.name.ends_with("norm.weight");
  if (of.adds_one && is_norm) {
    for (float& number : tensor.numbers) number += 1.0F;
  }
  const std::size_t width = tensor.numbers.size() / tensor.shape[0];
  const std::vector<float> before = tensor.numbers;
  if (of.transposes && tensor.shape.size() == 2 && tensor.name.find("h.") != std::string::npos) {
    const std::size_t rows = tensor.shape[0];
    for (std::size_t i = 0; i < before.size(); ++i) tensor.numbers[i % width * rows + i / width] = before[i];
    std::swap(tensor.shape[0], tensor.shape[1]);
  }
  if (of.pairs && std::regex_search(tensor.name, std::regex("[qk]_proj"))) {
    const auto d_head = static_cast<std::size_t>(a.head_width(no_layer));
    for (std::size_t row = 0; row < tensor.shape[0]; ++row) {
      const std::size_t in_head = row % d_head;
      const std::size_t to = row - in_head + in_head % (d_head / 2) * 2 + in_head / (d_head / 2);
      std::copy_n(before.begin() + static_cast<std::ptrdiff_t>(row * width), width,
                  tensor.numbers.begin() + static_cast<std::ptrdiff_t>(to * width));
    }
  }
  if (of.ungroups && tensor.name.find("query_key_value") != std::string::npos) {
    const auto heads = static_cast<std::size_t>(a.n_heads),
               kv = static_cast<std::size_t>(a.kv_heads(no_layer));
    const std::size_t of_group = heads / kv, rows = tensor.shape[0] / (heads + 2 * kv);
    for (std::size_t to = 0; to < heads + 2 * kv; ++to) {
      const bool is_query = to < heads;
      const std::size_t group = is_query ? to / of_group : (to - heads) % kv;
      const std::size_t in_group = is_query ? to % of_group : of_group + (to - heads) / kv;
      const std::size_t from = (group * (of_group + 2) + in_group) * rows * width;
      std::copy_n(before.begin() + static_cast<std::ptrdiff_t>(from), rows * width,
                  tensor.numbers.begin() + static_cast<std::ptrdiff_t>(to * rows * width));
    }
  }
  for (const auto& [from, to] : of.names) tensor.name = std::regex_replace(tensor.name, std::regex(from), to);
  return tensor;
}

constexpr int start_of_decoder = 3;

/// What only some architectures have.
void write_own_metadata(GgufWriter& writer, const ConvertedCase& of, const Architecture& a,
                        const Json& config) {
  const std::string prefix = std::string(of.architecture) + ".";
  const auto whole = [&](const char* key, int value) {
    writer.whole(prefix + key, static_cast<std::uint32_t>(value));
  };
  const auto copy = [&](const char* from, const char* key) {
    if (config.contains(from)) whole(key, config[from].get<int>());
  };
  copy("n_group", "expert_group_count");
  copy("topk_group", "expert_group_used_count");
  copy("n_shared_experts", "expert_shared_count");
  copy("first_k_dense_replace", "leading_dense_block_count");
  copy("num_layers", "block_count");
  copy("num_decoder_layers", "decoder_block_count");
  copy("local_attention", "attention.sliding_window");
  copy("global_attn_every_n_layers", "attention.sliding_window_pattern");
  if (a.positions == Positions::relative) whole("attention.relative_buckets_count", *a.relative_buckets);
  if (a.stacks == Stacks::encoder_decoder) whole("decoder_start_token_id", start_of_decoder);
  if (config.contains("attn_config")) writer.decimal(prefix + "attention.max_alibi_bias", 8.0F);
  if (config.contains("local_rope_theta"))
    writer.decimal(prefix + "rope.freq_base_swa", config["local_rope_theta"].get<float>());
  if (!a.kv_latent) return;
  whole("attention.kv_lora_rank", *a.kv_latent);
  if (a.foreign.query_latent) whole("attention.q_lora_rank", *a.foreign.query_latent);
  whole(of.splits_latents ? "attention.value_length_mla" : "attention.value_length", a.value_width(no_layer));
  if (of.splits_latents) {
    whole("attention.head_count_kv", 1);
    whole("attention.key_length", *a.kv_latent + a.shared_key_width(AttentionKind::self));
    whole("attention.value_length", *a.kv_latent);
    whole("attention.key_length_mla", a.head_width(no_layer));
    whole("expert_gating_func", a.foreign.experts->uses_sigmoid ? 2 : 1);
  }
  if (a.foreign.experts->renormalizes) writer.flag(prefix + "expert_weights_norm", true);
  writer.decimal(prefix + "expert_weights_scale", a.foreign.experts->factor);
  writer.decimal(prefix + "rope.scaling.yarn_log_multiplier",
                 static_cast<float>(0.1 * config["rope_scaling"]["mscale_all_dim"].get<double>()));
}

void write_metadata(GgufWriter& writer, const ConvertedCase& of, const Architecture& a, const Json& config) {
  const std::string prefix = std::string(of.architecture) + ".";
  const auto whole = [&](const char* key, int value) {
    writer.whole(prefix + key, static_cast<std::uint32_t>(value));
  };
  writer.text("general.architecture", of.architecture);
  whole("block_count", a.n_layers);
  whole("embedding_length", a.d_model);
  whole("feed_forward_length", config.value("intermediate_size", a.d_ff));
  if (const auto& experts = a.foreign.experts) {
    whole("expert_count", experts->count);
    whole("expert_used_count", experts->top_k);
    whole("expert_feed_forward_length", experts->width);
    if (experts->shared_width > 0 && experts->has_shared_gate)
      whole("expert_shared_feed_forward_length", experts->shared_width);
  }
  for (const auto& [key, written] : Names{{"embedding_multiplier", "embedding_scale"},
                                          {"residual_multiplier", "residual_scale"},
                                          {"attention_multiplier", "attention.scale"},
                                          {"logits_scaling", "logit_scale"},
                                          {"logit_scale", "logit_scale"}})
    if (config.contains(key) && config[key].is_number())
      writer.decimal(prefix + written, config[key].get<float>());
  if (config.contains("use_parallel_residual") || std::string_view(of.architecture) == "gptneox")
    writer.flag(prefix + "use_parallel_residual", a.block != Block::sequential);
  whole("attention.head_count", a.n_heads);
  if (a.n_kv_heads) whole("attention.head_count_kv", *a.n_kv_heads);
  if (a.d_head) whole("attention.key_length", *a.d_head);
  if (a.sliding_window) whole("attention.sliding_window", *a.sliding_window);
  const bool is_rotary = a.positions == Positions::rotary;
  const bool is_learned = a.positions == Positions::learned;
  whole("context_length",
        is_learned ? a.foreign.position_rows : config.value("max_position_embeddings", a.foreign.context));
  writer.decimal(prefix + (a.norm_kind == NormKind::rms ? "attention.layer_norm_rms_epsilon"
                                                        : "attention.layer_norm_epsilon"),
                 a.norm_epsilon);
  if (a.softcap > 0.0F) writer.decimal(prefix + "attn_logit_softcapping", a.softcap);
  if (a.logit_softcap > 0.0F) writer.decimal(prefix + "final_logit_softcapping", a.logit_softcap);
  if (!is_rotary) return;
  writer.decimal(prefix + "rope.freq_base", a.rotary.base);
  whole("rope.dimension_count", rotated_width(a.rotary, a.head_width(no_layer)));
  if (a.rotary.scaling == RotaryScaling::linear) {
    writer.text(prefix + "rope.scaling.type", "linear");
    writer.decimal(prefix + "rope.scaling.factor", a.rotary.factor);
  }
  if (a.rotary.scaling == RotaryScaling::yarn) {
    writer.text(prefix + "rope.scaling.type", "yarn");
    writer.decimal(prefix + "rope.scaling.factor", a.rotary.factor);
    whole("rope.scaling.original_context_length", a.rotary.original_length);
  }
  if (!a.foreign.rotary_divisors.empty()) {
    whole("rope.scaling.original_context_length", a.rotary.original_length);
    const std::vector<float>& divisors = a.foreign.rotary_divisors;
    writer.floats("rope_factors_short.weight", {divisors.size()}, divisors);
    writer.floats("rope_factors_long.weight", {divisors.size()}, divisors);
  }
}

/// Llama 3's factors as llama.cpp computes them.
std::vector<float> llama3_factors(const Architecture& a) {
  std::vector<float> factors;
  const double factor = double{a.rotary.factor};
  for (int i = 0; i < a.head_width(no_layer); i += 2) {
    const double wavelength =
        2.0 * std::numbers::pi * std::pow(double{a.rotary.base}, double{1} * i / a.head_width(no_layer));
    const double turns = a.rotary.original_length / wavelength;
    const double smooth = (turns - 1.0) / 3.0;
    const double divisor = turns > 4.0   ? 1.0
                           : turns < 1.0 ? factor
                                         : 1.0 / ((1.0 - smooth) / factor + smooth);
    factors.push_back(static_cast<float>(divisor));
  }
  return factors;
}

GgufWriter converted_model(const ConvertedCase& of, const std::vector<PlainTensor>& tensors,
                           const Architecture& a, const Json& config) {
  GgufWriter writer;
  const std::vector<PlainTensor> split = of.splits_latents ? with_split_latents(tensors, a) : tensors;
  for (const PlainTensor& tensor : of.joins_experts ? with_joined_experts(split) : split) {
    const PlainTensor now = converted(tensor, of, a);
    writer.floats(now.name, now.shape, now.numbers);
  }
  write_metadata(writer, of, a, config);
  write_own_metadata(writer, of, a, config);
  if (a.rotary.scaling == RotaryScaling::llama3)
    writer.floats("rope_freqs.weight", {static_cast<std::size_t>(a.head_width(no_layer)) / 2},
                  llama3_factors(a));
  return writer;
}

class GgufModel : public testing::TestWithParam<ConvertedCase> {};

TEST_P(GgufModel, HasTheNumbersOfItsFolder) {
  const ConvertedCase& of = GetParam();
  if (!fs::exists(of.folder)) GTEST_SKIP() << "no reference data at " << of.folder;
  const TemporaryFolder temporary;
  const Json config = Json::parse(content_of(of.folder / "config.json"));
  const std::vector<PlainTensor> tensors = tensors_in(of);
  fs::create_directory(temporary / "folder");
  write_folder(temporary / "folder", config, tensors);
  const auto as_folder = open_foreign_folder(temporary / "folder", "");
  ASSERT_TRUE(as_folder.has_value()) << as_folder.error().message;
  Architecture expected = (*as_folder)->model.architecture;
  ASSERT_TRUE(write_atomically(temporary / "m.gguf", converted_model(of, tensors, expected, config).bytes())
                  .has_value());
  const auto as_file = open_gguf(temporary / "m.gguf", "");
  ASSERT_TRUE(as_file.has_value()) << as_file.error().message;
  EXPECT_EQ((*as_file)->family, (*as_folder)->family);
  of.adjust(expected);
  EXPECT_TRUE((*as_file)->model.architecture == expected);
  EXPECT_EQ((*as_file)->unknown_keys, std::vector<std::string>());
  const auto numbers = [](const TrainedModel& model) {
    return parameters_of(model.model, layout_of(model.model.architecture, model.vocabulary.size()));
  };
  EXPECT_EQ(numbers(**as_file), numbers(**as_folder));
  const bool has_decoder_start = expected.stacks == Stacks::encoder_decoder;
  EXPECT_EQ(read_gguf_headers(temporary / "m.gguf")->decoder_start,
            has_decoder_start ? std::optional(start_of_decoder) : std::nullopt);
  const auto described = describe_gguf(temporary / "m.gguf");
  ASSERT_TRUE(described.has_value());
  EXPECT_TRUE(described->starts_with((*as_file)->family + " · ") && described->ends_with(" · F32"))
      << *described;
}

INSTANTIATE_TEST_SUITE_P(Layouts, GgufModel, testing::ValuesIn(converted_cases()),
                         [](const auto& info) { return info.param.name; });
INSTANTIATE_TEST_SUITE_P(FurtherLayouts, GgufModel, testing::ValuesIn(further_cases()),
                         [](const auto& info) { return info.param.name; });

/// Returns “opened” and the tensors that are not finite, or the error message.
std::string opened(const GgufWriter& writer) {
  const TemporaryFolder folder;
  EXPECT_TRUE(write_atomically(folder / "sha256-blob", writer.bytes()).has_value());
  const auto model = load_model(folder / "sha256-blob");
  if (!model) {
    EXPECT_NE(model.error().message.find("sha256-blob"), std::string::npos) << model.error().message;
    return model.error().message;
  }
  std::string text = "opened";
  for (const std::string& name : (*model)->files->non_finite_tensors()) text += " with NaN in " + name;
  return text;
}

TEST(GgufFile, OpensWhateverItIsCalled) {
  EXPECT_EQ(opened(tiny_llama()), "opened");
  GgufWriter writer = tiny_llama();
  writer.numbers<std::uint32_t>("llama.attention.head_count_kv", GgufType::uint32, {2});
  EXPECT_EQ(opened(writer), "opened") << "a list of the same for each layer";
  writer.tensors[0].bytes = GgufWriter::bytes_of_floats(std::vector<float>(64, std::nanf("")));
  EXPECT_EQ(opened(writer), "opened with NaN in token_embd.weight");
}

TEST(GgufFile, SaysWhichLayersSeeWhat) {
  const TemporaryFolder folder;
  const auto headers = [&](GgufWriter writer) {
    EXPECT_TRUE(write_atomically(folder / "m.gguf", writer.bytes()).has_value());
    auto model = read_gguf_headers(folder / "m.gguf");
    EXPECT_TRUE(model.has_value()) << model.error().message;
    return *model;
  };
  GgufWriter writer = tiny_llama();
  EXPECT_EQ(headers(writer).architecture.stacks, Stacks::decoder);
  EXPECT_TRUE(headers(writer).unknown_keys.empty());
  writer.flag("llama.attention.causal", false);
  EXPECT_EQ(headers(writer).architecture.stacks, Stacks::encoder);
  writer.decimal("llama.attention.scale", 0.5F);
  writer.decimal("llama.attn_logit_softcapping", 30.0F);
  EXPECT_EQ(headers(writer).unknown_keys,
            (std::vector<std::string>{"llama.attention.scale", "llama.attn_logit_softcapping"}));
}

TEST(GgufFile, OfGemma3HasTheWindowsThatItNames) {
  const fs::path file = reference_data / "../findings/cases/gguf-gemma3-windows/gemma3-no-window.gguf";
  if (!fs::exists(file)) GTEST_SKIP() << "there is no " << file;
  const auto model = read_gguf_headers(file);
  ASSERT_TRUE(model.has_value()) << model.error().message;
  EXPECT_EQ(model->architecture.sliding_window, std::nullopt);
}

TEST(GgufFile, OpensInParts) {
  const TemporaryFolder folder;
  const GgufWriter whole = tiny_llama();
  GgufWriter first = whole, second;
  first.whole("split.count", 2);
  second.tensors.assign(whole.tensors.begin() + 5, whole.tensors.end());
  first.tensors.resize(5);
  const fs::path path = folder / "m-00001-of-00002.gguf";
  EXPECT_TRUE(write_atomically(folder / "whole.gguf", whole.bytes()).has_value());
  EXPECT_TRUE(write_atomically(path, first.bytes()).has_value());
  EXPECT_NE(open_gguf(path, "").error().message.find("m-00002-of-00002.gguf"), std::string::npos);
  EXPECT_TRUE(write_atomically(folder / "m-00002-of-00002.gguf", second.bytes()).has_value());
  const auto in_parts = open_gguf(path, ""), at_once = open_gguf(folder / "whole.gguf", "");
  ASSERT_TRUE(in_parts.has_value()) << in_parts.error().message;
  ASSERT_TRUE(at_once.has_value()) << at_once.error().message;
  const auto numbers = [](const TrainedModel& model) {
    return parameters_of(model.model, layout_of(model.model.architecture, model.vocabulary.size()));
  };
  EXPECT_EQ(numbers(**in_parts), numbers(**at_once));
}

TEST(GgufFile, OpensWhatPeopleFound) {
  const fs::path found = reference_data / "../findings/cases";
  if (!fs::exists(found)) GTEST_SKIP() << "no cases at " << found;
  const auto model = [&](const char* name) { return open_gguf(found / name, "").value(); };
  EXPECT_EQ(model("gguf-causal-false/llama-causal-false.gguf")->model.architecture.stacks, Stacks::encoder);
  EXPECT_TRUE(model("gguf-pre/phi-4-mini-like.gguf")->tokenizer);
  EXPECT_EQ(model("gguf-pre/no-pre.gguf")->warnings.size(), 1U);
  EXPECT_NE(model("gguf-types/q_IQ4_XS.gguf")->stored_types.find("IQ4_XS: 1 tensor"), std::string::npos);
}

TEST(GgufFile, NamesWhatDoesNotFit) {
  const auto spoilt = [](const std::function<void(GgufWriter&)>& spoil) {
    GgufWriter writer = tiny_llama();
    spoil(writer);
    return opened(writer);
  };
  const auto expect = [&](const char* part, const std::function<void(GgufWriter&)>& spoil) {
    EXPECT_NE(spoilt(spoil).find(part), std::string::npos) << spoilt(spoil);
  };
  expect("has no general.architecture", [](GgufWriter& w) { w.remove("general.architecture"); });
  expect("“mamba”, but only these are supported: llama, qwen2",
         [](GgufWriter& w) { w.text("general.architecture", "mamba"); });
  expect("one of 3 parts", [](GgufWriter& w) { w.whole("split.count", 3); });
  expect("its metadata has no llama.block_count", [](GgufWriter& w) { w.remove("llama.block_count"); });
  expect("its metadata has neither llama.attention.layer_norm_rms_epsilon",
         [](GgufWriter& w) { w.remove("llama.attention.layer_norm_rms_epsilon"); });
  expect("llama.block_count is not a whole number",
         [](GgufWriter& w) { w.text("llama.block_count", "one"); });
  for (const std::string key : {"llama.attention.value_length", "llama.expert_gating_func"})
    expect((key + " is not a whole number").c_str(), [&](GgufWriter& w) { w.text(key, "one"); });
  expect("describes", [](GgufWriter& w) { w.whole("llama.block_count", 900); });
  expect("differs between layers", [](GgufWriter& w) {
    w.numbers<std::uint32_t>("llama.attention.head_count", GgufType::uint32, {2, 4});
  });
  expect("the tensor blk.0.ffn_gate_inp.weight is missing", [](GgufWriter& w) {
    w.whole("llama.expert_count", 1);
    w.whole("llama.expert_used_count", 1);
  });
  expect("not divisible by 3 heads", [](GgufWriter& w) { w.whole("llama.attention.head_count", 3); });
  expect("head", [](GgufWriter& w) {
    w.whole("llama.attention.head_count", 0);
    w.whole("llama.rope.dimension_count", 2);
  });
  expect("its metadata has no llama.attention.layer_norm_rms_epsilon", [](GgufWriter& w) {
    w.remove("llama.attention.layer_norm_rms_epsilon");
    w.decimal("llama.attention.layer_norm_epsilon", 1e-5F);
  });
  expect("llama.rope.scaling.attn_factor is not 1",
         [](GgufWriter& w) { w.decimal("llama.rope.scaling.attn_factor", 2.0F); });
  expect("llama.rope.dimension_count is 2, but only 4",
         [](GgufWriter& w) { w.whole("llama.rope.dimension_count", 2); });
  expect("llama.expert_gating_func is 2, but its family has 1 or 3", [](GgufWriter& w) {
    w.whole("llama.expert_count", 2);
    w.whole("llama.expert_used_count", 1);
    w.whole("llama.expert_gating_func", 2);
  });
  expect("rope_freqs.weight divides", [](GgufWriter& w) {
    w.floats("rope_freqs.weight", {2}, {1.0F, 3.0F});
  });
  expect("is not a number",
         [](GgufWriter& w) { w.decimal("llama.attention.layer_norm_rms_epsilon", std::nanf("")); });
  expect("the tensor blk.0.ffn_gate.weight is missing", [](GgufWriter& w) {
    std::erase_if(w.tensors, [](const auto& tensor) { return tensor.name == "blk.0.ffn_gate.weight"; });
  });
  expect("in its metadata, its llama.rope.scaling.factor is 0.5", [](GgufWriter& w) {
    w.text("llama.rope.scaling.type", "yarn");
    w.decimal("llama.rope.scaling.factor", 0.5F);
  });
  expect("the tensor blk.0.attn_q.weight is missing", [](GgufWriter& w) { w.tensors[1].name = "blk.9.x"; });
  expect("blk.0.attn_q.weight is [4, 16], but its metadata requires [8, 8]", [](GgufWriter& w) {
    w.tensors[1].shape = {4, 16};
  });
  expect("no place for the tensor blk.1.attn_q.weight",
         [](GgufWriter& w) { w.floats("blk.1.attn_q.weight", {8}, std::vector<float>(8)); });
  expect("token_embd.weight is not a table", [](GgufWriter& w) { w.tensors[0].shape = {64}; });
  expect("occurs twice", [](GgufWriter& w) { w.tensors[2].name = w.tensors[1].name; });
}

/// The tokens with which a model continues the text "1".
std::vector<int> continuation(const std::shared_ptr<const TrainedModel>& model, int n) {
  Session session = reduce(default_session(), OpenModel{model, {}, {}});
  session.tokenizer = TokenizerKind::ids;
  session.sentence = "1";
  session.texts = {};
  std::vector<int> ids{1};
  Engine engine(1);
  for (int i = 0; i < n; ++i) {
    const auto trace = engine.compute(request_of(session), TooLong::refuse);
    EXPECT_TRUE(trace.has_value()) << trace.error().message;
    if (!trace) break;
    const MatrixView logits = (*trace)->value({.kind = StageKind::logits});
    const auto last = logits.row(logits.rows - 1);
    ids.push_back(static_cast<int>(std::max_element(last.begin(), last.end()) - last.begin()));
    session.sentence += " " + std::to_string(ids.back());
    session.texts = {};
  }
  return ids;
}

TEST(GgufReferenceModels, WriteTheirStory) {
  const fs::path file = reference_data / "checkpoints/gguf/stories260K-f32.gguf";
  if (!fs::exists(file)) GTEST_SKIP() << "no reference data at " << reference_data;
  const auto as_file = load_model(file);
  const auto as_folder = load_model(reference_data / "models/stories260K-llama");
  ASSERT_TRUE(as_file.has_value()) << as_file.error().message;
  ASSERT_TRUE(as_folder.has_value()) << as_folder.error().message;
  ASSERT_NE((*as_file)->tokenizer, nullptr) << (*as_file)->tokenizer_error;
  constexpr int n = 200;
  const std::vector<int> ids = continuation(*as_file, n);
  EXPECT_EQ(ids, continuation(*as_folder, n));
  EXPECT_EQ(ids.size(), n + 1U);
  std::string story;
  for (const int id : ids) story += (*as_file)->vocabulary.words()[static_cast<std::size_t>(id)];
  EXPECT_NE(story.find("Once upon a time, there was a little girl named Lily."), std::string::npos) << story;
  EXPECT_NE((*as_file)->stored_types.find("F32: "), std::string::npos);
}

}  // namespace
}  // namespace headscope
