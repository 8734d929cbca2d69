#include "core/checkpoint/gguf_layouts.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "core/io/tensor_ref.h"

namespace headscope {

bool has_tensor(const Gguf& file, std::string_view name) {
  return std::ranges::find(file.tensors(), name, &TensorRef::name) != file.tensors().end();
}

double width_of_head(const nlohmann::json& config) {
  const auto head = config.find("head_dim");
  if (head != config.end() && head->is_number()) return head->get<double>();
  return config["hidden_size"].get<double>() / std::max(config["num_attention_heads"].get<double>(), 1.0);
}

namespace {

using Json = nlohmann::json;
using Names = std::string_view;
using enum StoredAs;
using enum StoredPart;

/// Adds the scale of the scores, which is not in the file. Only the largest model, which is recognised by its
/// number of layers, does not divide scores by the square root of a head's width.
void complete_gemma(Json& config, int layers_of_largest) {
  const bool is_largest = config["num_hidden_layers"] == layers_of_largest;
  const double of_all =
      config["hidden_size"].get<double>() / std::max(config["num_attention_heads"].get<double>(), 1.0);
  config["query_pre_attn_scalar"] = is_largest ? of_all : width_of_head(config);
}

void complete_gemma2(const Gguf& /*file*/, Json& config) {
  complete_gemma(config, 46);
}

void complete_gemma3(const Gguf& /*file*/, Json& config) {
  if (!config.contains("rope_theta")) config["rope_theta"] = 1e6;
  if (!config.contains("sliding_window")) config["sliding_window"] = 0;
  complete_gemma(config, 62);
}

void complete_qwen3_moe(const Gguf& /*file*/, Json& config) {
  config["norm_topk_prob"] = true;
}

/// YaRN does not round in this family.
void complete_gpt_oss(const Gguf& /*file*/, Json& config) {
  if (config.contains("rope_scaling")) config["rope_scaling"]["truncate"] = false;
}

/// V2's files may lack the function of the router's logits. Newer files describe the latent as the one key
/// that all heads share, and its own widths with “_mla”.
void complete_deepseek(const Gguf& /*file*/, Json& config) {
  const int turned = config.value("qk_rope_head_dim", 0);
  const Json& width = config.contains("qk_head_dim") ? config["qk_head_dim"] : config["head_dim"];
  config["qk_rope_head_dim"] = turned;
  config["qk_nope_head_dim"] = std::max((width.is_number() ? width.get<int>() : 0) - turned, 0);
  if (!config.contains("v_head_dim")) config["v_head_dim"] = 0;
  if (!config.contains("q_lora_rank")) config["q_lora_rank"] = nullptr;
  const bool is_v3 = config.value("expert_gating_func", 0) == sigmoid_gating;
  for (const auto& [key, fallback] :
       {std::pair("n_group", 1), std::pair("topk_group", 1), std::pair("n_shared_experts", 0),
        std::pair("first_k_dense_replace", 0)})
    if (!config.contains(key)) config[key] = fallback;
  if (!config.contains("n_routed_experts")) config["first_k_dense_replace"] = config["num_hidden_layers"];
  if (!config.contains("norm_topk_prob")) config["norm_topk_prob"] = false;
  if (!config.contains("routed_scaling_factor")) config["routed_scaling_factor"] = 1.0;
  config["topk_method"] = is_v3 ? "noaux_tc" : config["n_group"] == 1 ? "greedy" : "group_limited_greedy";
}

/// Only T5 1.0 has no gates, and its final linear layer is tied even if a file repeats the table.
void complete_t5(const Gguf& file, Json& config) {
  const bool is_gated = has_tensor(file, "enc.blk.0.ffn_gate.weight");
  config["feed_forward_proj"] = is_gated ? "gated-gelu" : "relu";
  if (!is_gated) config["tie_word_embeddings"] = true;
  if (has_tensor(file, "enc.blk.1.attn_rel_b.weight")) config["model_type"] = "umt5";
}

/// Parallel sublayers have a norm each or share one.
void complete_falcon(const Gguf& file, Json& config) {
  config["new_decoder_architecture"] = true;
  config["num_ln_in_parallel_attn"] = has_tensor(file, "blk.0.attn_norm_2.weight") ? 2 : 1;
}

void complete_mpt(const Gguf& /*file*/, Json& config) {
  Json& attention = config["attn_config"];
  const bool has_alibi = attention.contains("alibi_bias_max") && attention["alibi_bias_max"] != 0;
  attention["alibi"] = has_alibi;
  if (!has_alibi) attention.erase("alibi_bias_max");
}

void complete_starcoder(const Gguf& /*file*/, Json& config) {
  config["multi_query"] = config["num_key_value_heads"] == 1;
}

void complete_modern_bert(const Gguf& /*file*/, Json& config) {
  if (config.contains("sliding_window_pattern"))
    config["global_attn_every_n_layers"] = config["sliding_window_pattern"];
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
    times(ReadTimes::sublayer_factor, "layers.{l}.self.W_O", "blk.{l}.attn_output.weight"),
    {"layers.{l}.self.output_norm.gain", "blk.{l}.post_attention_norm.weight"},
    {"layers.{l}.feed_forward.norm.gain", "blk.{l}.ffn_norm.weight"},
    {"layers.{l}.feed_forward.norm.gain", "blk.{l}.layer_output_norm.weight"},
    {"layers.{l}.feed_forward.W_1", "blk.{l}.ffn_gate.weight"},
    {"layers.{l}.feed_forward.W_1", "blk.{l}.ffn_up.weight"},
    {"layers.{l}.feed_forward.W_up", "blk.{l}.ffn_up.weight"},
    times(ReadTimes::sublayer_factor, "layers.{l}.feed_forward.W_2", "blk.{l}.ffn_down.weight"),
    {"layers.{l}.feed_forward.output_norm.gain", "blk.{l}.post_ffw_norm.weight"},
    {"norm.gain", "output_norm.weight"},
    times(ReadTimes::output_factor, "logits.W", "output.weight"),
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
               of_experts("layers.{l}.feed_forward.W_1", "blk.{l}.ffn_gate_exps.weight.{e}"),
               of_experts("layers.{l}.feed_forward.W_up", "blk.{l}.ffn_up_exps.weight.{e}"),
               of_experts("layers.{l}.feed_forward.W_2", "blk.{l}.ffn_down_exps.weight.{e}"),
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
constexpr auto mixtral_gguf_rules =
    joined(neighbour_rules, expert_gguf_rules,
           rules({
               of_experts("layers.{l}.feed_forward.W_1", "blk.{l}.ffn_gate.{e}.weight"),
               of_experts("layers.{l}.feed_forward.W_up", "blk.{l}.ffn_up.{e}.weight"),
               of_experts("layers.{l}.feed_forward.W_2", "blk.{l}.ffn_down.{e}.weight"),
           }));
constexpr auto gpt_oss_gguf_rules =
    joined(rules({
               {"layers.{l}.self.sink", "blk.{l}.attn_sinks.weight"},
               {"layers.{l}.feed_forward.norm.gain", "blk.{l}.post_attention_norm.weight"},
           }),
           expert_gguf_rules);
/// Either the keys and values of all heads side by side, or the keys of each head as [latent, own] and its
/// values as [value, latent].
constexpr auto deepseek_gguf_rules =
    joined(rules({
               {"layers.{l}.self.W_Q", "blk.{l}.attn_q.weight", rotated_first},
               {"layers.{l}.self.W_Q", "blk.{l}.attn_q_b.weight", rotated_first},
               {"layers.{l}.self.W_DQ", "blk.{l}.attn_q_a.weight"},
               {"layers.{l}.self.query_latent_norm.gain", "blk.{l}.attn_q_a_norm.weight"},
               {"layers.{l}.self.W_DKV", "blk.{l}.attn_kv_a_mqa.weight", StoredPart::latent},
               {"layers.{l}.self.W_KR", "blk.{l}.attn_kv_a_mqa.weight", StoredPart::shared_key},
               {"layers.{l}.self.latent_norm.gain", "blk.{l}.attn_kv_a_norm.weight"},
               {"layers.{l}.self.W_K", "blk.{l}.attn_kv_b.weight", key_of_head},
               {"layers.{l}.self.W_K", "blk.{l}.attn_k_b.weight", whole, heads_out},
               {"layers.{l}.self.W_V", "blk.{l}.attn_kv_b.weight", value_of_head},
               {"layers.{l}.self.W_V", "blk.{l}.attn_v_b.weight"},
               {"layers.{l}.feed_forward.router.correction", "blk.{l}.exp_probs_b.bias"},
           }),
           expert_gguf_rules);
/// The parallel sublayers of Falcon's new decoder have norms of their own, of which the second is
/// attention's.
constexpr auto falcon_gguf_rules =
    joined(rules({
               {"layers.{l}.self.norm.gain", "blk.{l}.attn_norm_2.weight"},
               {"layers.{l}.feed_forward.norm.gain", "blk.{l}.attn_norm.weight"},
           }),
           common_rules);
/// The rows of the feed-forward layer's first matrix that are activated, and those that multiply them.
constexpr auto joined_gate_rules =
    joined(rules({
               {"layers.{l}.feed_forward.W_1", "blk.{l}.ffn_up.weight", first_half},
               {"layers.{l}.feed_forward.W_up", "blk.{l}.ffn_up.weight", second_half},
           }),
           common_rules);
/// Norms without a bias.
constexpr auto gain_gguf_rules =
    joined(rules({
               optional_bias("embedding.norm.bias", "token_embd_norm.bias"),
               optional_bias("layers.{l}.self.norm.bias", "blk.{l}.attn_norm.bias"),
               optional_bias("layers.{l}.feed_forward.norm.bias", "blk.{l}.ffn_norm.bias"),
               optional_bias("norm.bias", "output_norm.bias"),
           }),
           joined_gate_rules);
constexpr auto t5_gguf_rules = rules({
    {"embedding.table", "token_embd.weight"},
    {"positions.biases", "{c}.blk.0.attn_rel_b.weight", whole, row_of_each_head},
    {"positions.table", "enc.blk.0.attn_rel_b.weight", whole, row_of_each_head},
    {"layers.{l}.self.positions.biases", "{c}.blk.{l}.attn_rel_b.weight", whole, row_of_each_head},
    {"layers.{l}.self.norm.gain", "{c}.blk.{l}.attn_norm.weight"},
    {"layers.{l}.self.W_Q", "{c}.blk.{l}.attn_q.weight"},
    {"layers.{l}.self.W_K", "{c}.blk.{l}.attn_k.weight"},
    {"layers.{l}.self.W_V", "{c}.blk.{l}.attn_v.weight"},
    {"layers.{l}.self.W_O", "{c}.blk.{l}.attn_o.weight"},
    {"layers.{l}.cross.norm.gain", "{c}.blk.{l}.cross_attn_norm.weight"},
    {"layers.{l}.cross.W_Q", "{c}.blk.{l}.cross_attn_q.weight"},
    {"layers.{l}.cross.W_K", "{c}.blk.{l}.cross_attn_k.weight"},
    {"layers.{l}.cross.W_V", "{c}.blk.{l}.cross_attn_v.weight"},
    {"layers.{l}.cross.W_O", "{c}.blk.{l}.cross_attn_o.weight"},
    {"layers.{l}.feed_forward.norm.gain", "{c}.blk.{l}.ffn_norm.weight"},
    {"layers.{l}.feed_forward.W_1", "{c}.blk.{l}.ffn_gate.weight"},
    {"layers.{l}.feed_forward.W_1", "{c}.blk.{l}.ffn_up.weight"},
    {"layers.{l}.feed_forward.W_up", "{c}.blk.{l}.ffn_up.weight"},
    {"layers.{l}.feed_forward.W_2", "{c}.blk.{l}.ffn_down.weight"},
    {"norm.gain", "{c}.output_norm.weight"},
    {"logits.W", "output.weight"},
});

/// Tensors whose numbers become part of the architecture, copies of others, heads for other tasks, and a bias
/// of cross-attention that nothing reads.
constexpr std::array gguf_unused{Names("rope_freqs.weight"),
                                 Names("rope_factors_*.weight"),
                                 Names("blk.*.attn_rot_embd"),
                                 Names("blk.*.rope_freqs.weight"),
                                 Names("blk.*.attn_k_b.weight"),
                                 Names("blk.*.attn_v_b.weight"),
                                 Names("output.weight"),
                                 Names("dec.blk.*.cross_attn_rel_b.weight"),
                                 Names("cls.*")};

GgufLayout gguf_layout(Names architecture, Names model_type, std::span<const TensorRule> rules,
                       void (*complete)(const Gguf&, Json&) = nullptr, Names only_with = {},
                       std::uint64_t above = 0) {
  const auto is_it = [&](const Family& family) {
    return std::ranges::find(family.model_types, model_type) != family.model_types.end();
  };
  Family family = *std::ranges::find_if(families(), is_it);
  family.prefixes = no_prefix;
  family.rules = rules;
  family.unused = gguf_unused;
  family.configuration = "its metadata";
  family.has_in_out_experts = false;
  return {architecture, family, complete, only_with, above};
}

}  // namespace

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
      gguf_layout("phi3", "phi3", joined_gate_rules),
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
      gguf_layout("deepseek2", "deepseek_v3", deepseek_gguf_rules, complete_deepseek,
                  "deepseek2.expert_gating_func", softmax_gating),
      gguf_layout("deepseek2", "deepseek_v2", deepseek_gguf_rules, complete_deepseek),
      gguf_layout("falcon", "falcon", falcon_gguf_rules, complete_falcon),
      gguf_layout("bloom", "bloom", common_rules),
      gguf_layout("mpt", "mpt", layer_norm_gguf_rules, complete_mpt),
      gguf_layout("gptneox", "gpt_neox", common_rules),
      gguf_layout("starcoder", "gpt_bigcode", common_rules, complete_starcoder),
      gguf_layout("modern-bert", "modernbert", gain_gguf_rules, complete_modern_bert),
      gguf_layout("t5", "t5", t5_gguf_rules, complete_t5),
      gguf_layout("t5encoder", "t5", t5_gguf_rules, complete_t5),
      gguf_layout("gpt-oss", "gpt_oss", gpt_oss_gguf_rules, complete_gpt_oss),
  };
  return all;
}

}  // namespace headscope
