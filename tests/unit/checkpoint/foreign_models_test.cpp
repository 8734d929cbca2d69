// Compares checkpoints of other programs with what an independent forward pass in double precision computed
// from them (shared/reference/README.md): queries, keys, values, scores, probabilities, hidden states,
// logits.
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <filesystem>
#include <functional>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <thread>
#include <tuple>

#include "core/checkpoint/capture.h"
#include "core/checkpoint/foreign_model.h"
#include "core/checkpoint/model_folder.h"
#include "core/engine/engine.h"
#include "core/engine/export.h"
#include "core/engine/request.h"
#include "core/engine/search.h"
#include "core/engine/worker.h"
#include "core/io/npy.h"
#include "core/io/safetensors.h"
#include "core/model/parameters.h"
#include "core/session/action.h"
#include "core/session/settings.h"
#include "core/system/atomic_file.h"
#include "core/trace/given_stage.h"
#include "tests/unit/io/temporary_folder.h"

namespace headscope {
namespace {

namespace fs = std::filesystem;

const fs::path reference = fs::path(HEADSCOPE_SOURCE_DIR) / "../shared/reference";

struct ForeignCase {
  std::string name;
  fs::path folder;    ///< The folder of the model, or its GGUF file.
  fs::path expected;  ///< It has a subfolder for each text.
};

std::vector<ForeignCase> cases() {
  std::vector<ForeignCase> found;
  for (const fs::path& root : {reference / "checkpoints", reference}) {
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(root / "models", error)) {
      const std::string name = entry.path().filename().string();
      if (name == "rand-vit") continue;
      const bool is_sharded = name == "rand-qwen2-sharded";
      found.push_back({name, entry.path(), root / "expected" / (is_sharded ? "rand-qwen2" : name)});
    }
  }
  const fs::path gguf = reference / "checkpoints/gguf";
  for (const char* name : {"stories260K-f32", "stories260K-f16", "stories260K-q8_0", "rand-llama256-q4_k"}) {
    if (fs::exists(gguf))
      found.push_back({name, gguf / (std::string(name) + ".gguf"), gguf / "expected" / name});
  }
  return found;
}

std::string ids_text(const NpyArray& ids) {
  std::string text;
  for (const float id : ids.values) text += std::to_string(static_cast<int>(id)) + " ";
  return text;
}

class ForeignModel : public testing::TestWithParam<ForeignCase> {
 protected:
  static std::optional<NpyArray> array(const fs::path& folder, const std::string& name) {
    if (!fs::exists(folder / (name + ".npy"))) return std::nullopt;
    auto read = read_npy(folder / (name + ".npy"));
    if (!read) ADD_FAILURE() << read.error().message;
    return read ? std::optional(*read) : std::nullopt;
  }

  std::shared_ptr<const Trace> pass_of(const std::shared_ptr<const TrainedModel>& model,
                                       const fs::path& texts) {
    Session session = reduce(default_session(), OpenModel{model, {}, {}});
    session.tokenizer = TokenizerKind::ids;
    session.sentence = ids_text(*array(texts, "input_ids"));
    if (const auto target = array(texts, "decoder_input_ids")) session.target = ids_text(*target);
    session.texts = {};
    session.attention.mask.padding = padding_of(texts);
    auto trace = engine_.compute(request_of(session), TooLong::refuse);
    EXPECT_TRUE(trace.has_value()) << trace.error().message;
    return trace ? *trace : nullptr;
  }

  /// The keys that a text's `mask` hides.
  static std::vector<int> padding_of(const fs::path& texts) {
    std::vector<int> hidden;
    const auto info = nlohmann::json::parse(content_of(texts / "info.json"), nullptr, false);
    const nlohmann::json mask = info.is_object() ? info.value("mask", nlohmann::json()) : nlohmann::json();
    for (std::size_t key = 0; key < mask.size(); ++key) {
      if (mask[key] == 0) hidden.push_back(static_cast<int>(key));
    }
    return hidden;
  }

  /// Checks the largest difference between a stage and its part of an array.
  static void compare(const Trace& trace, const StageId& id, const float* expected, std::size_t size,
                      double tolerance, const std::string& what) {
    const MatrixView values = trace.value(id);
    ASSERT_EQ(static_cast<std::size_t>(values.rows) * static_cast<std::size_t>(values.cols), size)
        << path(id) << what;
    double largest = 0.0;
    for (int r = 0; r < values.rows; ++r) {
      for (int c = 0; c < values.cols; ++c) {
        const double difference = std::abs(double{values(r, c)} - double{expected[r * values.cols + c]});
        if (std::isfinite(expected[r * values.cols + c])) largest = std::max(largest, difference);
        ASSERT_EQ(std::isnan(values(r, c)), false) << path(id);
      }
    }
    EXPECT_LT(largest, tolerance) << path(id) << " of " << what;
  }

  /// Compares all heads of an array [L, H, T, ·] with stages.
  void compare_heads(const Trace& trace, const fs::path& texts, const std::string& name, StageKind kind,
                     Stack stack, AttentionKind attention, double tolerance) {
    const auto expected = array(texts, name);
    if (!expected) return;
    ASSERT_EQ(expected->shape.size(), 4U);
    const auto size =
        static_cast<std::size_t>(expected->shape[2]) * static_cast<std::size_t>(expected->shape[3]);
    const Architecture& a = trace.architecture();
    for (int l = 0; l < expected->shape[0]; ++l) {
      const int step = info(kind).is_per_group ? a.group_size(l) : 1;
      for (int h = 0; h < expected->shape[1]; ++h) {
        const std::size_t at = static_cast<std::size_t>(l * expected->shape[1] + h) * size;
        StageId id{kind, stack, l, attention, h * step};
        if (kind == StageKind::rotated_query || kind == StageKind::rotated_key) {
          const bool is_query = kind == StageKind::rotated_query;
          if (!trace.has(id)) id.kind = is_query ? StageKind::normed_query : StageKind::normed_key;
          if (!trace.has(id)) id.kind = is_query ? StageKind::query : StageKind::key;
        }
        compare(trace, id, expected->values.data() + at, size, tolerance, name + " in " + texts.string());
      }
    }
  }

  void compare_stack(const Trace& trace, const fs::path& texts, const std::string& prefix, Stack stack,
                     AttentionKind attention) {
    using enum StageKind;
    constexpr double tolerance = 1e-4;
    compare_heads(trace, texts, prefix + "q", rotated_query, stack, attention, tolerance);
    compare_heads(trace, texts, prefix + "k", rotated_key, stack, attention, tolerance);
    compare_heads(trace, texts, prefix + "v", value, stack, attention, tolerance);
    compare_heads(trace, texts, prefix + "scores", scaled, stack, attention, tolerance);
    compare_heads(trace, texts, prefix + "probs", weights, stack, attention, tolerance);
    compare_heads(trace, texts, prefix + "ctx", output, stack, attention, tolerance);
    const auto states = array(texts, prefix + "hidden");
    if (!states) return;
    const auto size = static_cast<std::size_t>(states->shape[1]) * static_cast<std::size_t>(states->shape[2]);
    for (int l = 0; l < states->shape[0]; ++l) {
      const StageId id = l == 0 ? StageId{input, stack} : StageId{layer_output, stack, l - 1};
      compare(trace, id, states->values.data() + static_cast<std::size_t>(l) * size, size, tolerance,
              texts.string());
    }
  }

  Engine engine_{2};
};

TEST_P(ForeignModel, IsWhatAnotherForwardPassComputes) {
  const auto model = load_model(GetParam().folder);
  ASSERT_TRUE(model.has_value()) << model.error().message;
  int n_texts = 0;
  for (const auto& texts : fs::directory_iterator(GetParam().expected)) {
    if (!texts.is_directory()) continue;
    const auto trace = pass_of(*model, texts.path());
    ASSERT_NE(trace, nullptr);
    const Architecture& a = trace->architecture();
    compare_stack(*trace, texts, "", a.last_stack(), AttentionKind::self);
    compare_stack(*trace, texts, "enc_", Stack::encoder, AttentionKind::self);
    compare_stack(*trace, texts, "dec_", Stack::decoder, AttentionKind::self);
    compare_stack(*trace, texts, "cross_", Stack::decoder, AttentionKind::cross);
    const auto logits = array(texts, "logits");
    if (logits && a.output_layer != OutputLayer::none)
      compare(*trace, {.kind = StageKind::logits}, logits->values.data(), logits->values.size(), 1e-4,
              texts.path().string());
    ++n_texts;
  }
  EXPECT_GT(n_texts, 0);
}

TEST_P(ForeignModel, IsTheSameWithoutRoomForPackedWeights) {
  const bool is_folder = fs::is_directory(GetParam().folder);
  const auto headers =
      is_folder ? read_foreign_headers(GetParam().folder) : read_gguf_headers(GetParam().folder);
  ASSERT_TRUE(headers.has_value()) << headers.error().message;
  constexpr double none = 0.0;
  constexpr double enough = 1e9;
  fs::path texts;
  for (const auto& entry : fs::directory_iterator(GetParam().expected)) {
    if (entry.is_directory()) texts = entry.path();
  }
  std::vector<std::shared_ptr<const Trace>> passes;
  for (const double room : {enough, none}) {
    const auto share = std::make_shared<PackedMemoryBudget>(room);
    const auto model = load_foreign_model(*headers, "", share).finish();
    ASSERT_TRUE(model.has_value()) << model.error().message;
    EXPECT_EQ((*model)->files->max_packed_bytes(), room);
    for (int i = 0; i < 2; ++i) passes.push_back(pass_of(*model, texts));
  }
  for (const StageId& id : passes.front()->stages()) {
    const Matrix expected = eigen(passes.front()->value(id));
    for (const auto& pass : passes) EXPECT_TRUE(eigen(pass->value(id)) == expected) << path(id);
  }
}

INSTANTIATE_TEST_SUITE_P(Reference, ForeignModel, testing::ValuesIn(cases()),
                         [](const testing::TestParamInfo<ForeignCase>& info) {
                           std::string name = info.param.name;
                           std::ranges::replace_if(
                               name, [](char c) { return !std::isalnum(static_cast<unsigned char>(c)); },
                               '_');
                           return name;
                         });
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(ForeignModel);

/// Families that are tested even without reference data. tests/fixtures/make_foreign.py made the models.
const fs::path fixtures = fs::path(HEADSCOPE_SOURCE_DIR) / "tests/fixtures/foreign";

std::vector<std::string> fixture_families() {
  std::vector<std::string> names;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(fixtures, error)) {
    if (entry.is_directory()) names.push_back(entry.path().filename().string());
  }
  std::ranges::sort(names);
  return names;
}

TEST(ForeignFixtures, AllResultsHaveAModel) {
  for (const auto& entry : fs::directory_iterator(fixtures)) {
    EXPECT_TRUE(fs::is_directory(fixtures / entry.path().stem())) << entry.path();
  }
}

std::string ids_text(const Tensor* ids) {
  std::string text;
  if (ids == nullptr) return text;
  for (const float id : ids->values) text += std::to_string(static_cast<int>(id)) + ",";
  return text;
}

class ForeignFixture : public testing::TestWithParam<std::string> {};

void expect_near(const MatrixView& values, const float* expected, const std::string& what) {
  double difference = 0.0, largest = 1.0;
  for (int r = 0; r < values.rows; ++r) {
    for (int c = 0; c < values.cols; ++c) {
      const double right = expected[r * values.cols + c];
      difference = std::max(difference, std::abs(double{values(r, c)} - right));
      largest = std::max(largest, std::abs(right));
    }
  }
  // The rounding of a sum grows with the numbers that are summed.
  EXPECT_LT(difference, 1e-5 * largest) << what;
  EXPECT_FALSE(values.empty()) << what;
}

TEST_P(ForeignFixture, IsWhatAPlainForwardPassComputes) {
  const auto model = open_foreign_folder(fixtures / GetParam(), GetParam());
  ASSERT_TRUE(model.has_value()) << model.error().message;
  const auto expected = read_safetensors(fixtures / (GetParam() + ".safetensors"));
  ASSERT_TRUE(expected.has_value()) << expected.error().message;
  Session session = reduce(default_session(), OpenModel{*model, {}, {}});
  session.tokenizer = TokenizerKind::ids;
  session.sentence = ids_text(expected->find("ids"));
  session.target = ids_text(expected->find("target_ids"));
  session.texts = {};
  Engine engine(1);
  const auto trace = engine.compute(request_of(session), TooLong::refuse);
  ASSERT_TRUE(trace.has_value()) << trace.error().message;
  const Stack stack = (*trace)->architecture().last_stack();
  for (const auto& [name, kind] :
       {std::pair("probs", AttentionKind::self), std::pair("cross_probs", AttentionKind::cross)}) {
    const Tensor* const probs = expected->find(name);
    ASSERT_EQ(probs != nullptr, (*trace)->architecture().has(stack, kind)) << name;
    for (std::size_t l = 0; probs != nullptr && l < probs->shape[0]; ++l) {
      for (std::size_t h = 0; h < probs->shape[1]; ++h) {
        const StageId id{StageKind::weights, stack, static_cast<int>(l), kind, static_cast<int>(h)};
        const std::size_t at = (l * probs->shape[1] + h) * probs->shape[2] * probs->shape[3];
        expect_near((*trace)->value(id), probs->values.data() + at, path(id));
      }
    }
  }
  const Tensor& states = *expected->find("hidden");
  for (std::size_t l = 0; l < states.shape[0]; ++l) {
    const StageId id = l == 0 ? StageId{StageKind::input, stack}
                              : StageId{StageKind::layer_output, stack, static_cast<int>(l) - 1};
    expect_near((*trace)->value(id), states.values.data() + l * states.shape[1] * states.shape[2], path(id));
  }
  expect_near((*trace)->value({.kind = StageKind::logits}), expected->find("logits")->values.data(),
              "logits");
}

/// Replaces the last letter of a tensor's name in the header of a safetensors file by '~'.
void rename_tensor(const std::string& name, std::string& file) {
  const std::string quoted = '"' + name + "\":";
  const std::size_t at = file.find(quoted);
  ASSERT_NE(at, std::string::npos) << name;
  file.replace(at, quoted.size(), '"' + name.substr(0, name.size() - 1) + "~\":");
}

TEST_P(ForeignFixture, NamesAnyTensorThatIsMissing) {
  const fs::path folder = fixtures / GetParam();
  if (!fs::exists(folder / "model.safetensors")) GTEST_SKIP() << "has a layout of its own";
  const auto whole = open_foreign_folder(folder, "");
  ASSERT_TRUE(whole.has_value());
  const TemporaryFolder copy;
  fs::copy(folder / "config.json", copy / "config.json");
  const std::string file = content_of(folder / "model.safetensors");
  const auto files = CheckpointFiles::open(folder);
  ASSERT_TRUE(files.has_value());
  std::set<std::string> kinds;
  for (const TensorRef& tensor : files->tensors()) {
    if (file.find('"' + tensor.name + "\":") == std::string::npos) continue;  // Split when it was read
    std::string kind = tensor.name;
    std::ranges::replace_if(
        kind, [](char c) { return c >= '0' && c <= '9'; }, '#');
    if (!kinds.insert(kind).second) continue;
    // A tied table may have either name, and the names of T5's layers with and without a gate differ little.
    if (GetParam() == "qwen2_windows" && tensor.name == "lm_head.weight") continue;
    if (GetParam() == "umt5" && tensor.name.ends_with("wi_0.weight")) continue;
    if (std::ranges::find((*whole)->unused, tensor.name) != (*whole)->unused.end()) continue;
    std::string without = file;
    rename_tensor(tensor.name, without);
    ASSERT_TRUE(write_atomically(copy / "model.safetensors", without).has_value());
    const auto opened = open_foreign_folder(copy / "", "");
    // Without a head for predictions, there are none.
    if (opened && !((*opened)->model.architecture == (*whole)->model.architecture)) continue;
    ASSERT_FALSE(opened.has_value()) << "opens without " << tensor.name;
    const std::string stem = tensor.name.substr(0, tensor.name.size() - 1);
    EXPECT_NE(opened.error().message.find(stem), std::string::npos)
        << tensor.name << ": " << opened.error().message;
  }
}

INSTANTIATE_TEST_SUITE_P(Families, ForeignFixture, testing::ValuesIn(fixture_families()),
                         [](const auto& info) { return info.param; });

/// Whether a model has the logits that `expected` holds for these ids. Skips where there is no shared folder.
void expect_logits(const fs::path& folder, const std::string& ids) {
  if (!fs::exists(folder)) GTEST_SKIP() << "there is no " << folder;
  const auto model = open_foreign_folder(folder, "");
  const auto expected = read_npy(folder / "expected_logits.npy");
  ASSERT_TRUE(model.has_value()) << model.error().message;
  ASSERT_TRUE(expected.has_value()) << expected.error().message;
  Session session = reduce(default_session(), OpenModel{*model, {}, {}});
  session.tokenizer = TokenizerKind::ids;
  session.sentence = ids;
  session.texts = {};
  Engine engine(1);
  const auto trace = engine.compute(request_of(session), TooLong::refuse);
  ASSERT_TRUE(trace.has_value()) << trace.error().message;
  expect_near((*trace)->value({.kind = StageKind::logits}), expected->values.data(), folder.string());
}

TEST(ForeignModels, ThatAreNotCausalSeeTheWholeText) {
  expect_logits(reference / "../findings/cases/qwen2-is_causal-false", "3,7,5,9,4");
}

TEST(ForeignModels, OfOptReadTheirNarrowHead) {
  expect_logits(reference / "../findings/cases/opt-narrow-untied", "3,7,5,9,4");
}

void write_tensors(const fs::path& file, const std::vector<Tensor>& tensors) {
  std::vector<TensorView> views;
  for (const Tensor& tensor : tensors) {
    const auto cols = static_cast<int>(tensor.shape.back());
    const auto rows = static_cast<int>(tensor.values.size()) / cols;
    views.push_back({tensor.name, tensor.shape, {tensor.values.data(), rows, cols, cols}});
  }
  EXPECT_TRUE(write_safetensors(file, views, {}).has_value());
}

/// A logit of a fixture's model with an output layer of its own: its table, multiplied by `factor`. `change`
/// makes another layout of the configuration and of the tensors.
float logit_with_head(const char* fixture, const std::string& head_name, float factor,
                      const std::function<void(nlohmann::json&, std::vector<Tensor>&)>& change) {
  const TemporaryFolder copy;
  auto file = read_safetensors(fixtures / fixture / "model.safetensors");
  EXPECT_TRUE(file.has_value());
  auto config = nlohmann::json::parse(content_of(fixtures / fixture / "config.json"));
  config["tie_word_embeddings"] = false;
  Tensor head = *std::ranges::find_if(
      file->tensors, [](const Tensor& tensor) { return tensor.name.ends_with("embed_tokens.weight"); });
  head.name = head_name;
  for (float& number : head.values) number *= factor;
  change(config, file->tensors);
  file->tensors.push_back(std::move(head));
  EXPECT_TRUE(write_atomically(copy / "config.json", config.dump()).has_value());
  write_tensors(copy / "model.safetensors", file->tensors);
  const auto model = open_foreign_folder(copy / "", "");
  EXPECT_TRUE(model.has_value()) << model.error().message;
  Session session = reduce(default_session(), OpenModel{*model, {}, {}});
  session.tokenizer = TokenizerKind::ids;
  session.sentence = "3,7,5";
  session.texts = {};
  Engine engine(1);
  const auto trace = engine.compute(request_of(session), TooLong::refuse);
  EXPECT_TRUE(trace.has_value()) << trace.error().message;
  return (*trace)->value({.kind = StageKind::logits})(2, 4);
}

/// A head that is the table itself gives the numbers of the tied model, which a fixture checks.
TEST(ForeignModels, OfOptMultiplyByTheirNarrowHeadWhereItIsNotTied) {
  const auto logit = [](float factor) {
    return logit_with_head("opt_narrow", "lm_head.weight", factor, [](auto&, auto&) {});
  };
  EXPECT_NE(logit(1.0F), 0.0F);
  EXPECT_NEAR(logit(2.0F), 2.0F * logit(1.0F), 1e-4);
}

TEST(ForeignModels, OfGemma3ReadTheirHeadInTheLayoutOfEarlyFiles) {
  const auto as_early = [](nlohmann::json& config, std::vector<Tensor>& tensors) {
    nlohmann::json text = std::move(config);
    config = {{"model_type", "gemma3"}, {"tie_word_embeddings", text["tie_word_embeddings"]}};
    config["text_config"] = std::move(text);
    for (Tensor& tensor : tensors) tensor.name.insert(0, "language_model.");
  };
  const float as_now = logit_with_head("gemma3", "lm_head.weight", 2.0F, [](auto&, auto&) {});
  EXPECT_NE(as_now, 0.0F);
  EXPECT_FLOAT_EQ(logit_with_head("gemma3", "language_model.lm_head.weight", 2.0F, as_early), as_now);
}

std::vector<float> all_numbers(const fs::path& folder) {
  const auto model = open_foreign_folder(folder, "");
  EXPECT_TRUE(model.has_value()) << model.error().message;
  if (!model) return {};
  return parameters_of((*model)->model, layout_of((*model)->model.architecture, (*model)->vocabulary.size()));
}

/// A matrix for an adapter, without any pattern.
Tensor narrow(const std::string& name, std::size_t rows, std::size_t cols) {
  Tensor tensor{name, {rows, cols}, {}};
  for (std::size_t i = 0; i < rows * cols; ++i)
    tensor.values.push_back(std::sin(static_cast<float>(7 * i + name.size())));
  return tensor;
}

/// W + alpha / rank · B A, for queries, keys and values in one tensor, read by parts.
TEST(ForeignModels, ReadWhatTheirAdapterAdds) {
  const TemporaryFolder merged, beside, alone;
  auto file = read_safetensors(fixtures / "phi3/model.safetensors");
  ASSERT_TRUE(file.has_value());
  const std::string module = "model.layers.1.self_attn.qkv_proj";
  const auto changed = std::ranges::find(file->tensors, module + ".weight", &Tensor::name);
  ASSERT_NE(changed, file->tensors.end());
  const std::size_t rows = changed->shape[0], cols = changed->shape[1], rank = 3;
  const Tensor a = narrow("base_model.model." + module + ".lora_A.weight", rank, cols);
  const Tensor b = narrow("base_model.model." + module + ".lora_B.weight", rows, rank);
  const nlohmann::json config{{"peft_type", "LORA"},
                              {"r", rank},
                              {"lora_alpha", 6},
                              {"base_model_name_or_path", (fs::path("elsewhere") / "phi3").string()}};
  // The base of an adapter that is alone stands beside it, whatever path its author had.
  const fs::path apart = alone / "adapter";
  fs::create_directory(apart);
  fs::copy(fixtures / "phi3", alone / "phi3");
  const auto write_adapter = [&](const fs::path& folder, const std::vector<Tensor>& tensors,
                                 const nlohmann::json& json) {
    write_tensors(folder / "adapter_model.safetensors", tensors);
    EXPECT_TRUE(write_atomically(folder / "adapter_config.json", json.dump()).has_value());
  };
  for (const fs::path& folder : {beside / "", apart}) write_adapter(folder, {a, b}, config);
  for (const TemporaryFolder* folder : {&merged, &beside})
    fs::copy(fixtures / "phi3/config.json", *folder / "config.json");
  fs::copy(fixtures / "phi3/model.safetensors", beside / "model.safetensors");
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t col = 0; col < cols; ++col) {
      double sum = 0.0;
      for (std::size_t k = 0; k < rank; ++k)
        sum += double{b.values[row * rank + k]} * double{a.values[k * cols + col]};
      changed->values[row * cols + col] += static_cast<float>(2.0 * sum);
    }
  }
  write_tensors(merged / "model.safetensors", file->tensors);
  const std::vector<float> expected = all_numbers(merged / "");
  for (const fs::path& folder : {beside / "", apart}) {
    const std::vector<float> numbers = all_numbers(folder);
    ASSERT_EQ(numbers.size(), expected.size());
    for (std::size_t i = 0; i < numbers.size(); ++i) EXPECT_NEAR(numbers[i], expected[i], 1e-5);
  }
  EXPECT_NE(expected, all_numbers(fixtures / "phi3"));
  EXPECT_EQ(describe_folder(apart).value().substr(0, 30), "Phi-3 with LoRA of rank 3 × 2");
  // What would be dropped or cannot be meant is refused.
  const auto refused = [&](const std::vector<Tensor>& tensors, const nlohmann::json& changes) {
    nlohmann::json json = config;
    json.update(changes);
    write_adapter(apart, tensors, json);
    const auto model = open_foreign_folder(apart, "");
    return model ? std::string() : model.error().message;
  };
  const auto says = [](const std::string& message, const char* words) {
    return message.find(words) != std::string::npos;
  };
  EXPECT_TRUE(says(refused({a, b}, {{"lora_bias", true}}), "biases"));
  EXPECT_TRUE(says(refused({a, b}, {{"alora_invocation_tokens", {1, 2}}}), "after some tokens"));
  EXPECT_TRUE(says(refused({a, b}, {{"alpha_pattern", {{".*qkv_proj", 64}}}}), "regular expression"));
  EXPECT_TRUE(says(refused({a, b}, {{"lora_alpha", 1e300}}), "lora_alpha"));
  EXPECT_TRUE(says(refused({a, b}, {{"lora_alpha", "16"}}), "lora_alpha"));
  EXPECT_TRUE(says(refused({b}, nlohmann::json::object()), "is missing"));
  const std::size_t huge = rows + 1;
  const Tensor wide_a = narrow(a.name, huge, cols);
  const Tensor wide_b = narrow(b.name, rows, huge);
  EXPECT_TRUE(says(refused({wide_a, wide_b}, nlohmann::json::object()), "more than the matrix has"));
  fs::copy(apart / "adapter_config.json", alone / "phi3" / "adapter_config.json");
  EXPECT_TRUE(says(refused({a, b}, nlohmann::json::object()), "merge that one first"));
}

/// m · (W + B A) / ‖W + B A‖, where the norm is that of an output: a row, or a column of GPT-2's matrices.
TEST(ForeignModels, GiveOutputsTheNormsOfTheirAdapter) {
  const std::string module = "model.layers.1.self_attn.qkv_proj";
  const fs::path base = fixtures / "phi3";
  for (const bool is_transposed : {false, true}) {
    const TemporaryFolder merged, beside;
    auto file = read_safetensors(base / "model.safetensors");
    ASSERT_TRUE(file.has_value());
    const auto changed = std::ranges::find(file->tensors, module + ".weight", &Tensor::name);
    ASSERT_NE(changed, file->tensors.end());
    const std::size_t n_inputs = changed->shape[is_transposed ? 0 : 1];
    const std::size_t n_outputs = changed->shape[is_transposed ? 1 : 0];
    const std::string name = "base_model.model." + module;
    const Tensor a = narrow(name + ".lora_A.weight", 2, n_inputs);
    const Tensor b = narrow(name + ".lora_B.weight", n_outputs, 2);
    const Tensor norms = narrow(name + ".lora_magnitude_vector", n_outputs, 1);
    write_tensors(beside / "adapter_model.safetensors", {a, b, {norms.name, {n_outputs}, norms.values}});
    const nlohmann::json config{{"peft_type", "LORA"},
                                {"r", 2},
                                {"lora_alpha", 2},
                                {"use_dora", true},
                                {"fan_in_fan_out", is_transposed}};
    EXPECT_TRUE(write_atomically(beside / "adapter_config.json", config.dump()).has_value());
    for (const TemporaryFolder* folder : {&merged, &beside})
      fs::copy(base / "config.json", *folder / "config.json");
    fs::copy(base / "model.safetensors", beside / "model.safetensors");
    for (std::size_t out = 0; out < n_outputs; ++out) {
      const auto number = [&](std::size_t in) -> float& {
        return changed->values[is_transposed ? in * n_outputs + out : out * n_inputs + in];
      };
      double squares = 0.0;
      for (std::size_t in = 0; in < n_inputs; ++in) {
        for (std::size_t k = 0; k < 2; ++k) number(in) += b.values[out * 2 + k] * a.values[k * n_inputs + in];
        squares += double{number(in)} * double{number(in)};
      }
      for (std::size_t in = 0; in < n_inputs; ++in)
        number(in) *= norms.values[out] / static_cast<float>(std::sqrt(squares));
    }
    write_tensors(merged / "model.safetensors", file->tensors);
    const std::vector<float> expected = all_numbers(merged / ""), numbers = all_numbers(beside / "");
    ASSERT_EQ(numbers.size(), expected.size());
    for (std::size_t i = 0; i < numbers.size(); ++i)
      EXPECT_NEAR(numbers[i], expected[i], 1e-5) << is_transposed;
    EXPECT_NE(describe_folder(beside / "").value().find("with DoRA of rank 2 × 1"), std::string::npos);
    write_tensors(beside / "adapter_model.safetensors", {a, b});
    EXPECT_NE(open_foreign_folder(beside / "", "").error().message.find("no lora_magnitude_vector"),
              std::string::npos);
  }
}

/// The encoder of T5 alone gives the numbers that it gives before its decoder.
TEST(ForeignModels, OpenTheEncoderOfT5Alone) {
  const TemporaryFolder alone;
  auto file = read_safetensors(fixtures / "t5/model.safetensors");
  ASSERT_TRUE(file.has_value());
  std::erase_if(file->tensors, [](const Tensor& tensor) {
    return tensor.name.find("decoder.") != std::string::npos || tensor.name.starts_with("lm_head");
  });
  write_tensors(alone / "model.safetensors", file->tensors);
  fs::copy(fixtures / "t5/config.json", alone / "config.json");
  const auto outputs = [](const fs::path& folder) {
    const auto model = open_foreign_folder(folder, "");
    EXPECT_TRUE(model.has_value()) << model.error().message;
    std::vector<float> numbers;
    if (!model) return numbers;
    Session session = reduce(default_session(), OpenModel{*model, {}, {}});
    session.tokenizer = TokenizerKind::ids;
    session.sentence = session.target = "3,1,4,1,5";
    Engine engine(1);
    const auto trace = engine.compute(request_of(session), TooLong::refuse);
    EXPECT_TRUE(trace.has_value()) << trace.error().message;
    if (!trace) return numbers;
    const MatrixView view = (*trace)->value({.kind = StageKind::stack_output, .stack = Stack::encoder});
    for (int row = 0; row < view.rows; ++row)
      for (int col = 0; col < view.cols; ++col) numbers.push_back(view(row, col));
    return numbers;
  };
  const std::vector<float> expected = outputs(fixtures / "t5");
  EXPECT_FALSE(expected.empty());
  EXPECT_EQ(outputs(alone / ""), expected);
}

/// Copies the folder of a reference model without one of its files.
void copy_without(const fs::path& from, const fs::path& to, const std::string& left_out) {
  for (const auto& entry : fs::directory_iterator(from)) {
    if (entry.path().filename() != left_out) fs::copy(entry.path(), to / entry.path().filename());
  }
}

TEST(ForeignModels, PyTorchFilesHoldTheSameNumbers) {
  for (const char* name : {"tiny-bert-cls", "tiny-bloom", "tiny-t5"}) {
    const fs::path folder = reference / "checkpoints/models" / name;
    if (!fs::exists(folder)) GTEST_SKIP() << "no reference data at " << reference;
    const TemporaryFolder copy;
    copy_without(folder, copy / "", "model.safetensors");
    EXPECT_EQ(all_numbers(copy / ""), all_numbers(folder)) << name;
  }
}

TEST(ForeignModels, AreFoundAsAVariantIn16Bits) {
  const TemporaryFolder copy;
  copy_without(fixtures / "phi3", copy / "", "model.safetensors");
  fs::copy(fixtures / "phi3/model.safetensors", copy / "model.fp16.safetensors");
  EXPECT_EQ(all_numbers(copy / ""), all_numbers(fixtures / "phi3"));
}

TEST(ForeignModels, ShardsHoldTheSameNumbers) {
  const fs::path models = reference / "checkpoints/models";
  if (!fs::exists(models)) GTEST_SKIP() << "no reference data at " << reference;
  EXPECT_EQ(all_numbers(models / "rand-qwen2-sharded"), all_numbers(models / "rand-qwen2"));
}

TEST(ForeignModels, TransformerLensHoldsTheSameNumbersAsGpt2) {
  const fs::path folder = reference / "checkpoints/models/arena-unique-char";
  if (!fs::exists(folder)) GTEST_SKIP() << "no reference data at " << reference;
  const TemporaryFolder copy;
  for (const char* name : {"transformer_lens.safetensors", "transformer_lens_config.json"})
    fs::copy(folder / name, copy / name);
  const auto of_lens = open_foreign_folder(copy / "", "");
  const auto of_gpt2 = open_foreign_folder(folder, "");
  ASSERT_TRUE(of_lens.has_value()) << of_lens.error().message;
  ASSERT_TRUE(of_gpt2.has_value()) << of_gpt2.error().message;
  EXPECT_TRUE((*of_lens)->unused.empty());
  Engine engine(1);
  std::vector<std::shared_ptr<const Trace>> traces;
  for (const auto& model : {*of_lens, *of_gpt2}) {
    Session session = reduce(default_session(), OpenModel{model, {}, {}});
    session.tokenizer = TokenizerKind::ids;
    session.sentence = "0 3 3 1 0 4 2";
    session.texts = {};
    const auto trace = engine.compute(request_of(session), TooLong::refuse);
    ASSERT_TRUE(trace.has_value()) << trace.error().message;
    traces.push_back(*trace);
  }
  const MatrixView lens = traces[0]->value({.kind = StageKind::logits});
  const MatrixView gpt2 = traces[1]->value({.kind = StageKind::logits});
  ASSERT_EQ(lens.rows, gpt2.rows);
  ASSERT_EQ(lens.cols, gpt2.cols);
  for (int row = 0; row < lens.rows; ++row) {
    for (int col = 0; col < lens.cols; ++col) EXPECT_NEAR(lens(row, col), gpt2(row, col), 1e-4);
  }
}

TEST(ForeignModels, NamesWhatItDoesNotSupport) {
  const fs::path checkpoints = reference / "checkpoints";
  if (!fs::exists(checkpoints)) GTEST_SKIP() << "no reference data at " << reference;
  for (const auto& entry : fs::directory_iterator(checkpoints / "refuse")) {
    const auto model = open_foreign_folder(entry.path(), "");
    ASSERT_FALSE(model.has_value()) << entry.path();
    EXPECT_NE(model.error().message.find("quantised"), std::string::npos) << model.error().message;
  }
  const auto pictures = open_foreign_folder(checkpoints / "models/rand-vit", "");
  ASSERT_FALSE(pictures.has_value());
  EXPECT_NE(
      pictures.error().message.find("\"vit\", which reads pictures and is not supported. Supported families: "
                                    "GPT-2 (gpt2)"),
      std::string::npos)
      << pictures.error().message;
}

/// A tiny GPT-2 that the tests write themselves.
class TinyGpt2 {
 public:
  static constexpr int width = 8, n_words = 5;

  nlohmann::json config{{"model_type", "gpt2"}, {"n_layer", 1},     {"n_embd", 8},
                        {"n_head", 2},          {"n_positions", 6}, {"vocab_size", 5}};
  std::map<std::string, std::vector<std::size_t>> shapes{{"wte.weight", {5, 8}},
                                                         {"wpe.weight", {6, 8}},
                                                         {"h.0.ln_1.weight", {8}},
                                                         {"h.0.ln_1.bias", {8}},
                                                         {"h.0.attn.c_attn.weight", {8, 24}},
                                                         {"h.0.attn.c_attn.bias", {24}},
                                                         {"h.0.attn.c_proj.weight", {8, 8}},
                                                         {"h.0.attn.c_proj.bias", {8}},
                                                         {"h.0.ln_2.weight", {8}},
                                                         {"h.0.ln_2.bias", {8}},
                                                         {"h.0.mlp.c_fc.weight", {8, 32}},
                                                         {"h.0.mlp.c_fc.bias", {32}},
                                                         {"h.0.mlp.c_proj.weight", {32, 8}},
                                                         {"h.0.mlp.c_proj.bias", {8}},
                                                         {"ln_f.weight", {8}},
                                                         {"ln_f.bias", {8}}};
  float first_number = 0.5F;  ///< The first number of each tensor.

  void write(const fs::path& folder) const {
    EXPECT_TRUE(write_atomically(folder / "config.json", config.dump()).has_value());
    std::vector<std::vector<float>> numbers;
    std::vector<TensorView> tensors;
    for (const auto& [name, shape] : shapes) {
      std::size_t size = 1;
      for (const std::size_t side : shape) size *= side;
      numbers.emplace_back(size, 0.1F);
      numbers.back().front() = first_number;
      const auto n = static_cast<int>(size);
      tensors.push_back({name, shape, {numbers.back().data(), 1, n, n}});
    }
    EXPECT_TRUE(write_safetensors(folder / "model.safetensors", tensors, {}).has_value());
  }

  std::string opened() const {
    const TemporaryFolder folder;
    write(folder / "");
    const auto model = open_foreign_folder(folder / "", "");
    if (!model) return model.error().message;
    std::string text = "opened";
    for (const std::string& name : (*model)->unused) text += " without " + name;
    for (const std::string& name : (*model)->files->non_finite_tensors()) text += " with NaN in " + name;
    return text;
  }
};

TEST(ForeignFolder, OpensWithDefaultsForWhatIsLeftOut) {
  EXPECT_EQ(TinyGpt2().opened(), "opened");
}

constexpr const char* file_was_changed = "model.safetensors' was changed after it was opened";

template <class Value>
void expect_changed(const Result<Value>& result, const std::string& what) {
  ASSERT_FALSE(result.has_value()) << what;
  EXPECT_NE(result.error().message.find(file_was_changed), std::string::npos) << result.error().message;
}

/// A folder with a tiny GPT-2, the session in which it is open, and a pass of it.
struct OpenedGpt2 {
  OpenedGpt2() {
    TinyGpt2().write(folder / "");
    model = reopened();
    session = reduce(default_session(), OpenModel{model, {}, {}});
    session.tokenizer = TokenizerKind::ids;
    session.sentence = "1 2";
    const auto pass = engine.compute(request_of(session), TooLong::refuse);
    EXPECT_TRUE(pass.has_value());
    trace = *pass;
  }

  std::shared_ptr<const TrainedModel> reopened() const {
    const auto opened = open_foreign_folder(folder / "", "");
    EXPECT_TRUE(opened.has_value()) << opened.error().message;
    return *opened;
  }
  void change_file() const {
    fs::last_write_time(folder / "model.safetensors",
                        fs::file_time_type::clock::now() + std::chrono::hours(1));
  }

  TemporaryFolder folder;
  std::shared_ptr<const TrainedModel> model;
  Session session;
  Engine engine{1};
  std::shared_ptr<const Trace> trace;
};

TEST(ForeignFolder, FixesTheArchitectureAndNothingElse) {
  const OpenedGpt2 opened;
  for (const Setting& setting : all_settings) {
    const std::string reason = why_fixed_by_weights(opened.session, setting);
    EXPECT_EQ(reason.empty(), !setting.key.starts_with("architecture.")) << setting.key;
    EXPECT_EQ(why_fixed_by_weights(default_session(), setting), "") << setting.key;
  }
  const SettingChange heads{"architecture.heads", 1.0};
  const auto changed = with_changes(opened.session, std::span(&heads, 1));
  ASSERT_FALSE(changed);
  EXPECT_EQ(changed.error().message, why_fixed_by_weights(opened.session, setting("architecture.heads")));
}

TEST(ForeignFolder, ThatChangesOnTheDiskGivesNoMoreNumbers) {
  OpenedGpt2 opened;
  EXPECT_TRUE(opened.trace->check_files().has_value());
  const TemporaryFolder out;
  const StageId weights{StageKind::w_query, Stack::decoder};
  ASSERT_TRUE(opened.trace->has(weights));
  ASSERT_TRUE(write_stage(*opened.trace, weights, out / "before.npy").has_value());
  opened.change_file();
  expect_changed(opened.trace->check_files(), "the pass");
  expect_changed(write_stage(*opened.trace, weights, out / "after.npy"), "a stage");
  expect_changed(write_trace(*opened.trace, out / "all", "{}", TracedParameters::written), "a trace");
  expect_changed(stage_table(*opened.trace, weights), "the clipboard");
  EXPECT_EQ(out.n_files(), 1U) << "nothing was written";
  opened.session.sentence = "1 2 1";
  expect_changed(opened.engine.compute(request_of(opened.session), TooLong::refuse), "another pass");
  const std::vector<SearchLine> lines{{0, "1 2"}};
  SearchCriteria criteria;
  criteria.head = {Stack::decoder, AttentionKind::self, 0, 0};
  criteria.from = "1";
  expect_changed(headscope::search(request_of(opened.session), criteria, lines, {}).finish(), "a search");
}

TEST(ForeignFolder, ThatChangedIsAnotherModelWhenItIsOpenedAgain) {
  OpenedGpt2 opened;
  const ModelRef before = opened.model;
  EXPECT_EQ(before, ModelRef(opened.reopened()));
  const fs::path file = opened.folder / "model.safetensors";
  const auto written = fs::last_write_time(file);
  fs::last_write_time(file, written + std::chrono::hours(1));
  expect_changed(opened.trace->check_files(), "the pass");
  const ModelRef again = opened.reopened();
  EXPECT_FALSE(before == again) << "although the numbers are the same";
  EXPECT_EQ(before, before);
  fs::last_write_time(file, written);
  EXPECT_FALSE(opened.trace->check_files().has_value()) << "what was read in between may have been wrong";
}

TEST(ForeignFolder, ThatChangesTakesTheWorkersPassAway) {
  OpenedGpt2 opened;
  Worker worker([] {}, 1);
  const auto answer = [&](const Session& session) {
    worker.submit(request_of(session));
    while (worker.busy()) std::this_thread::yield();
    return worker.latest();
  };
  ASSERT_NE(answer(opened.session)->trace, nullptr);
  opened.change_file();
  const auto refused = worker.latest();
  EXPECT_EQ(refused->trace, nullptr);
  EXPECT_NE(refused->error.find(file_was_changed), std::string::npos) << refused->error;
  EXPECT_EQ(worker.latest(), refused) << "once and for all";
  TinyGpt2().write(opened.folder / "");
  opened.session = reduce(opened.session, OpenModel{opened.reopened(), {}, {}});
  opened.session.tokenizer = TokenizerKind::ids;
  opened.session.sentence = "1 2";
  const auto again = answer(opened.session);
  EXPECT_NE(again->trace, nullptr) << again->error;
}

TEST(ForeignFolder, GivesTheSameNumbersIfItsOwnAreGiven) {
  OpenedGpt2 opened;
  Request given = request_of(opened.session);
  const double without = weights_bytes(given);
  for (const StageId& id : opened.trace->stages()) {
    const bool is_given = id.kind == StageKind::w_query || id.kind == StageKind::b_key ||
                          id.kind == StageKind::embedding_table || id.kind == StageKind::w_1;
    if (!is_given || !why_not_given(opened.trace->graph(), id).empty()) continue;
    const MatrixView own = opened.trace->value(id);
    OwnedMatrix numbers(own.rows, own.cols);
    for (int row = 0; row < own.rows; ++row) std::ranges::copy(own.row(row), &numbers.at(row, 0));
    given.given = with_given(std::move(given.given),
                             {path(id), std::make_shared<const OwnedMatrix>(std::move(numbers))});
  }
  ASSERT_GE(given.given.all.size(), 4U);
  EXPECT_GT(weights_bytes(given), without);
  const auto trace = opened.engine.compute(given, TooLong::refuse);
  ASSERT_TRUE(trace.has_value()) << trace.error().message;
  for (const StageId& id : opened.trace->stages())
    EXPECT_TRUE(eigen((*trace)->value(id)) == eigen(opened.trace->value(id))) << path(id);
}

/// A tiny GPT-2 on disk, whose headers have been read.
struct SmallShare : testing::Test {
  SmallShare() { TinyGpt2().write(folder / ""); }
  void SetUp() override {
    headers = read_foreign_headers(folder / "");
    ASSERT_TRUE(headers.has_value()) << headers.error().message;
    last = unembedding_bytes(headers->architecture, headers->vocabulary);
    ASSERT_GT(last, 0.0);
  }

  const TemporaryFolder folder;
  Result<headscope::ForeignModel> headers;
  double last = 0.0;  ///< The bytes of the packed final linear layer.
};

TEST_F(SmallShare, NeedsAtMostItselfAndWhatIsUsedAtOnce) {
  const double packed = model_bytes(headers->architecture) + last;
  for (const double room : {0.0, last, packed, 10.0 * packed}) {
    const auto model = load_foreign_model(*headers, "", std::make_shared<PackedMemoryBudget>(room)).finish();
    ASSERT_TRUE(model.has_value());
    const double most = (*model)->weights_bytes();
    if (room >= packed) {
      EXPECT_EQ(most, packed) << "its table stays in the file";
    } else {
      EXPECT_GE(most, room + last);
      EXPECT_LE(most, room + packed);
    }
  }
}

TEST_F(SmallShare, IsUsedByAllModelsAndGivenBack) {
  const auto share = std::make_shared<PackedMemoryBudget>(1.5 * last);
  {
    const auto one = load_foreign_model(*headers, "", share).finish();
    EXPECT_EQ(share->reserved(), last) << "of the final linear layer, which is used last";
    const auto two = load_foreign_model(*headers, "", share).finish();
    EXPECT_EQ(share->reserved(), last) << "there is no more room";
  }
  EXPECT_EQ(share->reserved(), 0.0) << "when no model is open any more";
}

TEST(ForeignFolder, TakesPrefixesAndLeavesBuffersAlone) {
  TinyGpt2 model;
  std::map<std::string, std::vector<std::size_t>> prefixed;
  for (const auto& [name, shape] : model.shapes) prefixed["transformer." + name] = shape;
  prefixed["transformer.h.0.attn.bias"] = {1, 1, 6, 6};
  prefixed["lm_head.weight"] = {5, 8};
  model.shapes = prefixed;
  EXPECT_EQ(model.opened(), "opened without lm_head.weight without transformer.h.0.attn.bias");
}

TEST(ForeignFolder, NamesWhatDoesNotFit) {
  TinyGpt2 model;
  model.shapes.erase("h.0.attn.c_attn.bias");
  EXPECT_NE(model.opened().find("the tensor h.0.attn.c_attn.bias is missing"), std::string::npos);
  model = {};
  model.shapes["wpe.weight"] = {7, 8};
  EXPECT_NE(model.opened().find("wpe.weight is [7, 8], but config.json requires [6, 8]"), std::string::npos);
  model = {};
  model.shapes["h.1.ln_1.weight"] = {8};
  EXPECT_NE(model.opened().find("no place for the tensor h.1.ln_1.weight [8]"), std::string::npos);
  model = {};
  model.shapes["wte.scale"] = {8};
  EXPECT_NE(model.opened().find("no place for the tensor wte.scale"), std::string::npos);
}

TEST(ForeignFolder, NamesWhatAConfigurationSaysWrong) {
  const auto with = [](const char* key, const nlohmann::json& value) {
    TinyGpt2 model;
    model.config[key] = value;
    return model.opened();
  };
  for (const auto& [key, value, part] : std::vector<std::tuple<const char*, nlohmann::json, const char*>>{
           {"n_layer", "one", "its n_layer is \"one\""},
           {"n_layer", 1.5, "its n_layer is 1.5"},
           {"n_layer", 0, "its n_layer is 0, but must be a whole number from 1 to 1,000"},
           {"n_positions", 0, "its n_positions is 0"},
           {"n_layer", 900, "describes"},
           {"n_head", 3, "its n_embd is 8 and its n_head is 3, but d_model 8 is not divisible by 3 heads"},
           {"n_embd", -8, "n_embd"},
           {"vocab_size", "many", "vocab_size is \"many\""},
           {"vocab_size", nullptr, "opened"},
           {"vocab_size", -1, "its vocab_size is -1, but must be a whole number from 1 to 16,777,216"},
           {"n_embd", nullptr, "its n_embd is null and taken to be 768"},
           {"layer_norm_epsilon", -1, "its layer_norm_epsilon is -1, but must be a number from 1e-12 to 1"},
           {"activation_function", "quick_gelu", "quick_gelu"},
           {"layer_norm_epsilon", "small", "layer_norm_epsilon"},
           {"tie_word_embeddings", 1, "tie_word_embeddings"},
           {"quantization_config", {{"quant_method", "gptq"}, {"bits", 4}}, "opened"},
           {"num_local_experts", 8, "experts"},
           {"scale_attn_by_inverse_layer_idx", true, "not supported"},
           {"model_type", "mamba", "Supported families"}}) {
    EXPECT_NE(with(key, value).find(part), std::string::npos) << key << ": " << with(key, value);
  }
}

/// What opening a fixture says if its configuration is changed: “opened”, or the message.
std::string opened_with(const char* name, const nlohmann::json& changes) {
  const TemporaryFolder copy;
  copy_without(fixtures / name, copy / "", "config.json");
  auto config = nlohmann::json::parse(content_of(fixtures / name / "config.json"));
  config.merge_patch(changes);
  EXPECT_TRUE(write_atomically(copy / "config.json", config.dump()).has_value());
  const auto model = open_foreign_folder(copy / "", "");
  return model ? "opened" : model.error().message;
}

TEST(ForeignFolder, NamesTheKeysOfTheFile) {
  const nlohmann::json all_dense{{"mlp_only_layers", {0, 1}}, {"intermediate_size", 24}};
  for (const auto& [name, changes, part] : std::vector<std::tuple<const char*, nlohmann::json, const char*>>{
           {"deepseek_v2", {{"intermediate_size", 0}}, "its intermediate_size is 0, but must be above 0"},
           {"deepseek_v2", {{"qk_nope_head_dim", 0}}, "its qk_nope_head_dim is 0"},
           {"deepseek_v2", {{"n_group", 0}}, "its n_group is 0"},
           {"deepseek_v2", {{"moe_intermediate_size", 0}}, "its moe_intermediate_size is 0"},
           {"mixtral", {{"intermediate_size", 0}}, "its num_local_experts is 5, but the experts must have"},
           {"deepseek_v2", {{"first_k_dense_replace", "x"}}, "its first_k_dense_replace is \"x\""},
           {"qwen3_moe",
            {{"num_key_value_heads", 3}},
            "its num_attention_heads is 4 and its num_key_value_heads is 3"},
           {"qwen3_moe", {{"mlp_only_layers", "x"}}, "its mlp_only_layers is \"x\""},
           {"qwen3_moe", all_dense, "the tensor model.layers.0.mlp.gate_proj.weight is missing"},
           {"smollm3", {{"no_rope_layers", "x"}}, "its no_rope_layers is \"x\""},
           {"gpt_neo", {{"attention_types", "x"}}, "its attention_types"},
           {"big_bird", {{"attention_type", "x"}}, "its attention_type is \"x\""},
           {"mpt", {{"attn_config", {{"rope", false}}}}, "opened"},
           {"mpt", {{"attn_config", {{"rope", true}}}}, "its attn_config.rope is true"},
           {"marian", {{"decoder_start_token_id", 1000}}, "its decoder_start_token_id is 1000"},
           {"gemma3n_text", {{"intermediate_size", {24.7, 24, 24, 24}}}, "its intermediate_size is [24.7"},
           {"mbart", {{"encoder_attention_heads", 0}}, "its encoder_attention_heads is 0"},
           {"cohere2", {{"logit_scale", 0}}, "its logit_scale is 0"},
           {"granite",
            {{"max_position_embeddings", 10485760}, {"rope_parameters", {{"rope_type", "default"}}}},
            "opened"}})
    EXPECT_NE(opened_with(name, changes).find(part), std::string::npos)
        << name << changes << ": " << opened_with(name, changes);
  TinyGpt2 model;
  model.config.erase("n_embd");
  model.config["hidden_size"] = 16;
  EXPECT_EQ(model.opened().find("n_embd is missing"), std::string::npos) << model.opened();
}

TEST(ForeignFolder, IsOfTheFamilyOfItsTensorsWhereConfigJsonNamesNone) {
  TinyGpt2 model;
  model.config.erase("model_type");
  EXPECT_NE(model.opened().find("does not name a model_type"), std::string::npos) << model.opened();
  const TemporaryFolder copy;
  copy_without(fixtures / "bert", copy / "", "config.json");
  auto config = nlohmann::json::parse(content_of(fixtures / "bert/config.json"));
  config.erase("model_type");
  EXPECT_TRUE(write_atomically(copy / "config.json", config.dump()).has_value());
  const auto bert = open_foreign_folder(copy / "", "");
  ASSERT_TRUE(bert.has_value()) << bert.error().message;
  EXPECT_EQ((*bert)->family, "BERT");
}

TEST(ForeignFolder, LeavesHeadsForOtherTasksAlone) {
  TinyGpt2 model;
  model.shapes["score.weight"] = {2, 8};
  model.shapes["v_head.summary.bias"] = {1};
  EXPECT_EQ(model.opened(), "opened without score.weight without v_head.summary.bias");
}

TEST(ForeignFolder, LeavesTensorsBesideTheModelAlone) {
  TinyGpt2 model;
  model.shapes["linear.bias"] = {2};
  EXPECT_EQ(model.opened(), "opened without linear.bias");
  model = {};
  std::map<std::string, std::vector<std::size_t>> prefixed;
  for (const auto& [name, shape] : model.shapes) prefixed["transformer." + name] = shape;
  prefixed["transformer.adapter.weight"] = {8};
  model.shapes = prefixed;
  EXPECT_NE(model.opened().find("no place for the tensor transformer.adapter.weight"), std::string::npos);
}

/// Writes the folder of a model again with other names of its tensors.
void copy_renamed(const fs::path& from, const fs::path& to,
                  const std::function<std::string(const std::string&)>& renamed) {
  copy_without(from, to, "model.safetensors");
  fs::remove(to / "pytorch_model.bin");
  const std::string bytes = content_of(from / "model.safetensors");
  const std::size_t length = static_cast<unsigned char>(bytes[0]) +
                             (static_cast<unsigned char>(bytes[1]) << 8) +
                             (static_cast<unsigned char>(bytes[2]) << 16);
  const nlohmann::json before = nlohmann::json::parse(bytes.substr(8, length));
  nlohmann::json header;
  for (const auto& [name, tensor] : before.items())
    header[name == "__metadata__" ? name : renamed(name)] = tensor;
  const std::string text = header.dump();
  std::string size(8, '\0');
  for (std::size_t i = 0; i < 4; ++i) size[i] = static_cast<char>(text.size() >> 8 * i & 0xFF);
  EXPECT_TRUE(write_atomically(to / "model.safetensors", size + text + bytes.substr(8 + length)).has_value());
}

TEST(ForeignModels, HoldTheSameNumbersInsideOfOtherObjects) {
  const fs::path models = reference / "checkpoints/models";
  if (!fs::exists(models)) GTEST_SKIP() << "no reference data at " << reference;
  for (const auto& entry : fs::directory_iterator(models)) {
    const std::string name = entry.path().filename().string();
    if (!fs::exists(entry.path() / "model.safetensors") || name == "rand-vit") continue;
    for (const std::string wrapper :
         {"module.", "_orig_mod.", "0.auto_model.", "my.own.net.", "_orig_mod.my._fsdp_wrapped_module."}) {
      const TemporaryFolder copy;
      copy_renamed(entry.path(), copy / "", [&](const std::string& tensor) { return wrapper + tensor; });
      EXPECT_EQ(all_numbers(copy / ""), all_numbers(entry.path())) << wrapper << name;
    }
  }
}

/// The part of LLaVA that reads text, in the layouts of older and newer versions of Transformers.
TEST(ForeignModels, OpenThePartThatReadsTextBesideOneThatReadsPictures) {
  const nlohmann::json text = nlohmann::json::parse(content_of(fixtures / "olmo2/config.json"));
  for (const bool is_newer : {false, true}) {
    const TemporaryFolder copy;
    copy_renamed(fixtures / "olmo2", copy / "", [&](const std::string& tensor) {
      if (!is_newer) return "language_model." + tensor;
      return tensor.starts_with("model.") ? "model.language_model." + tensor.substr(6) : tensor;
    });
    const nlohmann::json config{{"model_type", "llava"},
                                {"architectures", {"LlavaForConditionalGeneration"}},
                                {"vision_config", {{"model_type", "clip_vision_model"}}},
                                {"text_config", text}};
    EXPECT_TRUE(write_atomically(copy / "config.json", config.dump()).has_value());
    EXPECT_EQ(all_numbers(copy / ""), all_numbers(fixtures / "olmo2")) << is_newer;
    const auto model = open_foreign_folder(copy / "", "");
    ASSERT_TRUE(model.has_value());
    EXPECT_EQ((*model)->warnings.size(), 1U);
  }
}

TEST(ForeignModels, OpenAsPeopleHaveThem) {
  const fs::path found = reference / "../findings/cases";
  if (!fs::exists(found)) GTEST_SKIP() << "no cases at " << found;
  const auto opened = [&](const char* name) {
    const auto model = open_foreign_folder(found / name, "");
    EXPECT_TRUE(model.has_value()) << model.error().message;
    return model ? *model : nullptr;
  };
  EXPECT_TRUE(opened("files-not-recognised/no-index"));
  for (const char* name : {"files-not-recognised/att.npy", "files-not-recognised/blocks.safetensors"})
    EXPECT_TRUE(is_capture(found / name)) << name;
  for (const auto& [name, words] :
       {std::pair("files-not-recognised/lora-adapter", "is a LoRA adapter of gpt2"),
        std::pair("git-lfs-pointer",
                  "is a Git LFS pointer (390,660,192 bytes are elsewhere): run “git lfs pull”")}) {
    const auto refused = load_model(found / name);
    ASSERT_FALSE(refused.has_value()) << name;
    EXPECT_NE(refused.error().message.find(words), std::string::npos) << refused.error().message;
  }
  const auto own_head = opened("own-head/model");
  ASSERT_TRUE(own_head);
  EXPECT_NE(std::ranges::find(own_head->unused, "linear.weight"), own_head->unused.end());
  EXPECT_TRUE(opened("prefixes/model-ddp"));
  EXPECT_TRUE(opened("config-with-infinity"));
  const auto camembert = opened("camembert");
  ASSERT_TRUE(camembert);
  EXPECT_EQ(camembert->family, "RoBERTa");
  const auto headless = opened("missing-output-layer");
  ASSERT_TRUE(headless);
  EXPECT_EQ(headless->model.architecture.output_layer, OutputLayer::none);
  ASSERT_EQ(headless->warnings.size(), 1U);
  EXPECT_NE(headless->warnings[0].find("lack the final linear layer"), std::string::npos);
}

/// A folder with one more tensor, of the type U8 and without bytes.
std::string said_with_tensor(const std::string& name, const nlohmann::json& config) {
  const TemporaryFolder folder;
  const std::string header =
      nlohmann::json{{name, {{"dtype", "U8"}, {"shape", {0}}, {"data_offsets", {0, 0}}}}}.dump();
  const std::uint64_t size = header.size();
  EXPECT_TRUE(write_atomically(folder / "config.json", config.dump()).has_value());
  EXPECT_TRUE(write_atomically(folder / "model.safetensors",
                               std::string(reinterpret_cast<const char*>(&size), sizeof size) + header)
                  .has_value());
  return open_foreign_folder(folder / "", "").error().message;
}

TEST(ForeignFolder, SaysThatItsWeightsAreQuantisedOrNotMerged) {
  const nlohmann::json gptq{{"quant_method", "gptq"}, {"bits", 4}};
  const std::string weights = "model.layers.0.self_attn.q_proj.qweight";
  EXPECT_NE(said_with_tensor(weights, {{"model_type", "llama"}, {"quantization_config", gptq}})
                .find("quantised (quantization_config: gptq, 4 bits)"),
            std::string::npos);
  EXPECT_NE(said_with_tensor(weights, {{"model_type", "llama"}}).find("quantised (" + weights + " is U8)"),
            std::string::npos);
  EXPECT_NE(said_with_tensor("model.layers.0.self_attn.q_proj.base_layer.bias", {{"model_type", "llama"}})
                .find("an adapter that is not merged"),
            std::string::npos);
}

std::string said_of(const nlohmann::json& config) {
  const TemporaryFolder folder;
  EXPECT_TRUE(write_atomically(folder / "config.json", config.dump()).has_value());
  return open_foreign_folder(folder / "", "").error().message;
}

TEST(ForeignFolder, OfAnUnknownTypeSaysWhatItWouldNeed) {
  const auto said = [](const char* type) { return said_of({{"model_type", type}}); };
  EXPECT_NE(said("deberta").find("\"deberta\", whose queries, keys and values"), std::string::npos);
  EXPECT_NE(
      said("mamba").find("\"mamba\", which has no attention and is not supported. Supported families: "),
      std::string::npos);
  EXPECT_NE(said("invented").find("\"invented\", but only these families"), std::string::npos);
}

/// Padding is not counted, wherever it is, and padded keys are hidden if a mask says so.
TEST(ForeignModels, CountNoPaddingInRoberta) {
  const fs::path found = reference / "../findings/cases/roberta-padding";
  if (!fs::exists(found)) GTEST_SKIP() << "no cases at " << found;
  const auto model = open_foreign_folder(found / "model", "");
  ASSERT_TRUE(model.has_value()) << model.error().message;
  for (const auto& [file, ids, n_padded] : {std::tuple("left-padded_1,1,0,5,6_weights.npy", "1,1,0,5,6", 2),
                                            std::tuple("pad-inside_0,5,1,6,2_weights.npy", "0,5,1,6,2", 0)}) {
    const auto expected = read_npy(found / file);
    ASSERT_TRUE(expected.has_value()) << expected.error().message;
    Session session = reduce(default_session(), OpenModel{*model, {}, {}});
    session.tokenizer = TokenizerKind::ids;
    session.sentence = ids;
    for (int i = 0; i < n_padded; ++i) session.attention.mask.padding.push_back(i);
    Engine engine(1);
    const auto trace = engine.compute(request_of(session), TooLong::refuse);
    ASSERT_TRUE(trace.has_value()) << trace.error().message;
    std::size_t at = 0;
    for (int layer = 0; layer < 2; ++layer) {
      for (int head = 0; head < 4; ++head) {
        for (int row = n_padded; row < 5; ++row) {
          for (int col = 0; col < 5; ++col, ++at) {
            const StageId weights{
                .kind = StageKind::weights, .stack = Stack::encoder, .layer = layer, .head = head};
            EXPECT_NEAR((*trace)->number(weights, row, col), expected->values[at], 1e-5) << file;
          }
        }
      }
    }
  }
}

TEST(ForeignFolder, NumbersThatAreNotFiniteAreNamedAndOpened) {
  TinyGpt2 model;
  model.first_number = std::numeric_limits<float>::quiet_NaN();
  model.shapes = TinyGpt2().shapes;
  EXPECT_NE(model.opened().find("opened with NaN in h.0.attn.c_attn.bias"), std::string::npos)
      << model.opened();
}

TEST(ForeignModels, AreHeldAgainstReferenceData) {
  if (!fs::exists(reference)) GTEST_SKIP() << "no reference data at " << reference;
  EXPECT_GE(cases().size(), 22U);
}

}  // namespace
}  // namespace headscope
