// Reads the config.json of well-known models, as several versions of transformers write it, and checks the
// resulting architecture. The expected values are those of the models' papers and of transformers'
// configuration classes.
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "core/checkpoint/family.h"
#include "core/io/safetensors.h"
#include "tests/unit/io/temporary_folder.h"

namespace headscope {
namespace {

using Json = nlohmann::json;

/// Files with tensors of these names, of one number each.
CheckpointFiles files_with(const std::vector<std::string>& names) {
  const TemporaryFolder folder;
  const float number = 0.0F;
  std::vector<TensorView> tensors;
  for (const std::string& name : names) tensors.push_back({name, {1}, {&number, 1, 1, 1}});
  EXPECT_TRUE(write_safetensors(folder / "model.safetensors", tensors, {}).has_value());
  return *CheckpointFiles::open(folder / "");
}

struct Read {
  Architecture architecture;
  std::string error;
  std::vector<std::string> unknown;
};

Read read(const Json& json, const std::vector<std::string>& tensors = {"lm_head.weight"}) {
  const CheckpointFiles files = files_with(tensors);
  ModelConfig config(json);
  for (const Family& family : families()) {
    const auto& types = family.model_types;
    if (std::ranges::find(types, json["model_type"].get<std::string>()) == types.end()) continue;
    Read result{family.architecture(config, files), config.error(), {}};
    result.unknown = config.unknown();
    const auto valid = validate(result.architecture);
    if (result.error.empty() && !valid) result.error = valid.error().message;
    return result;
  }
  return {{}, "no family", {}};
}

Architecture architecture(const Json& json, const std::vector<std::string>& tensors = {"lm_head.weight"}) {
  const Read result = read(json, tensors);
  EXPECT_EQ(result.error, "") << json;
  EXPECT_TRUE(result.unknown.empty()) << json << ": " << result.unknown.front();
  return result.architecture;
}

std::vector<int> global_layers(const Architecture& a) {
  std::vector<int> layers;
  for (int l = 0; l < a.n_layers; ++l) {
    if (!a.slides(l)) layers.push_back(l);
  }
  return layers;
}

TEST(Configurations, LeftOutIsTheDefaultOfTheClass) {
  const Architecture llama = architecture({{"model_type", "llama"}});
  EXPECT_EQ(llama.n_layers, 32);
  EXPECT_EQ(llama.d_model, 4096);
  EXPECT_EQ(llama.d_ff, 11008);
  EXPECT_EQ(llama.kv_heads(), 32);
  EXPECT_EQ(llama.output_layer, OutputLayer::linear);
  EXPECT_FLOAT_EQ(llama.norm_epsilon, 1e-6F);
  EXPECT_FLOAT_EQ(llama.rotary.base, 10000.0F);
  EXPECT_EQ(architecture({{"model_type", "mistral"}}).kv_heads(), 8);
  EXPECT_EQ(architecture({{"model_type", "mistral"}}).sliding_window, 4096);
  EXPECT_EQ(architecture({{"model_type", "qwen3"}}).head_width(), 128);
  EXPECT_EQ(architecture({{"model_type", "gemma"}}).head_width(), 256);
  EXPECT_EQ(architecture({{"model_type", "gemma"}}).output_layer, OutputLayer::tied);
  const Architecture gemma2 = architecture({{"model_type", "gemma2"}});
  EXPECT_FLOAT_EQ(gemma2.softcap, 50.0F);
  EXPECT_FLOAT_EQ(gemma2.logit_softcap, 30.0F);
  EXPECT_FLOAT_EQ(gemma2.score_scale, 1.0F / 16.0F);
  const Architecture neox = architecture({{"model_type", "gpt_neox"}}, {"embed_out.weight"});
  EXPECT_EQ(neox.block, Block::parallel);
  EXPECT_FLOAT_EQ(neox.rotary.fraction, 0.25F);
  EXPECT_EQ(architecture({{"model_type", "bert"}}).foreign.segments, 2);
  EXPECT_EQ(architecture({{"model_type", "roberta"}}).foreign.first_position, 2);
  EXPECT_EQ(architecture({{"model_type", "opt"}}).foreign.position_rows, 2050);
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
    json["rope_scaling"] = {{"rope_type", "default"}, {"invented", {1, 2}}};
    std::vector<std::string> unknown = read(json).unknown;
    std::erase_if(unknown,
                  [&](const std::string& key) { return std::ranges::find(before, key) != before.end(); });
    const bool is_rotary = read(json).architecture.positions == Positions::rotary;
    const std::string nested = is_rotary ? "rope_scaling.invented ([1,2])" : "rope_scaling ({";
    ASSERT_EQ(unknown.size(), 2U) << type;
    EXPECT_EQ(unknown[0], "invented (0.5)") << type;
    EXPECT_TRUE(unknown[1].starts_with(nested)) << type << ": " << unknown[1];
  }
  const Json pictures{{"model_type", "gemma3"},
                      {"text_config", {{"num_hidden_layers", 2}, {"invented", true}}},
                      {"vision_config", {{"hidden_size", 8}}}};
  EXPECT_EQ(read(pictures).unknown, std::vector<std::string>{"text_config.invented (true)"});
  for (const char* type : {"gpt2", "llama"}) {
    EXPECT_EQ(read({{"model_type", type}, {"add_cross_attention", false}, {"is_decoder", true}}).unknown,
              std::vector<std::string>());
  }
  EXPECT_EQ(read({{"model_type", "distilbert"}, {"is_decoder", false}}).unknown, std::vector<std::string>());
  EXPECT_EQ(read({{"model_type", "distilbert"}, {"is_decoder", true}}).unknown,
            std::vector<std::string>{"is_decoder (true)"});
  EXPECT_EQ(read({{"model_type", "llama"},
                  {"rope_parameters", {{"rope_type", "default"}}},
                  {"rope_scaling", {{"alpha", 2}}}})
                .unknown,
            std::vector<std::string>{"rope_scaling ({\"alpha\":2})"})
      << "an object beside the one that is read";
  EXPECT_EQ(read({{"model_type", "phi3"}, {"lm_head_bias", true}}).unknown,
            std::vector<std::string>{"lm_head_bias (true)"});
}

TEST(Configurations, AWindowThatIsOffIsKnown) {
  const Json off{{"model_type", "qwen2"},   {"use_sliding_window", false}, {"sliding_window", 4096},
                 {"max_window_layers", 28}, {"rope_scaling", nullptr},     {"use_mrope", false}};
  EXPECT_EQ(architecture(off).sliding_window, std::nullopt);
}

TEST(Configurations, LayersMayBeBidirectional) {
  for (const char* type :
       {"gpt2", "gpt_neox", "opt", "bloom", "llama", "qwen2", "qwen3", "gemma", "phi", "phi3"})
    EXPECT_EQ(architecture({{"model_type", type}, {"is_causal", false}}).stacks, Stacks::encoder) << type;
  EXPECT_EQ(architecture({{"model_type", "llama"}, {"is_causal", true}}).stacks, Stacks::decoder);
  EXPECT_NE(read({{"model_type", "mistral"}, {"is_causal", false}}).error.find("is_causal"),
            std::string::npos);
  EXPECT_NE(read({{"model_type", "bert"}, {"is_causal", true}}).error.find("is_causal"), std::string::npos);
}

TEST(Configurations, SizesHaveTheirOwnNameOrTheUsualOne) {
  const Json usual{{"hidden_size", 96}, {"num_attention_heads", 6}, {"num_hidden_layers", 3}};
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
    EXPECT_EQ(architecture(json).kv_heads(), 16) << type;
    EXPECT_EQ(architecture(json).head_width(), 32) << type;
  }
  EXPECT_EQ(architecture({{"model_type", "mistral"}, {"sliding_window", nullptr}}).sliding_window,
            std::nullopt);
  const Json capless{
      {"model_type", "gemma2"}, {"attn_logit_softcapping", nullptr}, {"final_logit_softcapping", nullptr}};
  EXPECT_FLOAT_EQ(architecture(capless).softcap, 0.0F);
  EXPECT_FLOAT_EQ(architecture(capless).logit_softcap, 0.0F);
  EXPECT_EQ(architecture({{"model_type", "gpt2"}, {"n_inner", nullptr}}).d_ff, 3072);
  EXPECT_EQ(architecture({{"model_type", "llama"}, {"rope_scaling", nullptr}}).rotary.scaling,
            RotaryScaling::none);
}

TEST(Configurations, WindowsAreThoseOfTheirLayers) {
  const Json qwen25{{"model_type", "qwen2"},    {"hidden_size", 896},         {"num_attention_heads", 14},
                    {"num_key_value_heads", 2}, {"num_hidden_layers", 24},    {"max_window_layers", 21},
                    {"sliding_window", 32768},  {"use_sliding_window", false}};
  EXPECT_EQ(architecture(qwen25).sliding_window, std::nullopt);
  Json windowed = qwen25;
  windowed["use_sliding_window"] = true;
  EXPECT_EQ(global_layers(architecture(windowed)).size(), 21U);
  EXPECT_TRUE(architecture(windowed).slides(21));
  const Json uneven{
      {"model_type", "mistral"},
      {"num_hidden_layers", 4},
      {"layer_types", {"full_attention", "full_attention", "sliding_attention", "full_attention"}}};
  EXPECT_EQ(global_layers(architecture(uneven)), (std::vector{0, 1, 3}));
  const Architecture gemma2 = architecture({{"model_type", "gemma2"}, {"num_hidden_layers", 4}});
  EXPECT_EQ(global_layers(gemma2), (std::vector{1, 3}));
  EXPECT_EQ(gemma2.global_every, 2);
  const Architecture gemma3 = architecture({{"model_type", "gemma3_text"}, {"num_hidden_layers", 14}});
  EXPECT_EQ(global_layers(gemma3), (std::vector{5, 11}));
  Json neo{{"model_type", "gpt_neo"},
           {"num_layers", 4},
           {"attention_types", Json::parse(R"([[["global", "local"], 2]])")}};
  EXPECT_EQ(global_layers(architecture(neo)), (std::vector{0, 2}));
  neo["attention_layers"] = {"local", "local", "global", "local"};
  EXPECT_EQ(global_layers(architecture(neo)), (std::vector{2}));
  EXPECT_NE(
      read({{"model_type", "mistral"}, {"layer_types", {"chunked_attention"}}}).error.find("layer_types"),
      std::string::npos);
}

TEST(Configurations, RotaryPositionsInAllTheirForms) {
  const auto rotary = [](const Json& more) {
    Json json{{"model_type", "llama"}, {"max_position_embeddings", 131072}};
    json.update(more);
    return architecture(json).rotary;
  };
  EXPECT_FLOAT_EQ(rotary({{"rope_theta", 3580165449.0}}).base, 3580165449.0F);
  EXPECT_EQ(rotary({{"rope_scaling", {{"type", "linear"}, {"factor", 4.0}}}}).scaling, RotaryScaling::linear);
  const Json of_llama31{{"factor", 8.0},
                        {"low_freq_factor", 1.0},
                        {"high_freq_factor", 4.0},
                        {"original_max_position_embeddings", 8192},
                        {"rope_type", "llama3"}};
  const Rotary llama31 = rotary({{"rope_theta", 500000.0}, {"rope_scaling", of_llama31}});
  EXPECT_EQ(llama31.scaling, RotaryScaling::llama3);
  EXPECT_EQ(llama31.original_length, 8192);
  EXPECT_FLOAT_EQ(llama31.factor, 8.0F);
  // Transformers 5 writes the same settings under this key.
  Json parameters = of_llama31;
  parameters["rope_theta"] = 500000.0;
  EXPECT_EQ(rotary({{"rope_parameters", parameters}}), llama31);
  const Rotary yarn =
      rotary({{"rope_scaling", {{"type", "yarn"}, {"original_max_position_embeddings", 32768}}}});
  EXPECT_EQ(yarn.scaling, RotaryScaling::yarn);
  EXPECT_FLOAT_EQ(yarn.factor, 4.0F);
  EXPECT_EQ(rotary({{"rope_scaling", {{"type", "dynamic"}, {"factor", 2.0}}}}).scaling, RotaryScaling::none);
  EXPECT_EQ(rotary({{"rope_parameters", {{"rope_type", "default"}, {"rope_theta", 1e6}}}}).base, 1e6F);
  const auto refused = [](const Json& scaling) {
    return read({{"model_type", "llama"}, {"rope_scaling", scaling}}).error;
  };
  EXPECT_NE(refused({{"type", "mystery"}}).find("mystery"), std::string::npos);
  EXPECT_NE(refused({{"type", "yarn"}, {"factor", 4.0}, {"attention_factor", 2.0}}).find("attention_factor"),
            std::string::npos);
  EXPECT_NE(refused({{"rope_type", "llama3"}, {"high_freq_factor", 8.0}}).find("high_freq_factor"),
            std::string::npos);
}

TEST(Configurations, LayersWithAWindowHaveTheirOwnBase) {
  const Json before{{"model_type", "gemma3_text"},
                    {"rope_theta", 1000000},
                    {"rope_local_base_freq", 10000},
                    {"rope_scaling", {{"factor", 8.0}, {"rope_type", "linear"}}}};
  const Json now{{"model_type", "gemma3_text"},
                 {"rope_parameters",
                  {{"full_attention", {{"factor", 8.0}, {"rope_theta", 1000000.0}, {"rope_type", "linear"}}},
                   {"sliding_attention", {{"rope_theta", 10000.0}, {"rope_type", "default"}}}}}};
  for (const Json& json : {before, now}) {
    const Architecture a = architecture(json);
    EXPECT_FLOAT_EQ(a.rotary_of(0).base, 10000.0F);
    EXPECT_EQ(a.rotary_of(0).scaling, RotaryScaling::none);
    EXPECT_FLOAT_EQ(a.rotary_of(5).base, 1e6F);
    EXPECT_EQ(a.rotary_of(5).scaling, RotaryScaling::linear);
  }
  EXPECT_NE(read({{"model_type", "gemma3_text"}, {"use_bidirectional_attention", true}}).error, "");
}

TEST(Configurations, LongRopeHoldsUpToTheOriginalLength) {
  Json json{{"model_type", "phi3"},
            {"hidden_size", 16},
            {"num_attention_heads", 2},
            {"max_position_embeddings", 131072},
            {"original_max_position_embeddings", 4096},
            {"rope_scaling",
             {{"type", "longrope"}, {"short_factor", {1.0, 1.5, 2.0, 4.0}}, {"long_factor", {1, 2, 3, 4}}}}};
  for (const char* name : {"longrope", "su", "yarn"}) {
    json["rope_scaling"]["type"] = name;
    const Architecture a = architecture(json);
    EXPECT_EQ(a.most_tokens(), 4096) << name;
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
    Json json{{"model_type", "llama"}};
    json.update(more);
    return architecture(json, tensors).output_layer;
  };
  EXPECT_EQ(head(Json::object(), no_head), none);
  EXPECT_EQ(head({{"architectures", {"LlamaModel"}}}, no_head), none);
  EXPECT_EQ(head({{"architectures", {"LlamaForCausalLM"}}}, no_head), none);
  EXPECT_EQ(head({{"tie_word_embeddings", true}}, no_head), tied);
  EXPECT_EQ(head(Json::object(), {"lm_head.weight"}), linear);
  EXPECT_EQ(architecture({{"model_type", "bert"}}, {"bert.pooler.dense.weight"}).output_layer, none);
  const std::vector<std::string> masked{"cls.predictions.transform.dense.weight"};
  EXPECT_EQ(architecture({{"model_type", "bert"}}, masked).output_layer, tied);
  EXPECT_EQ(architecture({{"model_type", "bert"}, {"tie_word_embeddings", false}}, masked).output_layer,
            linear);
  const std::vector<std::string> t5{"decoder.block.0.layer.0.SelfAttention.q.weight", "lm_head.weight"};
  EXPECT_EQ(architecture({{"model_type", "t5"}}, t5).output_layer, tied);
  EXPECT_EQ(architecture({{"model_type", "t5"}, {"tie_word_embeddings", false}}, t5).output_layer, linear);
}

TEST(Configurations, NarrowTablesOfOptAreNotTied) {
  const Json opt350m{{"model_type", "opt"},          {"hidden_size", 1024}, {"num_attention_heads", 16},
                     {"num_hidden_layers", 24},      {"ffn_dim", 4096},     {"word_embed_proj_dim", 512},
                     {"do_layer_norm_before", false}};
  const Architecture a = architecture(opt350m);
  EXPECT_EQ(a.norm, Norm::post);
  EXPECT_FALSE(a.has_final_norm(Stack::decoder));
  EXPECT_EQ(a.output_layer, OutputLayer::linear);
  EXPECT_EQ(a.embedding_width(), 1024);
}

}  // namespace
}  // namespace headscope
