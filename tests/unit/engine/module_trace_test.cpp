// Compares modules of every format with PyTorch. tests/fixtures/make_modules.py made the cases and says what
// they contain. Further tests check what is refused, and with which message.
#include "core/engine/module_trace.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <sstream>

#include "core/io/npy.h"
#include "core/system/atomic_file.h"
#include "core/system/read_file.h"

namespace headscope {
namespace {

namespace fs = std::filesystem;

constexpr float tolerance = 1e-4F;
const std::string module_prefix = "module.";

Safetensors fixture(const std::string& name) {
  auto read =
      read_safetensors(fs::path(HEADSCOPE_SOURCE_DIR) / "tests/fixtures/modules" / (name + ".safetensors"));
  EXPECT_TRUE(read) << (read ? "" : read.error().message);
  return read ? std::move(*read) : Safetensors{};
}

/// The tensors of the module under their own names, preceded by `prefix`.
Safetensors weights_in(const Safetensors& file, const std::string& prefix = "") {
  Safetensors weights;
  for (Tensor tensor : file.tensors) {
    if (!tensor.name.starts_with(module_prefix)) continue;
    tensor.name = prefix + tensor.name.substr(module_prefix.size());
    weights.tensors.push_back(std::move(tensor));
  }
  return weights;
}

ModuleRows rows_of(const Tensor& tensor) {
  ModuleRows rows{tensor.name + ".npy",
                  OwnedMatrix(static_cast<int>(tensor.shape[0]), static_cast<int>(tensor.shape[1]))};
  rows.rows.values = tensor.values;
  return rows;
}

ModuleRows filled_rows(const std::string& name, int rows, int cols, float value = 0.5F) {
  ModuleRows made{name, OwnedMatrix(rows, cols)};
  std::ranges::fill(made.rows.values, value);
  return made;
}

ModuleInputs inputs_in(const Safetensors& file) {
  ModuleInputs inputs{rows_of(*file.find("input")), {}, {}};
  if (const Tensor* key = file.find("key_input")) inputs.key = rows_of(*key);
  if (const Tensor* value = file.find("value_input")) inputs.value = rows_of(*value);
  return inputs;
}

AttentionOptions options_in(const Safetensors& file) {
  const auto setting = [&](const char* name) { return file.metadata.at(name); };
  AttentionOptions options;
  options.scale = setting("scale") == "1";
  options.temperature = std::stof(setting("temperature"));
  options.softmax = setting("softmax") == "queries" ? SoftmaxAxis::queries : SoftmaxAxis::keys;
  options.mask_value = setting("mask_value") == "1e9" ? MaskValue::minus_1e9 : MaskValue::minus_infinity;
  options.mask.causal = setting("causal") == "1";
  std::istringstream padding(setting("padding"));
  for (int key = 0; padding >> key;) options.mask.padding.push_back(key);
  if (const Tensor* stored = file.find("mask")) {
    LoadedMask mask{
        "mask.npy",    false, 1, 1, static_cast<int>(stored->shape[0]), static_cast<int>(stored->shape[1]),
        stored->values};
    options.mask.loaded.push_back(std::make_shared<const LoadedMask>(std::move(mask)));
  }
  return options;
}

int heads_in(const Safetensors& file) {
  return std::stoi(file.metadata.at("n_heads"));
}

Result<ModulePass> pass_of(const Safetensors& file, std::optional<ModuleFormat> format = {}) {
  auto weights = module_weights_of(weights_in(file), "w.safetensors", format);
  if (!weights) return tl::unexpected(weights.error());
  return module_forward(std::move(*weights), inputs_in(file), heads_in(file), options_in(file));
}

const TensorView* find(const std::vector<TensorView>& tensors, const std::string& name) {
  const auto found = std::ranges::find(tensors, name, &TensorView::name);
  return found == tensors.end() ? nullptr : &*found;
}

void expect_equal(const MatrixView& values, const float* expected, const std::string& what) {
  for (int row = 0; row < values.rows; ++row) {
    for (int col = 0; col < values.cols; ++col) {
      const float wanted = expected[row * values.cols + col];
      const float got = values(row, col);
      if (std::isinf(wanted)) {
        ASSERT_EQ(got, wanted) << what << " " << row << ", " << col;
      } else {
        ASSERT_NEAR(got, wanted, tolerance * std::max(1.0F, std::abs(wanted)))
            << what << " " << row << ", " << col;
      }
    }
  }
}

class ModuleFixture : public testing::TestWithParam<std::string> {};

TEST_P(ModuleFixture, EveryStageIsPyTorchs) {
  const Safetensors file = fixture(GetParam());
  const auto pass = pass_of(file);
  ASSERT_TRUE(pass) << pass.error().message;
  EXPECT_EQ(name_of(pass->weights.format), file.metadata.at("format"));
  const auto tensors = tensors_of(*pass);
  const bool is_cross = file.find("key_input") != nullptr || file.find("value_input") != nullptr;
  const std::string layer = "encoder.layers.0.";
  const std::string attention = layer + (is_cross ? "cross." : "self.");
  for (const char* kind :
       {"query", "key", "value", "raw", "scaled", "masked", "weights", "output", "contribution"}) {
    const Tensor* expected = file.find(kind);
    for (int head = 0; head < heads_in(file); ++head) {
      const std::string name = attention + "heads." + std::to_string(head) + "." + kind;
      const TensorView* tensor = find(tensors, name);
      ASSERT_EQ(tensor != nullptr, expected != nullptr) << name;
      if (expected == nullptr) continue;
      ASSERT_EQ(tensor->shape, (std::vector<std::size_t>{expected->shape[1], expected->shape[2]})) << name;
      expect_equal(
          tensor->values,
          expected->values.data() + static_cast<std::size_t>(head) * expected->shape[1] * expected->shape[2],
          name);
    }
  }
  for (const char* kind : {"concat", "projected"}) {
    const TensorView* tensor = find(tensors, attention + kind);
    ASSERT_NE(tensor, nullptr);
    ASSERT_EQ(tensor->shape, file.find(kind)->shape) << kind;
    expect_equal(tensor->values, file.find(kind)->values.data(), kind);
  }
  expect_equal(find(tensors, layer + "input")->values, file.find("input")->values.data(), "input");
}

TEST_P(ModuleFixture, ParametersMakeTheStages) {
  const Safetensors file = fixture(GetParam());
  const auto pass = pass_of(file);
  ASSERT_TRUE(pass) << pass.error().message;
  const auto tensors = tensors_of(*pass);
  const std::string head = std::string("encoder.layers.0.") + (pass->inputs.is_cross() ? "cross" : "self") +
                           ".heads." + std::to_string(heads_in(file) - 1) + ".";
  const auto matrix = [&](const std::string& name) {
    return Matrix(eigen(find(tensors, head + name)->values));
  };
  const auto check = [&](const ModuleRows& from, const std::string& letter, const std::string& stage,
                         bool has_bias) {
    Matrix made = eigen(from.rows.view()) * matrix("W_" + letter);
    ASSERT_EQ(find(tensors, head + "b_" + letter) != nullptr, has_bias);
    if (has_bias) made.rowwise() += RowVector(matrix("b_" + letter).row(0));
    EXPECT_LE((made - matrix(stage)).cwiseAbs().maxCoeff(), tolerance) << stage;
  };
  const Biases& bias = pass->weights.bias;
  check(pass->inputs.query, "Q", "query", bias.query);
  check(pass->inputs.key_rows(), "K", "key", bias.key);
  check(pass->inputs.value_rows(), "V", "value", bias.value);
}

TEST_P(ModuleFixture, APrefixAndAFormatThatIsSaidChangeNothing) {
  const Safetensors file = fixture(GetParam());
  const std::string prefix = "encoder.layers.0.self_attn.";
  Safetensors whole = weights_in(file, prefix);
  whole.tensors.push_back({"encoder.layers.0.norm1.weight", {2}, {1.0F, 1.0F}});
  const auto plain = module_weights_of(weights_in(file), "w", std::nullopt);
  ASSERT_TRUE(plain) << plain.error().message;
  const auto prefixed = module_weights_of(whole, "w", plain->format);
  ASSERT_TRUE(prefixed) << prefixed.error().message;
  EXPECT_EQ(plain->prefix, "");
  EXPECT_EQ(prefixed->prefix, prefix);
  EXPECT_EQ(plain->attention.query.weight(), prefixed->attention.query.weight());
  EXPECT_EQ(plain->attention.out.weight(), prefixed->attention.out.weight());
}

INSTANTIATE_TEST_SUITE_P(All, ModuleFixture,
                         testing::Values("torch_self", "torch_causal", "torch_no_bias", "torch_cross",
                                         "torch_value_input", "torch_values_alone", "torch_kdim_vdim",
                                         "torch_kdim_no_bias", "packed_wide", "packed_narrow", "packed_cross",
                                         "separate_linear", "separate_cross", "separate_single",
                                         "separate_plain", "separate_output", "separate_queries",
                                         "labml_causal", "labml_no_bias", "labml_cross"),
                         [](const auto& name) { return name.param; });

/// The message with which the weights are refused after a change to a fixture's tensors.
std::string refusal(const std::string& name, const std::function<void(std::vector<Tensor>&)>& change,
                    std::optional<ModuleFormat> format = {}) {
  Safetensors weights = weights_in(fixture(name));
  change(weights.tensors);
  const auto module = module_weights_of(weights, "w.safetensors", format);
  if (module) return "accepted";
  EXPECT_EQ(module.error().kind, Error::Kind::failure);
  EXPECT_NE(module.error().message.find("'w.safetensors'"), std::string::npos);
  return module.error().message;
}

Tensor& tensor(std::vector<Tensor>& tensors, const std::string& name) {
  return *std::ranges::find(tensors, name, &Tensor::name);
}
void remove(std::vector<Tensor>& tensors, const std::string& name) {
  std::erase_if(tensors, [&](const Tensor& t) { return t.name == name; });
}
void reshape(std::vector<Tensor>& tensors, const std::string& name, std::vector<std::size_t> shape) {
  std::size_t n = 1;
  for (const std::size_t size : shape) n *= size;
  tensor(tensors, name).shape = std::move(shape);
  tensor(tensors, name).values.assign(n, 0.25F);
}

void expect_parts(const std::string& message, std::initializer_list<const char*> parts) {
  for (const char* part : parts)
    EXPECT_NE(message.find(part), std::string::npos) << part << "\nin: " << message;
}

TEST(ModuleWeights, WhatIsMissingIsNamedWithWhatWasFoundAndExpected) {
  const auto without = [](const std::string& fixture_name, const char* name) {
    return refusal(fixture_name, [&](auto& tensors) { remove(tensors, name); });
  };
  expect_parts(without("torch_self", "out_proj.weight"),
               {"out_proj.weight is missing", "found: in_proj_bias [48], in_proj_weight [48, 16]",
                "expected (torch): in_proj_weight [3·E, E]", "state_dict"});
  expect_parts(without("torch_kdim_vdim", "v_proj_weight"), {"in_proj_weight or v_proj_weight is missing"});
  expect_parts(without("packed_wide", "out_proj.weight"),
               {"expected (packed): qkv.weight [3·hidden, input]"});
  expect_parts(without("separate_linear", "W_k.weight"),
               {"W_k.weight or W_k or key.weight or k.weight is missing"});
  expect_parts(without("labml_causal", "output.weight"), {"output.weight is missing", "(labml)"});
}

TEST(ModuleWeights, NoModuleOrSeveral) {
  const auto other = [](auto& tensors) { tensors = {{"gpt.c_attn", {2, 2}, std::vector<float>(4)}}; };
  expect_parts(refusal("torch_self", other), {"does not hold an attention module", "found: gpt.c_attn [2, 2]",
                                              "(torch)", "(packed)", "(separate)", "(labml)", "rename"});
  expect_parts(refusal("torch_self", [](auto& tensors) { tensors.clear(); }), {"found: no tensors"});
  expect_parts(refusal(
                   "torch_self", [](auto&) {}, ModuleFormat::labml),
               {"in this format", "found: in_proj_bias", "expected (labml)"});
  const auto twice = [](auto& tensors) {
    const auto copy = tensors;
    for (Tensor t : copy) {
      t.name = "cross." + t.name;
      tensors.push_back(std::move(t));
    }
  };
  expect_parts(refusal("torch_self", twice), {"2 attention modules", "torch at ''", "torch at 'cross.'"});
}

TEST(ModuleWeights, WhatNobodyKnowsIsNotLeftOut) {
  const auto with = [](const std::string& fixture_name, const char* name) {
    return refusal(fixture_name, [&](auto& tensors) {
      tensors.push_back({name, {1, 1, 16}, std::vector<float>(16)});
    });
  };
  expect_parts(with("torch_self", "bias_k"), {"bias_k [1, 1, 16]", "add_bias_kv"});
  expect_parts(with("packed_wide", "relative_bias"), {"relative_bias [1, 1, 16]", "attention module only"});
  expect_parts(with("separate_plain", "W_q.bias"), {"W_q.bias [1, 1, 16]"});
  expect_parts(with("separate_plain", "W_q.weight"), {"both W_q.weight and W_q"});
  expect_parts(with("torch_self", "q_proj_weight"), {"both in_proj_weight and q_proj_weight"});
}

TEST(ModuleWeights, ShapesThatDoNotFit) {
  const auto with = [](const std::string& fixture_name, const char* name, std::vector<std::size_t> shape) {
    return refusal(fixture_name, [&](auto& tensors) { reshape(tensors, name, shape); });
  };
  expect_parts(with("torch_self", "in_proj_weight", {47, 16}),
               {"in_proj_weight [47, 16]", "not divisible by 3"});
  expect_parts(with("torch_self", "in_proj_weight", {48}),
               {"in_proj_weight [48]", "not a projection matrix"});
  expect_parts(with("torch_self", "in_proj_weight", {0, 16}),
               {"in_proj_weight [0, 16]", "not a projection matrix"});
  expect_parts(with("torch_self", "in_proj_weight", {48, 15}),
               {"the input would be 15 wide and the output 16"});
  expect_parts(with("torch_self", "in_proj_bias", {16}), {"in_proj_bias [16] is not [48]"});
  expect_parts(with("torch_self", "out_proj.weight", {16, 15}),
               {"values would be 16 wide and the input of the output projection 15"});
  expect_parts(with("torch_self", "out_proj.bias", {1, 16}), {"out_proj.bias [1, 16] is not [16]"});
  expect_parts(with("torch_kdim_vdim", "k_proj_weight", {11, 10}), {"in_proj_bias [36] is not [33]"});
  expect_parts(with("torch_kdim_no_bias", "k_proj_weight", {5, 5}),
               {"queries would be 6 wide and keys 5", "transposed"});
  expect_parts(with("torch_kdim_no_bias", "v_proj_weight", {5, 5}), {"values would be 5 wide"});
  expect_parts(with("torch_kdim_no_bias", "q_proj_weight", {6, 7}), {"the input would be 7 wide"});
  expect_parts(with("packed_wide", "out_proj.weight", {9, 24}), {"out_proj.bias [10] is not [9]"});
  expect_parts(with("separate_plain", "W_k", {12, 8}), {"queries would be 10 wide and keys 8"});
  expect_parts(with("separate_output", "W_o", {5, 4}),
               {"values would be 4 wide and the input of the output projection 5"});
  expect_parts(with("labml_causal", "output.weight", {8, 7}), {"values would be 8 wide"});
}

TEST(ModuleWeights, NumbersThatAreNone) {
  const auto with = [](const char* name, std::size_t at, float number) {
    return refusal("torch_self", [&](auto& tensors) { tensor(tensors, name).values[at] = number; });
  };
  expect_parts(with("in_proj_weight", 35, NAN), {"in_proj_weight [48, 16] holds NaN at [2, 3]"});
  expect_parts(with("out_proj.bias", 4, -INFINITY), {"out_proj.bias [16] holds", "∞", "[4]"});
}

TEST(ModuleWeights, FilesThatAreNone) {
  const auto module = read_module_weights("nowhere/weights.pt", std::nullopt);
  ASSERT_FALSE(module);
  expect_parts(module.error().message, {"nowhere/weights.pt", "save_file"});
}

/// The message with which the pass is refused.
std::string pass_refusal(const std::string& fixture_name,
                         const std::function<void(ModuleInputs&, AttentionOptions&)>& change, int n_heads = 0,
                         std::size_t max_bytes = default_trace_bytes) {
  const Safetensors file = fixture(fixture_name);
  auto weights = module_weights_of(weights_in(file), "w", std::nullopt);
  EXPECT_TRUE(weights);
  ModuleInputs inputs = inputs_in(file);
  AttentionOptions options = options_in(file);
  change(inputs, options);
  const auto pass = module_forward(std::move(*weights), std::move(inputs),
                                   n_heads == 0 ? heads_in(file) : n_heads, options, max_bytes);
  return pass ? "accepted" : pass.error().message;
}

TEST(ModuleTrace, InputsThatDoNotFit) {
  const auto query = [](auto& inputs, auto&) { inputs.query = filled_rows("x.npy", 5, 15); };
  expect_parts(pass_refusal("torch_self", query),
               {"'x.npy' is [5, 15]", "queries from rows of 16", "[5, 16]"});
  const auto no_key = [](auto& inputs, auto&) { inputs.key.reset(); };
  expect_parts(pass_refusal("torch_kdim_no_bias", no_key),
               {"keys from rows of 5", "give keys their own input, [S, 5]"});
  const auto no_value = [](auto& inputs, auto&) { inputs.value.reset(); };
  expect_parts(
      pass_refusal("torch_kdim_vdim", no_value),
      {"'key_input.npy' is [8, 10]", "values from rows of 6", "give values their own input, [S, 6]"});
  const auto fewer = [](auto& inputs, auto&) { inputs.value = filled_rows("z.npy", 5, 8); };
  expect_parts(pass_refusal("torch_value_input", fewer),
               {"'key_input.npy' gives 6 keys and 'z.npy' 5 values"});
}

TEST(ModuleTrace, HeadsThatDoNotDivide) {
  const auto same = [](auto&, auto&) {};
  expect_parts(pass_refusal("torch_self", same, 3), {"width of queries and keys, 16", "1, 2, 4, 8, 16"});
  expect_parts(pass_refusal("separate_plain", same, 5), {"keys, 10", "values, 6", ": 1, 2"});
}

TEST(ModuleTrace, MasksThatDoNotFit) {
  const auto turned = [](auto&, auto& options) {
    LoadedMask mask = *options.mask.loaded.front();
    std::swap(mask.rows, mask.cols);
    options.mask.loaded = {std::make_shared<const LoadedMask>(std::move(mask))};
  };
  expect_parts(pass_refusal("torch_cross", turned), {"[7, 4]", "[4, 7]"});
}

TEST(ModuleTrace, WhatIsTooLarge) {
  const auto same = [](auto&, auto&) {};
  expect_parts(pass_refusal("torch_self", same, 4, 1000), {"5 queries and 5 keys in 4 heads", "fewer rows"});
  const auto many = [](auto& inputs, auto&) { inputs.query = filled_rows("x.npy", 20000, 16); };
  expect_parts(pass_refusal("torch_self", many), {"20000 queries", "fewer rows"});
  const auto huge = [](auto& inputs, auto&) { inputs.query = filled_rows("x.npy", 3, 16, 3e30F); };
  expect_parts(pass_refusal("torch_self", huge), {"float32", "too large"});
}

TEST(ModuleTrace, ARowWithNothingVisibleIsZeros) {
  const Safetensors file = fixture("torch_self");
  auto weights = module_weights_of(weights_in(file), "w", std::nullopt);
  AttentionOptions options;
  options.mask.causal = true;
  options.mask.padding = {0};
  const auto pass = module_forward(std::move(*weights), inputs_in(file), 4, options);
  ASSERT_TRUE(pass) << pass.error().message;
  const auto tensors = tensors_of(*pass);
  for (const float weight : find(tensors, "encoder.layers.0.self.heads.2.weights")->values.row(0))
    EXPECT_EQ(weight, 0.0F);
}

class ModuleFiles : public testing::Test {
 protected:
  ModuleFiles() {
    fs::remove_all(folder_);
    fs::create_directory(folder_);
  }
  ~ModuleFiles() override { fs::remove_all(folder_); }

  std::string rows_refusal(const std::string& literal, const std::string& data) const {
    std::string header = literal + "\n";
    std::string bytes("\x93NUMPY\x01\x00", 8);
    bytes += static_cast<char>(header.size());
    bytes += '\0';
    EXPECT_TRUE(write_atomically(folder_ / "x.npy", bytes + header + data));
    const auto rows = read_module_rows(folder_ / "x.npy");
    return rows ? "accepted" : rows.error().message;
  }

  fs::path folder_ = fs::temp_directory_path() / ("headscope-module-" + std::to_string(::getpid()));
};

TEST_F(ModuleFiles, RowsThatCannotBe) {
  const auto literal = [](const std::string& type, const std::string& shape) {
    return "{'descr': '" + type + "', 'fortran_order': False, 'shape': " + shape + ", }";
  };
  expect_parts(rows_refusal(literal("<f8", "(2, 2)"), std::string(32, '\0')),
               {"x.npy", "float64", "astype(numpy.float32)"});
  expect_parts(rows_refusal(literal("<f4", "(4,)"), std::string(16, '\0')), {"[4]", "[T, D]"});
  expect_parts(rows_refusal(literal("<f4", "(1, 2, 2)"), std::string(16, '\0')), {"[1, 2, 2]", "x[0]"});
  expect_parts(rows_refusal(literal("<f4", "(0, 2)"), ""), {"[0, 2]"});
  const float nan = std::numeric_limits<float>::quiet_NaN();
  expect_parts(rows_refusal(literal("<f4", "(1, 1)"), std::string(reinterpret_cast<const char*>(&nan), 4)),
               {"NaN"});
  EXPECT_FALSE(read_module_rows(folder_ / "nowhere.npy"));
}

TEST_F(ModuleFiles, AFileAndAFolderHoldTheSame) {
  const auto pass = pass_of(fixture("torch_cross"));
  ASSERT_TRUE(pass) << pass.error().message;
  const std::string session = R"({"version": 1})";
  ASSERT_TRUE(write_module_trace(*pass, folder_ / "t.safetensors", session));
  ASSERT_TRUE(write_module_trace(*pass, folder_ / "t", session));
  const auto file = read_safetensors(folder_ / "t.safetensors");
  ASSERT_TRUE(file) << file.error().message;
  EXPECT_EQ(file->metadata.at("tokens"), R"(["0","1","2","3"])");
  EXPECT_EQ(file->metadata.at("source_tokens"), R"(["0","1","2","3","4","5","6"])");
  EXPECT_EQ(file->metadata.at("session"), session);
  EXPECT_EQ(*read_file(folder_ / "t" / "source_tokens.json"), file->metadata.at("source_tokens") + "\n");
  EXPECT_EQ(file->tensors.size(), tensors_of(*pass).size());
  for (const Tensor& written : file->tensors) {
    EXPECT_TRUE(parse_path(written.name)) << written.name;
    const auto read = read_npy(folder_ / "t" / (written.name + ".npy"));
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_EQ(read->values, written.values) << written.name;
  }
  const auto other = pass_of(fixture("torch_self"));
  const auto mixed = write_module_trace(*other, folder_ / "t", session);
  ASSERT_FALSE(mixed);
  EXPECT_NE(mixed.error().message.find("another trace"), std::string::npos);
}

TEST_F(ModuleFiles, ASelfAttentionHasNoSource) {
  const auto pass = pass_of(fixture("packed_wide"));
  ASSERT_TRUE(write_module_trace(*pass, folder_ / "t.safetensors", "{}"));
  EXPECT_FALSE(read_safetensors(folder_ / "t.safetensors")->metadata.contains("source_tokens"));
}

}  // namespace
}  // namespace headscope
