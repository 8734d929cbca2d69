// Compares whole passes with PyTorch. tests/fixtures/make_transformer.py made the cases and says what they
// contain.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <sstream>

#include "core/io/safetensors.h"
#include "core/model/interventions.h"
#include "core/model/parameters.h"
#include "core/model/pass.h"
#include "core/model/positions.h"
#include "core/trace/trace.h"
#include "tests/unit/fixture_names.h"
#include "tests/unit/fixture_settings.h"

namespace headscope {
namespace {

const std::filesystem::path transformer_fixtures =
    std::filesystem::path(HEADSCOPE_SOURCE_DIR) / "tests/fixtures/transformer";

/// One file: settings, and tensors named by the paths of stages and parameters.
class Fixture {
 public:
  explicit Fixture(Safetensors file) : file_(std::move(file)) {}

  FixtureSettings settings() const { return FixtureSettings(file_); }
  bool has(const std::string& path) const { return file_.find(path) != nullptr; }
  const std::vector<Tensor>& tensors() const { return file_.tensors; }

  Matrix matrix(const std::string& path) const {
    const Tensor* t = file_.find(path);
    if (t == nullptr) throw std::runtime_error("no tensor " + path);
    return Eigen::Map<const Matrix>(t->values.data(), static_cast<Eigen::Index>(t->shape[0]),
                                    static_cast<Eigen::Index>(t->shape[1]));
  }
  RowVector row(const std::string& path) const { return matrix(path).row(0); }

  Architecture architecture() const {
    Architecture a = settings().architecture();
    a.output_layer = settings().number("words") > 0 ? OutputLayer::linear : OutputLayer::none;
    a.output_bias = has("logits.b");
    return a;
  }
  /// The model with every parameter from the file. The words do not belong to the model.
  Model model() const {
    constexpr int no_words = 0;
    const ParameterLayout layout = layout_of(architecture(), no_words);
    std::vector<float> numbers(layout.size);
    for (const NamedParameter& parameter : layout.named) {
      if (parameter.rows == 0 || parameter.cols == 0) continue;
      const Matrix part = matrix(parameter.path);
      EXPECT_EQ(part.rows(), parameter.rows) << parameter.path;
      EXPECT_EQ(part.cols(), parameter.cols) << parameter.path;
      for (int r = 0; r < parameter.rows; ++r)
        std::copy_n(&part(r, 0), part.cols(), numbers.data() + parameter.first + r * parameter.stride);
    }
    return model_of(layout, numbers);
  }
  AttentionOptions options() const {
    AttentionOptions options;
    options.mask.causal = settings().choice<Stacks>("stacks") == Stacks::decoder;
    std::istringstream padding(settings().text("padding"));
    for (int key = 0; padding >> key;) options.mask.padding.push_back(key);
    options.cross_mask.padding = options.mask.padding;
    return options;
  }

  /// Heads that are switched off or uniform, and rows that are zero. The inputs of the stacks are given.
  PassEdits edits() const {
    PassEdits edits;
    for (const StageId& id : {StageId{StageKind::input}, StageId{StageKind::input, Stack::decoder}}) {
      if (!has(path(id))) continue;
      const Matrix input = matrix(path(id));
      OwnedMatrix numbers(static_cast<int>(input.rows()), static_cast<int>(input.cols()));
      std::copy_n(input.data(), input.size(), numbers.values.begin());
      edits.given.push_back({id, std::make_shared<const OwnedMatrix>(std::move(numbers))});
    }
    const auto each = [&](const char* name, const auto& edit) {
      std::istringstream words(settings().text(name));
      for (std::string word; words >> word;) edit(word);
    };
    const auto head = [](const std::string& path) { return head_of(*parse_path(path + ".weights")); };
    each("off", [&](const std::string& path) { edits.at(head(path)).scale = 0.0F; });
    each("uniform", [&](const std::string& path) { edits.at(head(path)).is_uniform = true; });
    each("zero", [&](const std::string& word) {
      const std::size_t colon = word.find(':');
      const std::string stage = word.substr(0, colon);
      const auto width = static_cast<std::size_t>(matrix(stage).cols());
      edits.rows.push_back({canonical(architecture(), *parse_path(stage)), std::stoi(word.substr(colon + 1)),
                            PatchSource::zero, std::vector<float>(width)});
    });
    return edits;
  }

 private:
  Safetensors file_;
};

std::vector<DistanceBiases> biases(const Model& model, Stack stack, int n_tokens) {
  if (!model.architecture.has_position_biases()) return {};
  DistanceBiases all;
  for (int head = 0; head < model.architecture.n_heads; ++head) {
    all.push_back(
        distance_biases(model.architecture, model.position_biases(stack, 0), stack, head, n_tokens));
  }
  return {all};
}

CombinedMask combined(const MaskSpec& spec, int n_queries, int n_keys,
                      std::optional<int> sliding = std::nullopt) {
  MaskSizes sizes{n_queries, n_keys};
  sizes.sliding = sliding;
  auto mask = combine(spec, MaskValue::minus_infinity, sizes);
  EXPECT_TRUE(mask);
  return mask ? std::move(*mask) : CombinedMask{};
}

PassShape shape_of(const Fixture& fixture, const AttentionOptions& options) {
  PassShape shape;
  shape.graph = std::make_shared<const Graph>(fixture.architecture(), options);
  shape.n_source = fixture.settings().number("n_source");
  shape.n_target = fixture.settings().number("n_target");
  shape.vocabulary = fixture.settings().number("words");
  shape.edits_rows = true;
  const bool slides = shape.architecture().sliding_window.has_value();
  shape.mask_changes_scores = options.mask.hides_anything() || slides;
  shape.target_mask_changes_scores = options.target_mask.hides_anything() || slides;
  shape.cross_mask_changes_scores = options.cross_mask.hides_anything();
  return shape;
}

std::shared_ptr<const Unembedding> unembedding_of(const Fixture& fixture) {
  auto result = std::make_shared<Unembedding>();
  result->words.resize(static_cast<std::size_t>(fixture.settings().number("words")));
  Linear linear;
  const auto n_words = static_cast<Eigen::Index>(result->words.size());
  if (!result->words.empty()) linear = Linear(fixture.matrix("logits.W"), RowVector::Zero(n_words));
  if (fixture.has("logits.b")) linear.bias = fixture.row("logits.b");
  result->linear = std::make_shared<const Linear>(std::move(linear));
  return result;
}

/// Computes the pass of a case.
std::unique_ptr<Trace> pass_of(const Fixture& fixture, int n_threads) {
  const AttentionOptions options = fixture.options();
  const PassShape shape = shape_of(fixture, options);
  auto masks = std::make_shared<PassMasks>();
  masks->source = combined(options.mask, shape.n_source, shape.n_source);
  masks->target = combined(options.target_mask, shape.n_target, shape.n_target);
  masks->cross = combined(options.cross_mask, shape.n_target, shape.n_source);
  const std::optional<int> sliding = shape.architecture().sliding_window;
  masks->sliding_source = combined(options.mask, shape.n_source, shape.n_source, sliding);
  masks->sliding_target = combined(options.target_mask, shape.n_target, shape.n_target, sliding);
  const auto model = std::make_shared<const Model>(fixture.model());
  masks->source_biases = biases(*model, model->architecture.first_stack(), shape.n_source);
  masks->target_biases = biases(*model, Stack::decoder, shape.n_target);

  AlignedBuffer memory(shape.floats());
  // Numbers that a previous pass left in the memory must not appear.
  std::fill_n(memory.data(), memory.size(), std::nanf(""));
  const auto buffers = std::make_shared<PassBuffers>(shape, std::move(memory));
  ThreadPool pool(n_threads);
  const auto unembedding = unembedding_of(fixture);
  const auto edits = std::make_shared<const PassEdits>(fixture.edits());
  const PassInputs inputs{*model, options, *masks, *unembedding->linear, edits.get()};
  EXPECT_TRUE(forward(inputs, *buffers, pool).finish());

  Trace::Parts parts;
  parts.model = model;
  parts.options = options;
  parts.graph = shape.graph;
  parts.masks = masks;
  parts.tokens.resize(static_cast<std::size_t>(shape.n_source));
  parts.target_tokens.resize(static_cast<std::size_t>(shape.n_target));
  parts.unembedding = unembedding;
  parts.buffers = buffers;
  parts.edits = edits;
  return std::make_unique<Trace>(std::move(parts));
}

/// Expects a number to be within 1e-4 of PyTorch's, relative to it if that is greater than 1, and −∞ and the
/// zeros of hidden cells to be equal.
void expect_number(float computed, float expected, const std::string& where) {
  if (std::isinf(expected) || expected == 0.0F) {
    ASSERT_EQ(computed, expected) << where;
  } else {
    ASSERT_NEAR(computed, expected, 1e-4F * std::max(1.0F, std::abs(expected))) << where;
  }
}

void expect_stage(const MatrixView& computed, const Tensor& expected) {
  ASSERT_EQ(static_cast<std::size_t>(computed.rows), expected.shape[0]) << expected.name;
  ASSERT_EQ(static_cast<std::size_t>(computed.cols), expected.shape[1]) << expected.name;
  std::size_t i = 0;
  for (int row = 0; row < computed.rows; ++row) {
    for (const float value : computed.row(row)) {
      expect_number(value, expected.values[i++], expected.name + ", row " + std::to_string(row));
      if (testing::Test::HasFailure()) return;
    }
  }
}

/// The effective weights that follow from PyTorch's weights, values and W_O. PyTorch does not compute them
/// itself.
Tensor effective_weights(const Fixture& fixture, StageId id) {
  const auto matrix = [&](StageKind kind) {
    StageId at = id;
    at.kind = kind;
    const std::string name = path(canonical(fixture.architecture(), normalized(at)));
    return Eigen::MatrixXd(fixture.matrix(name).cast<double>());
  };
  const Eigen::MatrixXd values = matrix(StageKind::value);
  const Eigen::MatrixXd moved =
      values * matrix(StageKind::w_output).middleRows(id.head * values.cols(), values.cols());
  Eigen::MatrixXd shares = matrix(StageKind::weights) * moved.rowwise().norm().asDiagonal();
  const PassEdits edits = fixture.edits();
  const HeadEdits* of_head = edits.of(head_of(id));
  if (of_head != nullptr) shares *= static_cast<double>(of_head->scale);
  for (auto row : shares.rowwise()) {
    if (row.sum() > 0.0) row /= row.sum();
  }
  Tensor tensor;
  tensor.name = path(id);
  tensor.shape = {static_cast<std::size_t>(shares.rows()), static_cast<std::size_t>(shares.cols())};
  for (const auto row : shares.rowwise()) {
    for (const double share : row) tensor.values.push_back(static_cast<float>(share));
  }
  return tensor;
}

class TransformerFixture : public testing::TestWithParam<std::string> {};

TEST_P(TransformerFixture, EveryStageIsPyTorchs) {
  auto read = read_safetensors(transformer_fixtures / (GetParam() + ".safetensors"));
  ASSERT_TRUE(read) << read.error().message;
  const Fixture fixture(std::move(*read));
  for (const int n_threads : {1, 3}) {
    const auto trace = pass_of(fixture, n_threads);
    for (const Tensor& tensor : fixture.tensors()) {
      const auto id = parse_path(tensor.name);
      ASSERT_TRUE(id && trace->has(*id)) << tensor.name;
      expect_stage(trace->value(*id), tensor);
    }
    for (const StageId& id : trace->stages()) {
      if (id.kind == StageKind::effective_weights) {
        expect_stage(trace->value(id), effective_weights(fixture, id));
        continue;
      }
      EXPECT_TRUE(id.kind == StageKind::embedding || fixture.has(path(id))) << path(id) << " is not compared";
    }
    if (HasFailure()) return;
  }
}

TEST(TransformerFixtures, AreThere) {
  EXPECT_GE(fixture_names(transformer_fixtures).size(), 29U) << transformer_fixtures;
}

INSTANTIATE_TEST_SUITE_P(PyTorch, TransformerFixture, testing::ValuesIn(fixture_names(transformer_fixtures)),
                         [](const auto& test) { return test.param; });

}  // namespace
}  // namespace headscope
