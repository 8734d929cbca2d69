// Compares the forward pass with PyTorch. tests/fixtures/make_attention.py made the cases and says what they
// contain.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <sstream>

#include "core/io/safetensors.h"
#include "core/model/attention.h"
#include "core/tensor/aligned_buffer.h"
#include "tests/unit/fixture_names.h"

namespace headscope {
namespace {

const std::filesystem::path attention_fixtures =
    std::filesystem::path(HEADSCOPE_SOURCE_DIR) / "tests/fixtures/attention";

class AttentionFixture : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    auto read = read_safetensors(attention_fixtures / (GetParam() + ".safetensors"));
    ASSERT_TRUE(read) << read.error().message;
    file_ = std::move(*read);
  }

  const Tensor& tensor(const std::string& name) const {
    const Tensor* found = file_.find(name);
    if (found == nullptr) throw std::runtime_error(GetParam() + " has no tensor " + name);
    return *found;
  }
  const std::string& setting(const std::string& name) const { return file_.metadata.at(name); }
  int number(const std::string& name) const { return std::stoi(setting(name)); }
  int n_tokens() const { return static_cast<int>(tensor("input").shape[0]); }

  Matrix matrix(const std::string& name) const {
    const Tensor& t = tensor(name);
    return Eigen::Map<const Matrix>(t.values.data(), static_cast<Eigen::Index>(t.shape[0]),
                                    static_cast<Eigen::Index>(t.shape[1]));
  }
  RowVector vector(const std::string& name) const {
    const Tensor& t = tensor(name);
    return Eigen::Map<const RowVector>(t.values.data(), static_cast<Eigen::Index>(t.values.size()));
  }
  /// The columns of queries, keys or values in the weights that the file packs side by side.
  Linear part(int first, int width) const {
    return {matrix("qkv").middleCols(first, width), vector("qkv_bias").segment(first, width)};
  }

  AttentionWeights weights() const {
    const int keys = number("n_heads") * number("d_head");
    AttentionWeights weights;
    weights.query = part(0, keys);
    weights.key = part(keys, keys);
    weights.value = part(2 * keys, number("n_heads") * number("d_value"));
    if (file_.find("out") != nullptr) weights.out = {matrix("out"), vector("out_bias")};
    return weights;
  }

  float mask_value() const {
    const std::string& text = setting("mask_value");
    if (text == "inf") return MaskValue::minus_infinity;
    return text == "1e9" ? MaskValue::minus_1e9 : std::stof(text);
  }

  AttentionOptions options() const {
    AttentionOptions options;
    options.scale = number("scale") != 0;
    options.temperature = std::stof(setting("temperature"));
    options.softmax = setting("softmax") == "queries" ? SoftmaxAxis::queries : SoftmaxAxis::keys;
    options.mask_value = mask_value();
    options.mask.causal = number("causal") != 0;
    if (number("window") >= 0) options.mask.window = number("window");
    std::istringstream padding(setting("padding"));
    for (int key = 0; padding >> key;) options.mask.padding.push_back(key);
    if (setting("mask") != "none") options.mask.loaded = {loaded_mask()};
    return options;
  }

  AttentionShape shape(const AttentionOptions& options) const {
    AttentionShape shape;
    shape.n_queries = shape.n_keys = n_tokens();
    shape.d_model = static_cast<int>(tensor("input").shape[1]);
    shape.n_heads = number("n_heads");
    shape.n_kv_heads = shape.n_heads;
    shape.d_head = number("d_head");
    shape.d_value = number("d_value");
    shape.output_projection = file_.find("out") != nullptr;
    shape.mask_changes_scores = options.mask.hides_anything();
    return shape;
  }

  /// Expects every number of a stage to be within 1e-5 of PyTorch's, relative to it if that is greater than
  /// 1, and −∞ and the zeros of hidden cells to be equal.
  void expect_stage(const std::string& name, const float* computed) const {
    expect_numbers(name, tensor(name).values, computed);
  }
  /// The same for queries, keys or values.
  void expect_part(int first, int width, const float* computed) const {
    const Matrix packed = matrix("packed").middleCols(first, width);
    expect_numbers("packed", {packed.data(), packed.data() + packed.size()}, computed);
  }
  static void expect_numbers(const std::string& name, const std::vector<float>& expected,
                             const float* computed) {
    for (std::size_t i = 0; i < expected.size(); ++i) {
      if (std::isinf(expected[i]) || expected[i] == 0.0F) {
        ASSERT_EQ(computed[i], expected[i]) << name << "[" << i << "]";
      } else {
        const float tolerance = 1e-5F * std::max(1.0F, std::abs(expected[i]));
        ASSERT_NEAR(computed[i], expected[i], tolerance) << name << "[" << i << "]";
      }
    }
  }

 private:
  std::shared_ptr<const LoadedMask> loaded_mask() const {
    const Tensor& t = tensor("mask");
    auto mask = std::make_shared<LoadedMask>();
    mask->name = "mask";
    mask->additive = setting("mask") == "additive";
    mask->n_heads = t.shape.size() == 3 ? static_cast<int>(t.shape[0]) : 1;
    mask->rows = static_cast<int>(t.shape[t.shape.size() - 2]);
    mask->cols = static_cast<int>(t.shape.back());
    mask->values = t.values;
    return mask;
  }

  Safetensors file_;
};

TEST_P(AttentionFixture, EveryStageIsPyTorchs) {
  const AttentionOptions wanted = options();
  const AttentionShape sizes = shape(wanted);
  const auto mask = combine(wanted.mask, wanted.mask_value, {n_tokens(), n_tokens(), sizes.n_heads});
  ASSERT_TRUE(mask) << mask.error().message;
  const AttentionWeights packed = weights();
  const Matrix input = matrix("input");
  const AttentionPlan plan{wanted, *mask, nullptr, {}};
  const int keys = sizes.n_heads * sizes.d_head;
  for (const int n_threads : {1, 3}) {
    ThreadPool pool(n_threads);
    Arena counter(nullptr);
    const AttentionBuffers count_text(sizes, counter);
    AlignedBuffer memory(counter.used());
    // Numbers that a previous pass left in the memory must not appear.
    std::fill_n(memory.data(), memory.size(), std::nanf(""));
    Arena arena(memory.data());
    AttentionBuffers buffers(sizes, arena);

    const AttentionInputs inputs{view_of(input), view_of(input), view_of(input)};
    ASSERT_TRUE(attention_forward(packed, inputs, plan, buffers, pool));
    expect_part(0, keys, buffers.query);
    expect_part(keys, keys, buffers.key);
    expect_part(2 * keys, sizes.concat_width(), buffers.value);
    expect_stage("raw", buffers.raw);
    expect_stage("scaled", buffers.scaled);
    expect_stage("masked", buffers.masked);
    expect_stage("weights", buffers.weights);
    expect_stage("concat", buffers.concat);
    expect_stage("projected", buffers.projected);
  }
}

TEST(AttentionFixtures, AreThere) {
  EXPECT_GE(fixture_names(attention_fixtures).size(), 20U) << attention_fixtures;
}

INSTANTIATE_TEST_SUITE_P(PyTorch, AttentionFixture, testing::ValuesIn(fixture_names(attention_fixtures)),
                         [](const auto& test) { return test.param; });

}  // namespace
}  // namespace headscope
