// Gemma 3n and 4: the configurations that are published, and models that are saved in another layout than the
// fixtures of the same numbers, which foreign_models_test.cpp checks.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "core/checkpoint/foreign_model.h"
#include "core/engine/engine.h"
#include "core/engine/request.h"
#include "core/io/safetensors.h"
#include "core/session/action.h"
#include "core/session/settings.h"
#include "core/system/atomic_file.h"
#include "core/trace/place_text.h"
#include "tests/unit/checkpoint/read_configuration.h"
#include "tests/unit/io/temporary_folder.h"

namespace headscope {
namespace {

using namespace nlohmann::literals;

/// A model of tests/fixtures/foreign, to be changed and opened.
class GemmaFixture {
 public:
  explicit GemmaFixture(const std::string& name) {
    const std::filesystem::path folder =
        std::filesystem::path(HEADSCOPE_SOURCE_DIR) / "tests/fixtures/foreign" / name;
    config = Json::parse(content_of(folder / "config.json"));
    auto file = read_safetensors(folder / "model.safetensors");
    EXPECT_TRUE(file.has_value()) << name;
    if (file) tensors = std::move(file->tensors);
  }

  /// The settings of the part that reads text.
  Json& text() { return config.contains("text_config") ? config["text_config"] : config; }

  /// Saves it as the part that reads text alone.
  void make_flat() {
    std::erase_if(tensors, [](const Tensor& tensor) { return !tensor.name.starts_with(nested); });
    for (Tensor& tensor : tensors) tensor.name = "model." + tensor.name.substr(nested.size());
    config = Json(config["text_config"]);
  }

  Result<std::shared_ptr<const TrainedModel>> open() const {
    EXPECT_TRUE(write_atomically(folder_ / "config.json", config.dump()).has_value());
    std::vector<TensorView> views;
    for (const Tensor& tensor : tensors) {
      const auto cols = static_cast<int>(tensor.shape.back());
      const auto rows = static_cast<int>(tensor.values.size()) / cols;
      views.push_back({tensor.name, tensor.shape, {tensor.values.data(), rows, cols, cols}});
    }
    EXPECT_TRUE(write_safetensors(folder_ / "model.safetensors", views, {}).has_value());
    return open_foreign_folder(folder_ / "", "");
  }

  std::string error() const {
    const auto model = open();
    return model ? "opened" : model.error().message;
  }

  std::shared_ptr<const Trace> trace() const {
    const auto model = open();
    EXPECT_TRUE(model.has_value()) << model.error().message;
    if (!model) return nullptr;
    Session session = reduce(default_session(), OpenModel{*model, {}, {}});
    session.tokenizer = TokenizerKind::ids;
    session.sentence = "3,7,5,9,4";
    session.texts = {};
    Engine engine(1);
    const auto trace = engine.compute(request_of(session), TooLong::refuse);
    EXPECT_TRUE(trace.has_value()) << trace.error().message;
    return trace ? *trace : nullptr;
  }

  std::vector<float> logits() const {
    const auto of = trace();
    std::vector<float> numbers;
    if (of == nullptr) return numbers;
    const MatrixView values = of->value({.kind = StageKind::logits});
    for (int r = 0; r < values.rows; ++r)
      for (int c = 0; c < values.cols; ++c) numbers.push_back(values(r, c));
    return numbers;
  }

  Json config;
  std::vector<Tensor> tensors;

 private:
  static constexpr std::string_view nested = "model.language_model.";
  TemporaryFolder folder_;
};

void expect_same_flat(const std::string& fixture) {
  GemmaFixture model(fixture);
  const std::vector<float> expected = model.logits();
  EXPECT_FALSE(expected.empty());
  model.make_flat();
  EXPECT_EQ(model.logits(), expected) << fixture;
}

/// Each key of the text's configuration with a value that cannot be opened; the message names the key.
void expect_refused(const std::string& fixture, const std::vector<std::pair<const char*, Json>>& settings) {
  for (const auto& [key, value] : settings) {
    GemmaFixture model(fixture);
    model.text()[key] = value;
    EXPECT_NE(model.error().find(key), std::string::npos) << key << " " << value << ": " << model.error();
  }
}

Json gemma_layers(int n_layers, int full_every) {
  Json types = Json::array();
  for (int l = 1; l <= n_layers; ++l)
    types.push_back(l % full_every == 0 ? "full_attention" : "sliding_attention");
  return types;
}

/// The configuration of Gemma 4 with 31B parameters, with other settings of the text.
Json gemma4_31b(const Json& more) {
  Json text =
      R"({"attention_bias": false, "attention_dropout": 0.0, "attention_k_eq_v": true, "bos_token_id": 2,
      "dtype": "bfloat16", "enable_moe_block": false, "eos_token_id": 1, "final_logit_softcapping": 30.0,
      "global_head_dim": 512, "head_dim": 256, "hidden_activation": "gelu_pytorch_tanh", "hidden_size": 5376,
      "hidden_size_per_layer_input": 0, "initializer_range": 0.02, "intermediate_size": 21504,
      "max_position_embeddings": 262144, "model_type": "gemma4_text", "moe_intermediate_size": null,
      "num_attention_heads": 32, "num_experts": null, "num_global_key_value_heads": 4, "num_hidden_layers": 60,
      "num_key_value_heads": 16, "num_kv_shared_layers": 0, "pad_token_id": 0, "rms_norm_eps": 1e-06,
      "rope_parameters": {"full_attention": {"partial_rotary_factor": 0.25, "rope_theta": 1000000.0,
      "rope_type": "proportional"}, "sliding_attention": {"rope_theta": 10000.0, "rope_type": "default"}},
      "sliding_window": 1024, "tie_word_embeddings": true, "top_k_experts": null,
      "use_bidirectional_attention": "vision", "use_cache": true, "use_double_wide_mlp": false,
      "vocab_size": 262144, "vocab_size_per_layer_input": 262144})"_json;
  text["layer_types"] = gemma_layers(60, 6);
  Json config = R"({"architectures": ["Gemma4ForConditionalGeneration"], "audio_config": null,
      "audio_token_id": 258881, "boa_token_id": 256000, "boi_token_id": 255999, "dtype": "bfloat16",
      "eoa_token_id": 258883, "eoa_token_index": 258883, "eoi_token_id": 258882, "eos_token_id": [1, 106],
      "image_token_id": 258880, "initializer_range": 0.02, "model_type": "gemma4", "tie_word_embeddings": true,
      "transformers_version": "5.5.0.dev0", "video_token_id": 258884,
      "vision_config": {"model_type": "gemma4_vision", "hidden_size": 1152, "standardize": true},
      "vision_soft_tokens_per_image": 280})"_json;
  config["text_config"] = with(text, more);
  return config;
}

TEST(Gemma4, As31bIsPublishedIsKnown) {
  const Architecture a = architecture(gemma4_31b(Json::object()));
  EXPECT_EQ(a.n_layers, 60);
  EXPECT_EQ(global_layers(a), (std::vector{5, 11, 17, 23, 29, 35, 41, 47, 53, 59}));
  EXPECT_EQ(a.sliding_window, 1024);
  EXPECT_FLOAT_EQ(a.score_scale, 1.0F);
  EXPECT_FLOAT_EQ(a.softcap, 0.0F);
  EXPECT_FLOAT_EQ(a.logit_softcap, 30.0F);
  EXPECT_FLOAT_EQ(a.rotary_of(0).base, 10000.0F);
  EXPECT_FLOAT_EQ(a.rotary_of(5).base, 1000000.0F);
  EXPECT_EQ(a.norm, Norm::both);
  EXPECT_EQ(a.output_layer, OutputLayer::tied);
}

TEST(Gemma4, LeftOutIsTheDefaultOfTheClass) {
  const Architecture a =
      architecture(R"({"model_type": "gemma4_text", "hidden_size_per_layer_input": 0})"_json);
  EXPECT_EQ(global_layers(a), (std::vector{5, 11, 17, 23, 29}));
  EXPECT_EQ(a.sliding_window, 512);
  EXPECT_FLOAT_EQ(a.logit_softcap, 0.0F);
  EXPECT_FLOAT_EQ(a.rotary_of(0).base, 10000.0F);
  EXPECT_FLOAT_EQ(a.rotary_of(5).base, 1000000.0F);
  const Architecture last = architecture(R"({"model_type": "gemma4_text", "hidden_size_per_layer_input": 0,
      "num_hidden_layers": 4, "layer_types": ["full_attention", "sliding_attention", "sliding_attention",
      "sliding_attention"]})"_json);
  EXPECT_EQ(global_layers(last), (std::vector{0, 3})) << "the last layer sees all keys";
}

TEST(Gemma4, LayersWithoutAWindowHaveHeadsOfTheirOwn) {
  const auto trace = GemmaFixture("gemma4").trace();
  ASSERT_NE(trace, nullptr);
  for (const auto& [layer, width] : {std::pair(0, 8), std::pair(1, 8), std::pair(2, 16)}) {
    for (const StageKind kind : {StageKind::query, StageKind::output}) {
      const StageId id{kind, Stack::decoder, layer, AttentionKind::self, 0};
      EXPECT_EQ(trace->value(id).cols, width) << path(id);
    }
  }
}

TEST(Gemma4, IsTheSameAloneAndBesideThePartThatReadsPictures) {
  expect_same_flat("gemma4");
}

TEST(Gemma4, RefusesWhatItsFormulasCannotBe) {
  expect_refused("gemma4", {{"use_bidirectional_attention", "all"},
                            {"layer_types", {"full_attention"}},
                            {"num_global_key_value_heads", "four"},
                            {"global_head_dim", "wide"},
                            {"rope_parameters", {{"rope_type", "default"}}}});
}

TEST(Gemma4, SaysThatOnlyThePartThatReadsTextIsOpened) {
  const auto said = [](const Json& parts) {
    GemmaFixture model("gemma4");
    for (const char* key : {"vision_config", "audio_config"}) model.config.erase(key);
    model.config.update(parts);
    const auto opened = model.open();
    EXPECT_TRUE(opened.has_value()) << opened.error().message;
    return opened && !(*opened)->warnings.empty() ? (*opened)->warnings.front() : "";
  };
  const Json part = {{"model_type", "other"}};
  const auto expected = [](const std::string& what) {
    return "This model also reads " + what + ": only the part that reads text is opened";
  };
  EXPECT_EQ(said({{"vision_config", part}}), expected("pictures"));
  EXPECT_EQ(said({{"audio_config", part}}), expected("sound"));
  EXPECT_EQ(said({{"vision_config", part}, {"audio_config", part}}), expected("pictures and sound"));
  EXPECT_EQ(said({{"audio_config", nullptr}}).find("reads"), std::string::npos);
}

TEST(Gemma4, SaysWhichKeyIsWrongWhereAndWhatIsAllowed) {
  const auto said = [](const char* key, const Json& value) {
    GemmaFixture model("gemma4");
    model.text()[key] = value;
    return model.error();
  };
  for (const auto& [key, value, part] : std::vector<std::tuple<const char*, Json, const char*>>{
           {"rms_norm_eps", 0, "its text_config.rms_norm_eps is 0, but must be a number from 1e-12 to 1"},
           {"final_logit_softcapping", -1, "its text_config.final_logit_softcapping is -1, but must be"},
           {"hidden_size", 0,
            "its text_config.hidden_size is 0, but must be a whole number from 1 to 65,536"},
           {"hidden_size", nullptr, "its text_config.hidden_size is null and taken to be 2304"},
           {"num_key_value_heads", 3, "its text_config.num_key_value_heads is 3"},
           {"max_position_embeddings", 0, "its text_config.max_position_embeddings is 0"},
           {"vocab_size", -1, "its text_config.vocab_size is -1"}})
    EXPECT_NE(said(key, value).find(part), std::string::npos) << key << ": " << said(key, value);
}

TEST(Gemma4, NamesMissingTensorsAsTheFileWould) {
  for (const std::string name : {"layer_scalar", "self_attn.q_proj.weight"}) {
    GemmaFixture model("gemma4");
    const std::string full = "model.language_model.layers.1." + name;
    EXPECT_EQ(std::erase_if(model.tensors, [&](const Tensor& tensor) { return tensor.name == full; }), 1U);
    EXPECT_NE(model.error().find("the tensor " + full + " is missing"), std::string::npos) << model.error();
  }
}

TEST(Gemma4, SaysOfNanThatItIsNotANumber) {
  for (const auto& [number, part] :
       {std::pair(std::nanf(""), "The first value that is not a number (NaN) is in"),
        std::pair(INFINITY, "The first number beyond the range of float32 is ∞")}) {
    GemmaFixture model("gemma4");
    for (Tensor& tensor : model.tensors)
      if (tensor.name.ends_with("layers.0.input_layernorm.weight")) tensor.values[0] = number;
    const auto trace = model.trace();
    ASSERT_NE(trace, nullptr);
    EXPECT_NE(overflow_text(*trace).find(part), std::string::npos) << overflow_text(*trace);
  }
}

TEST(Gemma4, RefusesAProportionalFactorBelowOne) {
  GemmaFixture model("gemma4");
  model.text()["rope_parameters"] = R"({"full_attention": {"rope_type": "proportional", "factor": 0.5},
      "sliding_attention": {"rope_type": "default"}})"_json;
  EXPECT_NE(model.error().find("text_config.rope_parameters.full_attention.factor is 0.5"), std::string::npos)
      << model.error();
}

TEST(Gemma4, AsE2bIsPublishedIsKnown) {
  const Json e2b = gemma4_31b({{"attention_k_eq_v", false},
                               {"hidden_size", 1536},
                               {"hidden_size_per_layer_input", 256},
                               {"intermediate_size", 6144},
                               {"layer_types", gemma_layers(35, 5)},
                               {"max_position_embeddings", 131072},
                               {"num_attention_heads", 8},
                               {"num_global_key_value_heads", nullptr},
                               {"num_hidden_layers", 35},
                               {"num_key_value_heads", 1},
                               {"num_kv_shared_layers", 20},
                               {"sliding_window", 512},
                               {"use_bidirectional_attention", nullptr},
                               {"use_double_wide_mlp", true}});
  const Architecture a = architecture(with(e2b, R"({"audio_config": {"model_type": "gemma4_audio"}})"_json));
  EXPECT_EQ(global_layers(a), (std::vector{4, 9, 14, 19, 24, 29, 34}));
  EXPECT_EQ(a.feed_forward_width(14), 6144);
  EXPECT_EQ(a.feed_forward_width(15), 12288) << "the first layer that shares keys and values";
  EXPECT_EQ(architecture(R"({"model_type": "gemma4_text", "use_double_wide_mlp": true})"_json)
                .feed_forward_width(29),
            9216)
      << "no layer shares keys and values";
}

TEST(Gemma4, WithInputsOfLayersIsTheSameAloneAndBesideOtherParts) {
  expect_same_flat("gemma4_e2b");
}

/// Published files hold keys and values of layers that use those of an earlier one, files of later versions
/// not.
TEST(Gemma4, ReadsNoKeysOfLayersThatShareThem) {
  GemmaFixture model("gemma4_e2b");
  const std::vector<float> expected = model.logits();
  const std::size_t n_tensors = model.tensors.size();
  std::erase_if(model.tensors, [](const Tensor& tensor) {
    const bool is_last = tensor.name.find("layers.3.") != std::string::npos ||
                         tensor.name.find("layers.4.") != std::string::npos ||
                         tensor.name.find("layers.5.") != std::string::npos;
    return is_last && (tensor.name.find("self_attn.k_") != std::string::npos ||
                       tensor.name.find("self_attn.v_") != std::string::npos);
  });
  EXPECT_EQ(model.tensors.size(), n_tensors - 9);
  EXPECT_EQ(model.logits(), expected);
  EXPECT_FALSE(expected.empty());
}

/// The heads of single layers as later versions write them, with and without zeros before the index.
TEST(Gemma4, SizesOfSingleLayersStandInOtherKeysToo) {
  GemmaFixture model("gemma4_e4b");
  const std::vector<float> expected = model.logits();
  EXPECT_FALSE(expected.empty());
  model.text()["per_layer_config"] = R"({"01": {"head_dim": 16}, "03": {"head_dim": 16}})"_json;
  EXPECT_EQ(model.logits(), expected);
  model.text().erase("per_layer_config");
  model.text()["global_head_dim"] = 16;
  EXPECT_EQ(model.logits(), expected);
}

TEST(Gemma4, RefusesLayersThatShareKeysThatNoLayerMade) {
  for (const int n_shared : {5, 6, 7}) expect_refused("gemma4_e2b", {{"num_kv_shared_layers", n_shared}});
}

TEST(Gemma4, As26bA4bIsPublishedIsKnown) {
  const Architecture a = architecture(gemma4_31b({{"enable_moe_block", true},
                                                  {"hidden_size", 2816},
                                                  {"intermediate_size", 2112},
                                                  {"layer_types", gemma_layers(30, 6)},
                                                  {"moe_intermediate_size", 704},
                                                  {"num_attention_heads", 16},
                                                  {"num_experts", 128},
                                                  {"num_global_key_value_heads", 2},
                                                  {"num_hidden_layers", 30},
                                                  {"num_key_value_heads", 8},
                                                  {"top_k_experts", 8}}));
  ASSERT_TRUE(a.foreign.experts.has_value());
  EXPECT_EQ(a.foreign.experts->count, 128);
  EXPECT_EQ(a.foreign.experts->top_k, 8);
  EXPECT_EQ(a.foreign.experts->width, 704);
}

TEST(Gemma4, WithExpertsIsTheSameAloneAndBesideOtherParts) {
  expect_same_flat("gemma4_a4b");
}

TEST(Gemma4, RefusesExpertsThatAreMissing) {
  expect_refused("gemma4_a4b", {{"num_experts", nullptr}, {"top_k_experts", nullptr}});
  GemmaFixture model("gemma4_a4b");
  model.text()["top_k_experts"] = 7;
  EXPECT_NE(model.error().find("its text_config.top_k_experts is 7, but experts of a token"),
            std::string::npos)
      << model.error();
  GemmaFixture narrow("gemma4_a4b");
  narrow.text()["intermediate_size"] = 0;
  EXPECT_NE(narrow.error().find("text_config.intermediate_size is 0"), std::string::npos) << narrow.error();
  // No layer shares keys, so none is wider.
  GemmaFixture wide("gemma4_a4b");
  wide.text()["use_double_wide_mlp"] = true;
  EXPECT_EQ(wide.error(), "opened");
  for (const std::string name :
       {"router.per_expert_scale", "post_feedforward_layernorm_1.weight",
        "pre_feedforward_layernorm_2.weight", "post_feedforward_layernorm_2.weight"}) {
    GemmaFixture without("gemma4_a4b");
    std::erase_if(without.tensors, [&](const Tensor& tensor) { return tensor.name.ends_with(name); });
    EXPECT_NE(without.error().find(name + " is missing"), std::string::npos) << without.error();
  }
  for (const std::string name : {"layers.1.experts.down_proj", "layers.1.experts.gate_up_proj"}) {
    GemmaFixture without("gemma4_a4b");
    const auto n_erased =
        std::erase_if(without.tensors, [&](const Tensor& tensor) { return tensor.name.ends_with(name); });
    EXPECT_EQ(n_erased, 1U);
    EXPECT_NE(without.error().find(name), std::string::npos) << without.error();
    EXPECT_NE(without.error().find("is missing"), std::string::npos) << without.error();
  }
}

/// The configuration of Gemma 3n E4B.
Json gemma3n_e4b() {
  Json text = R"({"altup_active_idx": 0, "altup_coef_clip": 120.0, "altup_correct_scale": true,
      "altup_lr_multiplier": 1.0, "altup_num_inputs": 4, "attention_bias": false, "attention_dropout": 0.0,
      "final_logit_softcapping": 30.0, "head_dim": 256, "hidden_activation": "gelu_pytorch_tanh",
      "hidden_size": 2048, "hidden_size_per_layer_input": 256, "initializer_range": 0.02, "laurel_rank": 64,
      "max_position_embeddings": 32768, "model_type": "gemma3n_text", "num_attention_heads": 8,
      "num_hidden_layers": 35, "num_key_value_heads": 2, "num_kv_shared_layers": 15,
      "query_pre_attn_scalar": 256, "rms_norm_eps": 1e-06, "rope_local_base_freq": 10000.0,
      "rope_scaling": null, "rope_theta": 1000000.0, "sliding_window": 512, "torch_dtype": "bfloat16",
      "use_cache": true, "vocab_size": 262400, "vocab_size_per_layer_input": 262144})"_json;
  text["layer_types"] = gemma_layers(35, 5);
  for (int l = 0; l < 35; ++l) {
    text["activation_sparsity_pattern"].push_back(l < 10 ? 0.95 : 0.0);
    text["intermediate_size"].push_back(16384);
  }
  Json config = R"({"architectures": ["Gemma3nForConditionalGeneration"],
      "audio_config": {"model_type": "gemma3n_audio"}, "audio_soft_tokens_per_image": 188,
      "audio_token_id": 262273, "boa_token_id": 256000, "boi_token_id": 255999, "eoa_token_id": 262272,
      "eoi_token_id": 262144, "eos_token_id": [1, 106], "image_token_id": 262145, "initializer_range": 0.02,
      "model_type": "gemma3n", "torch_dtype": "bfloat16", "transformers_version": "4.53.0.dev0",
      "vision_config": {"model_type": "gemma3n_vision"}, "vision_soft_tokens_per_image": 256})"_json;
  config["text_config"] = text;
  return config;
}

TEST(Gemma3n, AsE4bIsPublishedIsKnownAndIsTheDefault) {
  const Architecture a = architecture(gemma3n_e4b());
  EXPECT_EQ(global_layers(a), (std::vector{4, 9, 14, 19, 24, 29, 34}));
  EXPECT_EQ(a.sliding_window, 512);
  EXPECT_FLOAT_EQ(a.score_scale, 1.0F);
  EXPECT_FLOAT_EQ(a.logit_softcap, 30.0F);
  EXPECT_FLOAT_EQ(a.rotary_of(0).base, 10000.0F);
  EXPECT_FLOAT_EQ(a.rotary_of(4).base, 1000000.0F);
  EXPECT_EQ(a.d_ff, 16384);
  EXPECT_EQ(a.output_layer, OutputLayer::tied);
  EXPECT_TRUE(architecture(R"({"model_type": "gemma3n"})"_json) == a);
  EXPECT_TRUE(architecture(R"({"model_type": "gemma3n_text"})"_json) == a);
  Json newer = gemma3n_e4b()["text_config"];
  for (const char* key : {"rope_local_base_freq", "rope_scaling", "rope_theta"}) newer.erase(key);
  newer["rope_parameters"] = R"({"full_attention": {"rope_theta": 1000000.0, "rope_type": "default"},
      "sliding_attention": {"rope_theta": 10000.0, "rope_type": "default"}})"_json;
  Architecture same = architecture(newer);
  for (const int layer : {0, 4}) {
    const Rotary own = same.rotary_of(layer), expected = a.rotary_of(layer);
    EXPECT_EQ(own.base, expected.base);
    EXPECT_EQ(own.fraction, expected.fraction);
    EXPECT_EQ(own.scaling, RotaryScaling::none);
    EXPECT_EQ(expected.scaling, RotaryScaling::none);
  }
  // Without scaling, nothing else of the rotation is used.
  same.rotary = a.rotary;
  EXPECT_TRUE(same == a);
}

TEST(Gemma3n, IsTheSameAloneAndBesideOtherParts) {
  expect_same_flat("gemma3n");
}

TEST(Gemma3n, OneWidthIsThatOfAllLayers) {
  GemmaFixture model("gemma3n");
  const std::vector<float> expected = model.logits();
  EXPECT_FALSE(expected.empty());
  model.text()["intermediate_size"] = 24;
  EXPECT_EQ(model.logits(), expected);
}

/// Its numbers are below 120 anyway, so they are as without a limit.
TEST(Gemma3n, ALimitOfCorrectionsMayBeLeftOut) {
  GemmaFixture model("gemma3n");
  const std::vector<float> expected = model.logits();
  EXPECT_FALSE(expected.empty());
  model.text()["altup_coef_clip"] = nullptr;
  EXPECT_EQ(model.logits(), expected);
  model.text()["altup_coef_clip"] = 0.01;
  EXPECT_NE(model.logits(), expected);
}

TEST(Gemma3n, RefusesWhatItsFormulasCannotBe) {
  expect_refused("gemma3n", {{"activation_sparsity_pattern", {0.95, 0.0}},
                             {"activation_sparsity_pattern", {1.0, 0.0, 0.0, 0.0}},
                             {"altup_active_idx", 4},
                             {"altup_num_inputs", 0},
                             {"altup_coef_clip", -1},
                             {"altup_coef_clip", 0},
                             {"intermediate_size", {24, 24}},
                             {"laurel_rank", 0},
                             {"num_kv_shared_layers", 3}});
  GemmaFixture model("gemma3n");
  std::erase_if(model.tensors,
                [](const Tensor& tensor) { return tensor.name.ends_with("altup_projections.2.weight"); });
  EXPECT_NE(model.error().find("altup_projections.2.weight is missing"), std::string::npos) << model.error();
}

}  // namespace
}  // namespace headscope
