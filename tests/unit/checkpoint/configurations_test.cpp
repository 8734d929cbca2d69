// Reads the config.json of well-known models, as several versions of transformers write it, and checks the
// resulting architecture. The expected values are those of the models' papers and of transformers'
// configuration classes.
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "tests/unit/checkpoint/read_configuration.h"

namespace headscope {
namespace {

using namespace nlohmann::literals;

TEST(Configurations, LeftOutIsTheDefaultOfTheClass) {
  const Architecture llama = architecture(R"({"model_type": "llama"})"_json);
  EXPECT_EQ(llama.n_layers, 32);
  EXPECT_EQ(llama.d_model, 4096);
  EXPECT_EQ(llama.d_ff, 11008);
  EXPECT_EQ(llama.kv_heads(no_layer), 32);
  EXPECT_EQ(llama.output_layer, OutputLayer::linear);
  EXPECT_FLOAT_EQ(llama.norm_epsilon, 1e-6F);
  EXPECT_FLOAT_EQ(llama.rotary.base, 10000.0F);
  EXPECT_EQ(architecture(R"({"model_type": "mistral"})"_json).kv_heads(no_layer), 8);
  EXPECT_EQ(architecture(R"({"model_type": "mistral"})"_json).sliding_window, 4096);
  EXPECT_EQ(architecture(R"({"model_type": "qwen3"})"_json).head_width(no_layer), 128);
  EXPECT_EQ(architecture(R"({"model_type": "gemma"})"_json).head_width(no_layer), 256);
  EXPECT_EQ(architecture(R"({"model_type": "gemma"})"_json).output_layer, OutputLayer::tied);
  const Architecture gemma2 = architecture(R"({"model_type": "gemma2"})"_json);
  EXPECT_FLOAT_EQ(gemma2.softcap, 50.0F);
  EXPECT_FLOAT_EQ(gemma2.logit_softcap, 30.0F);
  EXPECT_FLOAT_EQ(gemma2.score_scale, 1.0F / 16.0F);
  const Architecture neox = architecture(R"({"model_type": "gpt_neox"})"_json, {"embed_out.weight"});
  EXPECT_EQ(neox.block, Block::parallel);
  EXPECT_FLOAT_EQ(neox.rotary.fraction, 0.25F);
  EXPECT_EQ(architecture(R"({"model_type": "bert"})"_json).foreign.segments, 2);
  EXPECT_EQ(architecture(R"({"model_type": "roberta"})"_json).foreign.first_position, 2);
  EXPECT_EQ(architecture(R"({"model_type": "opt"})"_json).foreign.position_rows, 2050);
}

TEST(Configurations, BigBirdReadsTextsThatAreTooShortForBlocks) {
  const Architecture blocks = architecture(R"({"model_type": "big_bird", "num_random_blocks": 2})"_json);
  EXPECT_EQ(blocks.max_tokens(), (5 + 2 * 2) * 64);
  Architecture full = architecture(R"({"model_type": "big_bird", "attention_type": "original_full"})"_json);
  EXPECT_EQ(full.max_tokens(), 4096);
  full.foreign.position_rows = 512;
  EXPECT_TRUE(full == architecture(R"({"model_type": "bert", "hidden_act": "gelu_new"})"_json));
}

TEST(Configurations, EveryFamilyNamesWhatItDoesNotKnow) {
  for (const Family& family : families()) {
    const std::string type(family.model_types.front());
    Json json{{"model_type", type}, {"n_layers", 1}, {"d_model", 8},
              {"d_head", 4},        {"n_ctx", 8},    {"d_vocab", 9}};
    json["hidden_dropout_prob"] = 0.1;
    json["invented"] = nullptr;
    std::vector<std::string> before = read(json).unknown;
    json["invented"] = 0.5;
    json["rope_scaling"] = R"({"rope_type": "default", "invented": [1, 2]})"_json;
    std::vector<std::string> unknown = read(json).unknown;
    std::erase_if(unknown,
                  [&](const std::string& key) { return std::ranges::find(before, key) != before.end(); });
    // Llama's own layout has other keys for the scaling of positions.
    const bool is_rotary = read(json).architecture.positions == Positions::rotary && type != "llama_original";
    const std::string nested = is_rotary ? "rope_scaling.invented ([1,2])" : "rope_scaling ({";
    ASSERT_EQ(unknown.size(), 2U) << type;
    EXPECT_EQ(unknown[0], "invented (0.5)") << type;
    EXPECT_TRUE(unknown[1].starts_with(nested)) << type << ": " << unknown[1];
  }
  const Json pictures = R"({"model_type": "gemma3", "text_config": {"num_hidden_layers": 2, "invented": true},
      "vision_config": {"hidden_size": 8}})"_json;
  EXPECT_EQ(read(pictures).unknown, std::vector<std::string>{"text_config.invented (true)"});
  for (const char* type : {"gpt2", "llama"}) {
    EXPECT_EQ(read({{"model_type", type}, {"add_cross_attention", false}, {"is_decoder", true}}).unknown,
              std::vector<std::string>());
  }
  EXPECT_EQ(read(R"({"model_type": "distilbert", "is_decoder": false})"_json).unknown,
            std::vector<std::string>());
  EXPECT_EQ(read(R"({"model_type": "distilbert", "is_decoder": true})"_json).unknown,
            std::vector<std::string>{"is_decoder (true)"});
  EXPECT_EQ(
      read(
          R"({"model_type": "llama", "rope_parameters": {"rope_type": "default"}, "rope_scaling": {"alpha": 2}})"_json)
          .unknown,
      std::vector<std::string>{"rope_scaling ({\"alpha\":2})"})
      << "an object beside the one that is read";
  EXPECT_EQ(read(R"({"model_type": "phi3", "lm_head_bias": true})"_json).unknown,
            std::vector<std::string>{"lm_head_bias (true)"});
}

TEST(Configurations, AWindowThatIsOffIsKnown) {
  const Json off = R"({"model_type": "qwen2", "use_sliding_window": false, "sliding_window": 4096,
      "max_window_layers": 28, "rope_scaling": null, "use_mrope": false})"_json;
  EXPECT_EQ(architecture(off).sliding_window, std::nullopt);
}

TEST(Configurations, LayersMayBeBidirectional) {
  for (const char* type :
       {"gpt2", "gpt_neox", "opt", "bloom", "llama", "qwen2", "qwen3", "gemma", "phi", "phi3"})
    EXPECT_EQ(architecture({{"model_type", type}, {"is_causal", false}}).stacks, Stacks::encoder) << type;
  EXPECT_EQ(architecture(R"({"model_type": "llama", "is_causal": true})"_json).stacks, Stacks::decoder);
  EXPECT_NE(read(R"({"model_type": "mistral", "is_causal": false})"_json).error.find("is_causal"),
            std::string::npos);
  EXPECT_NE(read(R"({"model_type": "bert", "is_causal": true})"_json).error.find("is_causal"),
            std::string::npos);
}

TEST(Configurations, SizesHaveTheirOwnNameOrTheUsualOne) {
  const Json usual = R"({"hidden_size": 96, "num_attention_heads": 6, "num_hidden_layers": 3})"_json;
  for (const char* type : {"gpt2", "gpt_neo", "distilbert", "bloom"}) {
    Json json = usual;
    json["model_type"] = type;
    const Architecture a = architecture(json);
    EXPECT_EQ(a.d_model, 96) << type;
    EXPECT_EQ(a.n_heads, 6) << type;
    EXPECT_EQ(a.n_layers, 3) << type;
  }
}

TEST(Configurations, NullIsNotAlwaysTheDefault) {
  for (const char* type : {"mistral", "qwen2", "qwen3", "gemma"}) {
    Json json{{"model_type", type}, {"num_attention_heads", 16}, {"hidden_size", 512}};
    json["num_key_value_heads"] = nullptr;
    json["head_dim"] = nullptr;
    EXPECT_EQ(architecture(json).kv_heads(no_layer), 16) << type;
    EXPECT_EQ(architecture(json).head_width(no_layer), 32) << type;
  }
  EXPECT_EQ(architecture(R"({"model_type": "mistral", "sliding_window": null})"_json).sliding_window,
            std::nullopt);
  const Json capless =
      R"({"model_type": "gemma2", "attn_logit_softcapping": null, "final_logit_softcapping": null})"_json;
  EXPECT_FLOAT_EQ(architecture(capless).softcap, 0.0F);
  EXPECT_FLOAT_EQ(architecture(capless).logit_softcap, 0.0F);
  EXPECT_EQ(architecture(R"({"model_type": "gpt2", "n_inner": null})"_json).d_ff, 3072);
  EXPECT_EQ(architecture(R"({"model_type": "llama", "rope_scaling": null})"_json).rotary.scaling,
            RotaryScaling::none);
}

TEST(Configurations, WindowsAreThoseOfTheirLayers) {
  const Json qwen25 =
      R"({"model_type": "qwen2", "hidden_size": 896, "num_attention_heads": 14, "num_key_value_heads": 2,
      "num_hidden_layers": 24, "max_window_layers": 21, "sliding_window": 32768,
      "use_sliding_window": false})"_json;
  EXPECT_EQ(architecture(qwen25).sliding_window, std::nullopt);
  Json windowed = qwen25;
  windowed["use_sliding_window"] = true;
  EXPECT_EQ(global_layers(architecture(windowed)).size(), 21U);
  EXPECT_TRUE(architecture(windowed).has_sliding_window(21));
  const Json uneven = R"({"model_type": "mistral", "num_hidden_layers": 4, "layer_types": ["full_attention",
      "full_attention", "sliding_attention", "full_attention"]})"_json;
  EXPECT_EQ(global_layers(architecture(uneven)), (std::vector{0, 1, 3}));
  const Architecture gemma2 = architecture(R"({"model_type": "gemma2", "num_hidden_layers": 4})"_json);
  EXPECT_EQ(global_layers(gemma2), (std::vector{1, 3}));
  EXPECT_EQ(gemma2.global_every, 2);
  const Architecture gemma3 = architecture(R"({"model_type": "gemma3_text", "num_hidden_layers": 14})"_json);
  EXPECT_EQ(global_layers(gemma3), (std::vector{5, 11}));
  Json neo{{"model_type", "gpt_neo"},
           {"num_layers", 4},
           {"attention_types", Json::parse(R"([[["global", "local"], 2]])")}};
  EXPECT_EQ(global_layers(architecture(neo)), (std::vector{0, 2}));
  neo["attention_layers"] = {"local", "local", "global", "local"};
  EXPECT_EQ(global_layers(architecture(neo)), (std::vector{2}));
  EXPECT_NE(read(R"({"model_type": "mistral", "layer_types": ["chunked_attention"]})"_json)
                .error.find("layer_types"),
            std::string::npos);
}

TEST(Configurations, RotaryPositionsInAllTheirForms) {
  const auto rotary = [](const Json& more) {
    Json json = R"({"model_type": "llama", "max_position_embeddings": 131072})"_json;
    json.update(more);
    return architecture(json).rotary;
  };
  EXPECT_FLOAT_EQ(rotary(R"({"rope_theta": 3580165449.0})"_json).base, 3580165449.0F);
  EXPECT_EQ(rotary(R"({"rope_scaling": {"type": "linear", "factor": 4.0}})"_json).scaling,
            RotaryScaling::linear);
  const Json of_llama31 = R"({"factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
      "original_max_position_embeddings": 8192, "rope_type": "llama3"})"_json;
  const Rotary llama31 = rotary({{"rope_theta", 500000.0}, {"rope_scaling", of_llama31}});
  EXPECT_EQ(llama31.scaling, RotaryScaling::llama3);
  EXPECT_EQ(llama31.original_length, 8192);
  EXPECT_FLOAT_EQ(llama31.factor, 8.0F);
  // Transformers 5 writes the same settings under this key.
  Json parameters = of_llama31;
  parameters["rope_theta"] = 500000.0;
  EXPECT_EQ(rotary({{"rope_parameters", parameters}}), llama31);
  const Rotary yarn =
      rotary(R"({"rope_scaling": {"type": "yarn", "original_max_position_embeddings": 32768}})"_json);
  EXPECT_EQ(yarn.scaling, RotaryScaling::yarn);
  EXPECT_FLOAT_EQ(yarn.factor, 4.0F);
  EXPECT_EQ(rotary(R"({"rope_scaling": {"type": "dynamic", "factor": 2.0}})"_json).scaling,
            RotaryScaling::none);
  EXPECT_EQ(rotary(R"({"rope_parameters": {"rope_type": "default", "rope_theta": 1e6}})"_json).base, 1e6F);
  const auto refused = [](const Json& scaling) {
    return read({{"model_type", "llama"}, {"rope_scaling", scaling}}).error;
  };
  EXPECT_NE(refused(R"({"type": "mystery"})"_json).find("mystery"), std::string::npos);
  EXPECT_NE(
      refused(R"({"type": "yarn", "factor": 4.0, "attention_factor": 2.0})"_json).find("attention_factor"),
      std::string::npos);
  EXPECT_NE(refused(R"({"rope_type": "llama3", "high_freq_factor": 8.0})"_json).find("high_freq_factor"),
            std::string::npos);
}

TEST(Configurations, LayersWithAWindowHaveTheirOwnBase) {
  const Json before = R"({"model_type": "gemma3_text", "rope_theta": 1000000, "rope_local_base_freq": 10000,
      "rope_scaling": {"factor": 8.0, "rope_type": "linear"}})"_json;
  const Json now = R"({"model_type": "gemma3_text", "rope_parameters": {"full_attention": {"factor": 8.0,
      "rope_theta": 1000000.0, "rope_type": "linear"}, "sliding_attention": {"rope_theta": 10000.0,
      "rope_type": "default"}}})"_json;
  for (const Json& json : {before, now}) {
    const Architecture a = architecture(json);
    EXPECT_FLOAT_EQ(a.rotary_of(0).base, 10000.0F);
    EXPECT_EQ(a.rotary_of(0).scaling, RotaryScaling::none);
    EXPECT_FLOAT_EQ(a.rotary_of(5).base, 1e6F);
    EXPECT_EQ(a.rotary_of(5).scaling, RotaryScaling::linear);
  }
  EXPECT_NE(read(R"({"model_type": "gemma3_text", "use_bidirectional_attention": true})"_json).error, "");
}

TEST(Configurations, LongRopeHoldsUpToTheOriginalLength) {
  Json json = R"({"model_type": "phi3", "hidden_size": 16, "num_attention_heads": 2,
      "max_position_embeddings": 131072, "original_max_position_embeddings": 4096,
      "rope_scaling": {"type": "longrope", "short_factor": [1.0, 1.5, 2.0, 4.0], "long_factor": [1, 2, 3,
      4]}})"_json;
  for (const char* name : {"longrope", "su", "yarn"}) {
    json["rope_scaling"]["type"] = name;
    const Architecture a = architecture(json);
    EXPECT_EQ(a.max_tokens(), 4096) << name;
    EXPECT_EQ(a.rotary_of(0).divisors, (std::vector{1.0F, 1.5F, 2.0F, 4.0F})) << name;
    EXPECT_FLOAT_EQ(a.rotary_of(0).factor, 32.0F) << name;
  }
  json["rope_scaling"]["short_factor"] = {1.0, 1.5};
  EXPECT_NE(read(json).error.find("2 divisors"), std::string::npos) << read(json).error;
  json["rope_scaling"]["short_factor"] = {1.0, 1.5, 0.0, 1.0};
  EXPECT_NE(read(json).error.find("not greater than 0"), std::string::npos) << read(json).error;
  json["rope_scaling"]["short_factor"] = "short";
  EXPECT_NE(read(json).error.find("list of numbers"), std::string::npos) << read(json).error;
}

TEST(Configurations, WordsArePredictedWhereThereIsSomethingToPredictThemBy) {
  using enum OutputLayer;
  const std::vector<std::string> no_head{"model.embed_tokens.weight"};
  const auto head = [&](Json more, const std::vector<std::string>& tensors) {
    Json json = R"({"model_type": "llama"})"_json;
    json.update(more);
    return architecture(json, tensors).output_layer;
  };
  EXPECT_EQ(head(Json::object(), no_head), none);
  EXPECT_EQ(head(R"({"architectures": ["LlamaModel"]})"_json, no_head), none);
  EXPECT_EQ(head(R"({"architectures": ["LlamaForCausalLM"]})"_json, no_head), none);
  EXPECT_EQ(head(R"({"tie_word_embeddings": true})"_json, no_head), tied);
  EXPECT_EQ(head(Json::object(), {"lm_head.weight"}), linear);
  EXPECT_EQ(architecture(R"({"model_type": "bert"})"_json, {"bert.pooler.dense.weight"}).output_layer, none);
  const std::vector<std::string> masked{"cls.predictions.transform.dense.weight"};
  EXPECT_EQ(architecture(R"({"model_type": "bert"})"_json, masked).output_layer, tied);
  EXPECT_EQ(architecture(R"({"model_type": "bert", "tie_word_embeddings": false})"_json, masked).output_layer,
            linear);
  const std::vector<std::string> t5{"decoder.block.0.layer.0.SelfAttention.q.weight", "lm_head.weight"};
  EXPECT_EQ(architecture(R"({"model_type": "t5"})"_json, t5).output_layer, tied);
  EXPECT_EQ(architecture(R"({"model_type": "t5", "tie_word_embeddings": false})"_json, t5).output_layer,
            linear);
}

/// Configurations as their models' folders hold them, without special tokens and sizes of dropout.
const Json falcon_7b =
    R"({"model_type": "falcon", "alibi": false, "apply_residual_connection_post_layernorm": false,
    "bias": false, "hidden_size": 4544, "layer_norm_epsilon": 1e-5, "multi_query": true,
    "new_decoder_architecture": false, "num_attention_heads": 71, "num_hidden_layers": 32,
    "parallel_attn": true})"_json;
const Json command_r7b =
    R"({"model_type": "cohere2", "attention_bias": false, "head_dim": 128, "hidden_act": "silu",
    "hidden_size": 4096, "intermediate_size": 14336, "layer_norm_eps": 1e-5, "layer_switch": 4,
    "logit_scale": 0.25, "max_position_embeddings": 8192, "num_attention_heads": 32,
    "num_hidden_layers": 32, "num_key_value_heads": 8, "order_of_interleaved_layers": "local_attn_first",
    "position_embedding_type": "rope_gptj", "rope_scaling": null, "rope_theta": 50000, "rotary_pct": 1.0,
    "sliding_window": 4096, "sliding_window_pattern": 4, "use_embedding_sharing": true,
    "use_gated_activation": true, "use_parallel_block": true, "use_parallel_embedding": false})"_json;
const Json stablelm_12b =
    R"({"model_type": "stablelm", "hidden_act": "silu", "hidden_size": 5120, "intermediate_size": 13824,
    "layer_norm_eps": 1e-5, "max_position_embeddings": 4096, "num_attention_heads": 32,
    "num_hidden_layers": 40, "num_key_value_heads": 8, "partial_rotary_factor": 0.25,
    "qk_layernorm": true, "rope_theta": 10000, "use_parallel_residual": true, "use_qkv_bias": false,
    "rotary_scaling_factor": 1.0})"_json;
const Json mpt_7b =
    R"({"model_type": "mpt", "attn_config": {"alibi": true, "alibi_bias_max": 8, "attn_impl": "torch",
    "attn_pdrop": 0, "attn_type": "multihead_attention", "attn_uses_sequence_id": false, "clip_qkv": null,
    "prefix_lm": false, "qk_ln": false, "softmax_scale": null}, "d_model": 4096,
    "embedding_fraction": 1.0, "expansion_ratio": 4, "init_config": {"emb_init_std": null,
    "name": "kaiming_normal_"}, "init_device": "cpu", "learned_pos_emb": true, "logit_scale": null,
    "max_seq_len": 2048, "n_heads": 32, "n_layers": 32, "no_bias": true,
    "norm_type": "low_precision_layernorm", "verbose": 0})"_json;

TEST(Configurations, OfFalconSayWhichNormsAndKeysThereAre) {
  const Architecture small = architecture(falcon_7b);
  EXPECT_EQ(small.block, Block::parallel_shared);
  EXPECT_EQ(small.kv_heads(no_layer), 1);
  EXPECT_EQ(small.d_ff, 4 * 4544);
  EXPECT_EQ(small.output_layer, OutputLayer::tied);
  const Json forty = R"({"new_decoder_architecture": true, "num_attention_heads": 128, "hidden_size": 8192,
      "num_kv_heads": 8})"_json;
  EXPECT_EQ(architecture(with(falcon_7b, forty)).block, Block::parallel);
  EXPECT_EQ(architecture(with(falcon_7b, forty)).kv_heads(no_layer), 8);
  EXPECT_EQ(architecture(with(with(falcon_7b, forty), R"({"num_ln_in_parallel_attn": 1})"_json)).block,
            Block::parallel_shared);
  const Architecture rw = architecture(
      with(falcon_7b, R"({"alibi": true, "bias": true, "multi_query": false, "parallel_attn": false,
      "num_attention_heads": 64, "hidden_size": 4096})"_json));
  EXPECT_EQ(rw.positions, Positions::alibi);
  EXPECT_EQ(rw.block, Block::sequential);
  EXPECT_FLOAT_EQ(rw.foreign.slope_factor, 0.125F);
  EXPECT_NE(
      read(with(falcon_7b, R"({"num_ln_in_parallel_attn": 3})"_json)).error.find("num_ln_in_parallel_attn"),
      std::string::npos);
}

TEST(Configurations, OfCommandRRotateOnlyLayersWithAWindow) {
  const Architecture a = architecture(command_r7b);
  EXPECT_EQ(global_layers(a).front(), 3);
  EXPECT_FLOAT_EQ(a.rotary_of(0).fraction, 1.0F);
  EXPECT_FLOAT_EQ(a.rotary_of(3).fraction, 0.0F);
  EXPECT_EQ(a.rotary.pairing, RotaryPairing::interleaved);
  EXPECT_FLOAT_EQ(a.foreign.output_factor, 0.25F);
  EXPECT_NE(read(with(command_r7b, R"({"sliding_window": null})"_json)).error.find("sliding_window"),
            std::string::npos);
}

TEST(Configurations, OfStableLmNameTheirNorms) {
  Json json = stablelm_12b;
  json.erase("rotary_scaling_factor");
  const Architecture a = architecture(json);
  EXPECT_TRUE(a.qk_norm);
  EXPECT_EQ(a.n_head_gains(a.kv_heads(no_layer), no_layer), 8 * 160);
  EXPECT_EQ(a.block, Block::parallel_shared);
  EXPECT_EQ(read(stablelm_12b).unknown, std::vector<std::string>{"rotary_scaling_factor (1.0)"});
}

TEST(Configurations, OfMptWithoutAlibiOrWithClippedKeysAreRefused) {
  EXPECT_EQ(architecture(mpt_7b).positions, Positions::alibi);
  EXPECT_EQ(architecture(mpt_7b).foreign.context, 2048);
  const auto refused = [](const Json& attention) {
    return read(with(mpt_7b, {{"attn_config", attention}})).error;
  };
  EXPECT_NE(refused(R"({"clip_qkv": 6})"_json).find("clip_qkv"), std::string::npos);
  EXPECT_NE(refused(R"({"alibi_bias_max": 16})"_json).find("alibi_bias_max"), std::string::npos);
  EXPECT_NE(refused(R"({"alibi": false})"_json).find("alibi"), std::string::npos);
  EXPECT_NE(read(with(mpt_7b, R"({"norm_type": "low_precision_rmsnorm"})"_json)).error.find("norm_type"),
            std::string::npos);
  EXPECT_NE(read(with(mpt_7b, R"({"ffn_config": {"ffn_type": "mptglu", "fc_type": "torch"}})"_json))
                .error.find("its ffn_config.ffn_type is \"mptglu\""),
            std::string::npos);
}

/// What versions of transformers from 2025 on write.
TEST(Configurations, OfNewerVersionsAreKnown) {
  Json types = Json::array(), bert_types = Json::array();
  for (int l = 0; l < 18; ++l) types.push_back(l % 6 == 5 ? "full_attention" : "sliding_attention");
  for (int l = 0; l < 22; ++l) bert_types.push_back(l % 3 == 0 ? "full_attention" : "sliding_attention");
  const Json common =
      R"({"attention_bias": false, "attention_dropout": 0.0, "dtype": "bfloat16", "hidden_act": "silu",
      "pad_token_id": null, "transformers_version": "5.2.0", "use_cache": true})"_json;
  const Json gemma3_270m = with(common, {{"model_type", "gemma3_text"},
                                         {"_sliding_window_pattern", 6},
                                         {"attn_logit_softcapping", nullptr},
                                         {"final_logit_softcapping", nullptr},
                                         {"head_dim", 256},
                                         {"hidden_activation", "gelu_pytorch_tanh"},
                                         {"hidden_size", 640},
                                         {"intermediate_size", 2048},
                                         {"layer_types", types},
                                         {"max_position_embeddings", 32768},
                                         {"num_attention_heads", 4},
                                         {"num_hidden_layers", 18},
                                         {"num_key_value_heads", 1},
                                         {"query_pre_attn_scalar", 256},
                                         {"rope_local_base_freq", 10000.0},
                                         {"rope_scaling", nullptr},
                                         {"rope_theta", 1000000.0},
                                         {"sliding_window", 512},
                                         {"use_bidirectional_attention", false}});
  EXPECT_EQ(global_layers(architecture(gemma3_270m)), (std::vector<int>{5, 11, 17}));
  EXPECT_FLOAT_EQ(architecture(gemma3_270m).rotary_of(0).base, 10000.0F);
  EXPECT_NE(
      read(with(gemma3_270m, R"({"use_bidirectional_attention": true})"_json)).error.find("bidirectional"),
      std::string::npos);
  const Json qwen3 =
      with(common, R"({"model_type": "qwen3", "head_dim": 128, "hidden_size": 1024, "intermediate_size": 3072,
      "max_position_embeddings": 40960, "max_window_layers": 28, "num_attention_heads": 16,
      "num_hidden_layers": 28, "num_key_value_heads": 8, "rope_parameters": {"rope_theta": 1000000,
      "rope_type": "default"}, "sliding_window": null, "tie_word_embeddings": true,
      "use_sliding_window": false})"_json);
  EXPECT_FLOAT_EQ(architecture(qwen3).rotary.base, 1e6F);
  EXPECT_EQ(architecture(qwen3).group_size(no_layer), 2);
  const Json turns = R"({"full_attention": {"rope_theta": 160000.0, "rope_type": "default"},
      "sliding_attention": {"rope_theta": 10000.0, "rope_type": "default"}})"_json;
  const Json modernbert{
      {"model_type", "modernbert"},  {"dtype", "float32"},        {"global_attn_every_n_layers", 3},
      {"hidden_activation", "gelu"}, {"layer_types", bert_types}, {"local_attention", 128},
      {"norm_bias", false},          {"rope_parameters", turns},  {"tie_word_embeddings", true}};
  EXPECT_EQ(global_layers(architecture(modernbert)).at(1), 3);
  EXPECT_FLOAT_EQ(architecture(modernbert).rotary_of(1).base, 10000.0F);
  EXPECT_FLOAT_EQ(architecture(modernbert).rotary_of(3).base, 160000.0F);
  EXPECT_EQ(read(with(qwen3, R"({"per_layer_config": {"3": {"head_dim": 64}}})"_json)).unknown,
            (std::vector<std::string>{"per_layer_config ({\"3\":{\"head_dim\":64}})"}));
  const Json mpnet = R"({"model_type": "mpnet", "attention_probs_dropout_prob": 0.1, "layer_norm_eps": 1e-5,
      "max_position_embeddings": 514, "relative_attention_num_buckets": 32})"_json;
  EXPECT_EQ(architecture(mpnet).relative_buckets, 32);
  EXPECT_EQ(architecture(mpnet).foreign.position_rows, 514);
}

/// The configurations of deberta-v3-base and deberta-v2-xlarge.
TEST(Configurations, OfDebertaV2SayWhichProductsWithPositionsAreAdded) {
  const Json v3{{"model_type", "deberta-v2"},   {"attention_probs_dropout_prob", 0.1},
                {"hidden_act", "gelu"},         {"hidden_dropout_prob", 0.1},
                {"hidden_size", 768},           {"initializer_range", 0.02},
                {"intermediate_size", 3072},    {"max_position_embeddings", 512},
                {"relative_attention", true},   {"position_buckets", 256},
                {"norm_rel_ebd", "layer_norm"}, {"share_att_key", true},
                {"pos_att_type", "p2c|c2p"},    {"layer_norm_eps", 1e-7},
                {"max_relative_positions", -1}, {"position_biased_input", false},
                {"num_attention_heads", 12},    {"num_hidden_layers", 12},
                {"type_vocab_size", 0},         {"vocab_size", 128100}};
  const Architecture a = architecture(v3);
  EXPECT_EQ(a.foreign.disentangled, (Disentangled{true, true, true, true, 256, 512}));
  EXPECT_FLOAT_EQ(a.score_scale, 1.0F / std::sqrt(192.0F));
  EXPECT_EQ(a.foreign.position_rows, 512);
  EXPECT_EQ(a.max_tokens(), 0);
  EXPECT_EQ(read(v3).unknown, std::vector<std::string>());
  const Architecture one = architecture(with(v3, {{"pos_att_type", {"c2p"}}, {"position_buckets", -1}}));
  EXPECT_EQ(one.foreign.disentangled, (Disentangled{true, false, true, true, 0, 512}));
  EXPECT_FLOAT_EQ(one.score_scale, 1.0F / std::sqrt(128.0F));
  const Json xlarge = with(v3, {{"conv_kernel_size", 3}, {"conv_act", "gelu"}, {"attention_head_size", 64}});
  EXPECT_EQ(read(xlarge).error,
            "its conv_kernel_size is 3, but a convolution beside the first layer is not supported");
  for (const auto& [key, value] : std::vector<std::pair<const char*, Json>>{{"pos_att_type", "p2p|c2p"},
                                                                            {"pos_att_type", nullptr},
                                                                            {"norm_rel_ebd", "batch_norm"},
                                                                            {"relative_attention", false},
                                                                            {"position_biased_input", true},
                                                                            {"embedding_size", 128}})
    EXPECT_NE(read(with(v3, {{key, value}})).error.find(key), std::string::npos) << key;
}

TEST(Configurations, OfSmolLm3SayWhichLayersRotate) {
  const Json json = R"({"model_type": "smollm3", "num_hidden_layers": 4})"_json;
  EXPECT_EQ(architecture(json).foreign.unrotated_layers, (std::vector{false, false, false, true}));
  EXPECT_EQ(architecture(with(json, R"({"no_rope_layers": [1, 0, 1, 1]})"_json)).foreign.unrotated_layers,
            (std::vector{false, true, false, false}));
  EXPECT_NE(read(with(json, R"({"no_rope_layers": [1, 0]})"_json)).error.find("no_rope_layers"),
            std::string::npos);
}

TEST(Configurations, OfOlmo3ScaleOnlyLayersWithoutAWindow) {
  const Architecture a =
      architecture(R"({"model_type": "olmo3", "num_hidden_layers": 8, "max_position_embeddings": 65536,
      "rope_theta": 500000, "rope_scaling": {"rope_type": "yarn", "factor": 8.0,
      "original_max_position_embeddings": 8192, "attention_factor": 1.2079441541679836, "beta_fast": 32.0,
      "beta_slow": 1.0}})"_json);
  EXPECT_EQ(global_layers(a), (std::vector{3, 7}));
  EXPECT_EQ(a.rotary_of(0).scaling, RotaryScaling::none);
  EXPECT_EQ(a.rotary_of(3).scaling, RotaryScaling::yarn);
  EXPECT_EQ(a.norm, Norm::output);
  EXPECT_TRUE(a.has_final_norm(Stack::decoder));
  EXPECT_FALSE(a.feed_forward_has_norm());
}

TEST(Configurations, OfGranite3HoldFactors) {
  const Json json = R"({"model_type": "granite", "attention_multiplier": 0.015625, "embedding_multiplier": 12,
      "logits_scaling": 8.0, "residual_multiplier": 0.22, "tie_word_embeddings": true})"_json;
  const Architecture a = architecture(json);
  EXPECT_FLOAT_EQ(a.score_scale, 0.015625F);
  EXPECT_DOUBLE_EQ(a.embedding_factor(), 12.0);
  EXPECT_FLOAT_EQ(a.foreign.sublayer_factor, 0.22F);
  EXPECT_FLOAT_EQ(a.foreign.output_factor, 0.125F);
  EXPECT_NE(read(with(json, R"({"logits_scaling": 0.0})"_json)).error.find("logits_scaling"),
            std::string::npos);
}

TEST(Configurations, OfGptJRotateTheFirstNeighbours) {
  const Json json = R"({"model_type": "gptj", "n_embd": 4096, "n_head": 16, "rotary": true, "rotary_dim": 64,
      "scale_attn_weights": true})"_json;
  const Architecture a = architecture(json, {"lm_head.weight", "lm_head.bias"});
  EXPECT_EQ(rotated_width(a.rotary, a.head_width(no_layer)), 64);
  EXPECT_TRUE(a.output_bias);
  EXPECT_NE(read(with(json, R"({"rotary_dim": null})"_json)).error.find("rotary_dim"), std::string::npos);
  EXPECT_NE(
      read(with(json, R"({"model_type": "codegen", "n_head": 6, "n_embd": 384})"_json)).error.find("4 equal"),
      std::string::npos);
}

TEST(Configurations, OfModernBertAlternateWindowsAndBases) {
  const Json json =
      R"({"model_type": "modernbert", "global_attn_every_n_layers": 3, "global_rope_theta": 160000.0,
      "layer_norm_eps": 1e-5, "local_attention": 128, "local_rope_theta": 10000.0, "norm_bias": false,
      "position_embedding_type": "absolute", "reference_compile": true, "repad_logits_with_grad": false,
      "sparse_pred_ignore_index": -100})"_json;
  const Architecture a = architecture(json, {"head.dense.weight", "decoder.bias"});
  EXPECT_EQ(global_layers(a).at(1), 3);
  EXPECT_EQ(a.sliding_window, 65);
  EXPECT_FLOAT_EQ(a.rotary_of(0).base, 160000.0F);
  EXPECT_FLOAT_EQ(a.rotary_of(1).base, 10000.0F);
  EXPECT_EQ(a.output_layer, OutputLayer::tied);
  EXPECT_EQ(architecture(json, {"head.dense.weight", "classifier.weight"}).output_layer, OutputLayer::none);
}

TEST(Configurations, OfMixturesSayHowManyExpertsThereAre) {
  const Json qwen15_moe = R"({"model_type": "qwen2_moe", "decoder_sparse_step": 1, "hidden_size": 2048,
      "intermediate_size": 5632, "moe_intermediate_size": 1408, "norm_topk_prob": false,
      "num_attention_heads": 16, "num_experts": 60, "num_experts_per_tok": 4, "num_hidden_layers": 24,
      "num_key_value_heads": 16, "output_router_logits": false, "router_aux_loss_coef": 0.001,
      "shared_expert_intermediate_size": 5632, "use_sliding_window": false})"_json;
  const Architecture a = architecture(qwen15_moe);
  EXPECT_EQ(a.d_ff, 60 * 1408 + 5632);
  EXPECT_EQ(a.foreign.experts->expert_of(60 * 1408 + 5631), 60);
  EXPECT_EQ(a.foreign.experts->expert_of(2 * 1408 - 1), 1);
  const Architecture mixed = architecture(with(qwen15_moe, R"({"mlp_only_layers": [0]})"_json));
  EXPECT_FALSE(mixed.has_experts(0));
  EXPECT_EQ(mixed.feed_forward_width(0), 5632);
  EXPECT_EQ(mixed.feed_forward_width(1), 60 * 1408 + 5632);
  EXPECT_NE(read(with(qwen15_moe, R"({"num_experts_per_tok": 61})"_json)).error.find("experts of a token"),
            std::string::npos);
  EXPECT_NE(read(with(qwen15_moe, R"({"num_experts": 67108864})"_json)).error.find("num_experts"),
            std::string::npos);
  EXPECT_TRUE(architecture(R"({"model_type": "mixtral"})"_json).foreign.experts->renormalizes);
}

TEST(Configurations, OfGptOssAndDeepSeekAreKnown) {
  Json types = Json::array();
  for (int l = 0; l < 24; ++l) types.push_back(l % 2 == 0 ? "sliding_attention" : "full_attention");
  const Json gpt_oss{
      {"model_type", "gpt_oss"},
      {"attention_bias", true},
      {"attention_dropout", 0.0},
      {"experts_per_token", 4},
      {"head_dim", 64},
      {"hidden_act", "silu"},
      {"hidden_size", 2880},
      {"initial_context_length", 4096},
      {"initializer_range", 0.02},
      {"intermediate_size", 2880},
      {"layer_types", types},
      {"max_position_embeddings", 131072},
      {"num_attention_heads", 64},
      {"num_experts_per_tok", 4},
      {"num_hidden_layers", 24},
      {"num_key_value_heads", 8},
      {"num_local_experts", 32},
      {"output_router_logits", false},
      {"quantization_config", R"({"modules_to_not_convert": ["lm_head"], "quant_method": "mxfp4"})"_json},
      {"rms_norm_eps", 1e-5},
      {"rope_scaling",
       {{"beta_fast", 32.0},
        {"beta_slow", 1.0},
        {"factor", 32.0},
        {"original_max_position_embeddings", 4096},
        {"rope_type", "yarn"},
        {"truncate", false}}},
      {"rope_theta", 150000},
      {"router_aux_loss_coef", 0.9},
      {"sliding_window", 128},
      {"swiglu_limit", 7.0},
      {"tie_word_embeddings", false},
      {"use_cache", true},
      {"vocab_size", 201088}};
  const Architecture a = architecture(gpt_oss);
  EXPECT_EQ(read(gpt_oss).unknown, std::vector<std::string>());
  EXPECT_EQ(global_layers(a).at(0), 1);
  EXPECT_TRUE(a.sinks);
  EXPECT_FALSE(a.rotary.rounds);
  const Json v2_lite = R"({"model_type": "deepseek_v2", "attention_bias": false, "aux_loss_alpha": 0.001,
      "first_k_dense_replace": 1, "hidden_size": 2048, "intermediate_size": 10944, "kv_lora_rank": 512,
      "max_position_embeddings": 163840, "moe_intermediate_size": 1408, "moe_layer_freq": 1, "n_group": 1,
      "n_routed_experts": 64, "n_shared_experts": 2, "norm_topk_prob": false, "num_attention_heads": 16,
      "num_experts_per_tok": 6, "num_hidden_layers": 27, "num_key_value_heads": 16, "pretraining_tp": 1,
      "q_lora_rank": null, "qk_nope_head_dim": 128, "qk_rope_head_dim": 64, "rms_norm_eps": 1e-6,
      "rope_scaling": {"beta_fast": 32, "beta_slow": 1, "factor": 40, "mscale": 0.707,
      "mscale_all_dim": 0.707, "original_max_position_embeddings": 4096, "type": "yarn"},
      "rope_theta": 10000, "routed_scaling_factor": 1.0, "scoring_func": "softmax", "seq_aux": true,
      "topk_group": 1, "topk_method": "greedy", "v_head_dim": 128})"_json;
  const Architecture lite = architecture(v2_lite);
  EXPECT_EQ(read(v2_lite).unknown, std::vector<std::string>());
  EXPECT_FALSE(lite.has_experts(0));
  EXPECT_TRUE(lite.has_experts(1));
  EXPECT_EQ(lite.shared_key_width(AttentionKind::self), 64);
  // The factor of the scores in the code of the model: m² / √192 with m = 0.1 · 0.707 ln 40 + 1.
  const double m = 0.0707 * std::log(40.0) + 1.0;
  EXPECT_NEAR(static_cast<double>(lite.score_scale) * score_amplitude(lite.rotary), m * m / std::sqrt(192.0),
              1e-6);
  EXPECT_NE(read(with(v2_lite, R"({"topk_method": "noaux_tc"})"_json)).error.find("topk_method"),
            std::string::npos);
  EXPECT_NE(read(with(v2_lite, R"({"moe_layer_freq": 2})"_json)).error.find("moe_layer_freq"),
            std::string::npos);
  const Architecture moonlight = architecture(with(v2_lite, R"({"rms_norm_eps": 1e-5})"_json));
  EXPECT_EQ(moonlight.norm_epsilon, 1e-5F);
  EXPECT_EQ(norm_epsilon(moonlight, StageKind::normed_latent), 1e-6F);
}

TEST(Configurations, OfGemma4SayWhatLayersHaveOfTheirOwn) {
  const Json e2b = R"({"model_type": "gemma4", "text_config": {"model_type": "gemma4_text",
      "hidden_size": 1536, "num_hidden_layers": 35, "num_key_value_heads": 1, "num_kv_shared_layers": 20,
      "intermediate_size": 6144, "use_double_wide_mlp": true, "hidden_size_per_layer_input": 256}})"_json;
  const Architecture a = architecture(e2b);
  EXPECT_EQ(global_layers(a), (std::vector<int>{5, 11, 17, 23, 29, 34}));
  EXPECT_EQ(a.head_width(0), 256);
  EXPECT_EQ(a.head_width(5), 512);
  EXPECT_EQ(a.own(14).keys_of, -1);
  EXPECT_EQ(a.own(15).keys_of, 14);  // The last layer with a window that makes its own.
  EXPECT_EQ(a.own(17).keys_of, 11);
  EXPECT_EQ(a.feed_forward_width(14), 6144);
  EXPECT_EQ(a.feed_forward_width(15), 12288);
  EXPECT_EQ(a.all_layer_inputs_width(), 35 * 256);
  EXPECT_FLOAT_EQ(a.rotary_of(0).base, 10000.0F);
  EXPECT_FALSE(a.rotary_of(0).is_proportional);
  const RotaryFrequencies turns = rotary_frequencies(a.rotary_of(5), a.head_width(5));
  EXPECT_EQ(turns.n_pairs(), 256);
  EXPECT_DOUBLE_EQ(turns.frequencies[63], std::pow(1e6, -126.0 / 512.0));
  EXPECT_EQ(turns.frequencies[64], 0.0);

  const Json a4b = R"({"model_type": "gemma4_text", "attention_k_eq_v": true, "enable_moe_block": true,
      "num_key_value_heads": 8, "num_global_key_value_heads": 2, "num_experts": 128, "top_k_experts": 8,
      "moe_intermediate_size": 704, "intermediate_size": 2112, "hidden_size_per_layer_input": null})"_json;
  EXPECT_EQ(architecture(a4b).kv_heads(4), 8);
  EXPECT_EQ(architecture(a4b).kv_heads(5), 2);
  EXPECT_FALSE(architecture(a4b).own(4).values_from_keys);
  EXPECT_TRUE(architecture(a4b).own(5).values_from_keys);
  EXPECT_EQ(architecture(a4b).foreign.experts->dense_width, 2112);
  EXPECT_EQ(architecture(a4b).d_ff, 128 * 704);
  for (const auto& [key, value] :
       {std::pair("use_bidirectional_attention", Json("all")), std::pair("num_kv_shared_layers", Json(30)),
        std::pair("num_experts", Json()), std::pair("sliding_window", Json(0)),
        std::pair("rope_parameters", R"({"rope_theta": 10000.0})"_json)})
    EXPECT_NE(read(with(a4b, {{key, value}})).error.find(key), std::string::npos) << key;
}

TEST(Configurations, OfGemma3nSayHowLayersDiffer) {
  const Json json = R"({"model_type": "gemma3n_text"})"_json;
  const Architecture a = architecture(json);
  EXPECT_EQ(a.n_streams(), 4);
  EXPECT_EQ(a.foreign.streams->laurel_rank, 64);
  EXPECT_FLOAT_EQ(a.own(9).sparsity, 0.95F);
  EXPECT_EQ(a.own(10).sparsity, 0.0F);
  EXPECT_EQ(a.own(20).keys_of, 18);
  EXPECT_EQ(a.own(24).keys_of, 19);
  const Json wide = with(json, R"({"num_hidden_layers": 2, "num_kv_shared_layers": 0,
      "intermediate_size": [8, 16], "activation_sparsity_pattern": [0.5, 0.0]})"_json);
  EXPECT_EQ(architecture(wide).feed_forward_width(1), 16);
  for (const auto& [key, value] :
       {std::pair("altup_active_idx", Json(1)), std::pair("intermediate_size", Json{8}),
        std::pair("hidden_size_per_layer_input", Json(0)),
        std::pair("activation_sparsity_pattern", Json{0.5})})
    EXPECT_NE(read(with(wide, {{key, value}})).error.find(key), std::string::npos) << key;
}

TEST(Configurations, OfTranslationModelsAreKnown) {
  const Json sizes = R"({"d_model": 512, "encoder_layers": 6, "decoder_layers": 6, "encoder_ffn_dim": 2048,
      "decoder_ffn_dim": 2048, "encoder_attention_heads": 8, "decoder_attention_heads": 8,
      "max_position_embeddings": 512, "num_hidden_layers": 6, "scale_embedding": true,
      "is_encoder_decoder": true, "classif_dropout": 0.0, "encoder_layerdrop": 0.0,
      "decoder_start_token_id": 2, "num_beams": 6})"_json;
  const Json opus =
      with(sizes, R"({"model_type": "marian", "activation_function": "swish", "add_bias_logits": false,
      "add_final_layer_norm": false, "bad_words_ids": [[58100]], "decoder_vocab_size": 58101,
      "normalize_before": false, "normalize_embedding": false, "share_encoder_decoder_embeddings": true,
      "static_position_embeddings": true})"_json);
  EXPECT_EQ(read(opus).unknown, std::vector<std::string>());
  EXPECT_EQ(architecture(opus).activation, Activation::silu);
  EXPECT_EQ(architecture(opus).max_tokens(), 512);
  EXPECT_NE(read(with(opus, R"({"share_encoder_decoder_embeddings": false})"_json)).error, "");
  EXPECT_NE(read(with(opus, R"({"normalize_before": true})"_json)).error.find("normalize_before"),
            std::string::npos);
  const Json distilbart =
      with(sizes, R"({"model_type": "bart", "decoder_layers": 3, "activation_function": "gelu",
      "extra_pos_embeddings": 2, "normalize_embedding": true, "output_past": true,
      "force_bos_token_to_be_generated": true, "prefix": " ", "save_step": 58})"_json);
  const Architecture a = architecture(distilbart);
  EXPECT_EQ(read(distilbart).unknown, std::vector<std::string>());
  EXPECT_EQ(a.layers_of(Stack::encoder), 6);
  EXPECT_EQ(a.layers_of(Stack::decoder), 3);
  EXPECT_EQ(layers_text(a), "6 + 3 layers");
  const Json nllb = with(sizes, R"({"model_type": "m2m_100", "activation_function": "relu"})"_json);
  EXPECT_EQ(read(nllb).unknown, std::vector<std::string>());
  EXPECT_EQ(architecture(nllb).foreign.first_position, 2);
  const Json umt5 =
      R"({"model_type": "umt5", "d_ff": 1024, "d_kv": 64, "d_model": 512, "dense_act_fn": "gelu_new",
      "feed_forward_proj": "gated-gelu", "is_gated_act": true, "num_decoder_layers": 8, "num_heads": 6,
      "num_layers": 8, "relative_attention_max_distance": 128, "relative_attention_num_buckets": 32,
      "scalable_attention": true, "tie_word_embeddings": false})"_json;
  EXPECT_EQ(read(umt5).unknown, std::vector<std::string>());
  EXPECT_NE(read(with(sizes, R"({"model_type": "bart", "decoder_ffn_dim": 4096})"_json))
                .error.find("decoder_ffn_dim"),
            std::string::npos);
}

TEST(Configurations, OfAlbertShareOneLayer) {
  const Json json = R"({"model_type": "albert", "embedding_size": 128, "gap_size": 0, "inner_group_num": 1,
      "net_structure_type": 0, "num_hidden_groups": 1, "num_memory_blocks": 0, "down_scale_factor": 1,
      "hidden_act": "gelu_new"})"_json;
  EXPECT_EQ(architecture(json).embedding_width(), 128);
  EXPECT_NE(read(with(json, R"({"num_hidden_groups": 2})"_json)).error.find("num_hidden_groups"),
            std::string::npos);
}

TEST(Configurations, NarrowTablesOfOptAreNotTied) {
  const Json opt350m =
      R"({"model_type": "opt", "hidden_size": 1024, "num_attention_heads": 16, "num_hidden_layers": 24,
      "ffn_dim": 4096, "word_embed_proj_dim": 512, "do_layer_norm_before": false})"_json;
  const Architecture a = architecture(opt350m);
  EXPECT_EQ(a.norm, Norm::post);
  EXPECT_FALSE(a.has_final_norm(Stack::decoder));
  EXPECT_EQ(a.output_layer, OutputLayer::linear);
  EXPECT_EQ(a.embedding_width(), 1024);
}

}  // namespace
}  // namespace headscope
