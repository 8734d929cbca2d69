// Compares the training pass with PyTorch's autograd. tests/fixtures/make_gradients.py made the cases and
// says what they contain.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <sstream>

#include "core/io/safetensors.h"
#include "core/model/interventions.h"
#include "core/train/network.h"
#include "core/train/score_gradients.h"
#include "tests/unit/fixture_names.h"
#include "tests/unit/fixture_settings.h"

namespace headscope {
namespace {

const std::filesystem::path gradient_fixtures =
    std::filesystem::path(HEADSCOPE_SOURCE_DIR) / "tests/fixtures/gradients";

template <class Number>
std::vector<Number> numbers_in(const std::string& text) {
  std::vector<Number> numbers;
  std::istringstream stream(text);
  for (Number number; stream >> number;) numbers.push_back(number);
  return numbers;
}

std::vector<std::vector<int>> sentences_in(const std::string& text) {
  std::vector<std::vector<int>> sentences;
  std::istringstream stream(text);
  for (std::string sentence; std::getline(stream, sentence, '/');) {
    sentences.push_back(numbers_in<int>(sentence));
  }
  return sentences;
}

/// One file with settings, the batch, the parameters and the results of autograd.
class GradientCase {
 public:
  explicit GradientCase(Safetensors file) : file_(std::move(file)) {
    layout_ = layout_of(architecture(), settings().number("words"));
    for (const float weight : numbers_in<float>(settings().text("part_weights")))
      loss_parts_.push_back({"", weight});
    read_examples();
  }

  const ParameterLayout& layout() const { return layout_; }
  std::size_t n_parts() const { return loss_parts_.size(); }
  std::vector<Shard> shards(int n) const { return shards_of(examples_, loss_parts_, n); }
  /// Autograd's loss is the sum of the weighted parts, and ours is their weighted mean.
  double loss() const { return static_cast<double>(file_.find("loss")->values.front()) / total_weight(); }
  double total_weight() const {
    double total = 0.0;
    for (const LossPart& part : loss_parts_) total += static_cast<double>(part.weight);
    return total;
  }

  /// All numbers of the tensors with the parameters' paths, in the layout's order. Rows that a tensor lacks,
  /// such as unused learned positions, are zeros.
  template <class Scalar>
  std::vector<Scalar> numbers(const std::string& prefix) const {
    std::vector<Scalar> all(layout_.size, Scalar{0});
    for (const NamedParameter& parameter : layout_.named) {
      const Tensor* tensor = file_.find(prefix + parameter.path);
      if (tensor == nullptr) throw std::runtime_error("no tensor " + prefix + parameter.path);
      const auto cols = static_cast<std::size_t>(parameter.cols);
      EXPECT_EQ(tensor->shape[1], cols) << parameter.path;
      EXPECT_TRUE(tensor->shape[0] == static_cast<std::size_t>(parameter.rows) ||
                  parameter.rows == learned_positions)
          << parameter.path;
      for (std::size_t i = 0; i < tensor->values.size(); ++i) {
        const std::size_t row = i / cols * static_cast<std::size_t>(parameter.stride);
        all[static_cast<std::size_t>(parameter.first) + row + i % cols] =
            static_cast<Scalar>(tensor->values[i]);
      }
    }
    return all;
  }

  /// Tensors that belong to no parameter of the layout.
  std::size_t n_tensors_besides() const { return file_.tensors.size() - 2 * layout_.named.size(); }

 private:
  FixtureSettings settings() const { return FixtureSettings(file_); }

  Architecture architecture() const {
    Architecture a = settings().architecture();
    a.output_layer = settings().choice<OutputLayer>("output");
    a.output_bias = settings().has("output_bias");
    a.scales_embedding = settings().number("scales_embedding") != 0;
    const std::string& biases = settings().text("biases");
    const auto has_bias = [&](char letter) { return biases.find(letter) != std::string::npos; };
    a.bias.query = has_bias('q');
    a.bias.key = has_bias('k');
    a.bias.value = has_bias('v');
    a.bias.output = has_bias('o');
    return a;
  }

  void read_examples() {
    const auto sources = sentences_in(settings().text("source"));
    const auto targets = sentences_in(settings().text("target"));
    const auto expected = numbers_in<int>(settings().text("wanted"));
    const auto parts = numbers_in<int>(settings().text("parts"));
    std::size_t row = 0;
    for (std::size_t i = 0; i < sources.size(); ++i) {
      Example example;
      example.source = sources[i];
      if (!targets.empty()) example.target = targets[i];
      const std::size_t end = row + (targets.empty() ? sources : targets)[i].size();
      for (; row < end; ++row) {
        example.expected.push_back(expected.at(row));
        example.parts.push_back(static_cast<std::uint8_t>(parts.at(row)));
      }
      examples_.push_back(std::move(example));
    }
    EXPECT_EQ(row, expected.size());
  }

  Safetensors file_;
  ParameterLayout layout_;
  std::vector<LossPart> loss_parts_;
  std::vector<Example> examples_;
};

/// Checks the loss and every gradient of a batch that `n_shards` networks share. A number may be off by
/// `relative` of itself, because it was stored as a float, and by `of_largest` of the case's largest
/// gradient, because sums lose what cancels.
template <class Scalar>
void expect_gradients(const GradientCase& fixture, int n_shards, double relative, double of_largest) {
  const auto parameters = fixture.numbers<Scalar>("");
  std::vector<Scalar> gradients(fixture.layout().size, Scalar{0});
  double loss = 0.0;
  for (const Shard& shard : fixture.shards(n_shards)) {
    Network<Scalar> network(fixture.layout());
    loss += network.forward_backward(shard, fixture.n_parts(), parameters.data(), gradients.data()).loss;
  }
  EXPECT_NEAR(loss, fixture.loss(), (relative + of_largest) * fixture.loss());

  auto expected = fixture.numbers<double>("gradients.");
  for (double& number : expected) number /= fixture.total_weight();
  double largest = 0.0;
  for (const double number : expected) largest = std::max(largest, std::abs(number));
  for (const NamedParameter& parameter : fixture.layout().named) {
    for (int row = 0; row < parameter.rows; ++row) {
      for (int col = 0; col < parameter.cols; ++col) {
        const auto at = static_cast<std::size_t>(parameter.first + row * parameter.stride + col);
        ASSERT_NEAR(static_cast<double>(gradients[at]), expected[at],
                    relative * std::abs(expected[at]) + of_largest * largest)
            << parameter.path << ", row " << row << ", column " << col << ", " << n_shards << " shards";
      }
    }
  }
}

class GradientFixture : public testing::TestWithParam<std::string> {};

TEST_P(GradientFixture, EveryGradientIsAutograds) {
  auto read = read_safetensors(gradient_fixtures / (GetParam() + ".safetensors"));
  ASSERT_TRUE(read) << read.error().message;
  const GradientCase fixture(std::move(*read));
  EXPECT_EQ(fixture.n_tensors_besides(), 1U) << "only the loss is none of a parameter's";
  for (const int n_shards : {1, 3}) {
    expect_gradients<double>(fixture, n_shards, 6e-8, 1e-9);
    expect_gradients<float>(fixture, n_shards, 1e-5, 1e-6);
  }
}

/// Σ w · b over a slot's columns of a head, and over its bias.
double product_of_columns(const ParameterSlot& slot, int first_col, int n_cols, const std::vector<double>& a,
                          const std::vector<double>& b) {
  double sum = 0.0;
  for (int col = first_col; col < first_col + n_cols; ++col) {
    for (int row = 0; row < slot.n_in; ++row) {
      const auto at = static_cast<std::size_t>(slot.first + row * slot.n_out + col);
      sum += a[at] * b[at];
    }
    if (slot.bias >= 0)
      sum += a[static_cast<std::size_t>(slot.bias + col)] * b[static_cast<std::size_t>(slot.bias + col)];
  }
  return sum;
}

/// What autograd says of attributions: values times their gradients, added up, are the weights of their heads
/// times theirs, since the output is linear in both; and the rows of tokens with one id, times their
/// gradients, are the row of the table times its gradient, unless the table is also read by the logits.
TEST_P(GradientFixture, GradientTimesInputAndWeightAreAutograds) {
  auto read = read_safetensors(gradient_fixtures / (GetParam() + ".safetensors"));
  ASSERT_TRUE(read) << read.error().message;
  const GradientCase fixture(std::move(*read));
  const ParameterLayout& layout = fixture.layout();
  const Architecture& a = layout.architecture;
  const auto parameters = fixture.numbers<double>("");
  auto expected = fixture.numbers<double>("gradients.");
  for (double& number : expected) number /= fixture.total_weight();
  std::vector<double> by_id(static_cast<std::size_t>(layout.vocabulary), 0.0);
  std::map<HeadId, double> by_head;
  for (const Shard& shard : fixture.shards(100)) {
    if (shard.source.count() == 0) continue;
    ASSERT_EQ(shard.source.count(), 1);
    ScoreGradients reached{.keeps_products = true};
    Network<double> network(layout, &reached);
    std::vector<double> gradients(layout.size, 0.0);
    network.forward_backward(shard, fixture.n_parts(), parameters.data(), gradients.data());
    for (const Stack stack : {Stack::encoder, Stack::decoder}) {
      const Sequences& tokens = a.has_cross() && stack == Stack::decoder ? shard.target : shard.source;
      const std::vector<double>& products = reached.input_products[stack];
      for (std::size_t i = 0; i < products.size(); ++i)
        by_id[static_cast<std::size_t>(tokens.ids[i])] += products[i];
    }
    for (const HeadId& head : heads_of(a)) {
      HeadId first = head;
      first.head = a.first_of_group(head.head, head.layer);
      for (const double product : *reached.of(head).products) by_head[first] += product;
    }
  }
  for (const auto& [head, sum] : by_head) {
    const ParameterSlot slot = layout.slot({StageKind::w_value, head.stack, head.layer, head.attention});
    const double own = product_of_columns(slot, head.head / a.group_size(no_layer) * a.value_width(no_layer),
                                          a.value_width(no_layer), parameters, expected);
    EXPECT_NEAR(sum, own, 1e-6 * (0.01 + std::abs(own))) << path(stage_in(head, StageKind::weights));
  }
  if (a.output_layer == OutputLayer::tied) return;
  const auto table = static_cast<std::size_t>(layout.slot({.kind = StageKind::embedding_table}).first);
  for (std::size_t id = 0; id < by_id.size(); ++id) {
    double own = 0.0;
    for (std::size_t d = 0; d < static_cast<std::size_t>(a.d_model); ++d) {
      const std::size_t at = table + id * static_cast<std::size_t>(a.d_model) + d;
      own += parameters[at] * expected[at];
    }
    EXPECT_NEAR(by_id[id], own, 1e-6 * (0.01 + std::abs(own))) << id;
  }
}

TEST(GradientFixtures, AreThere) {
  EXPECT_GE(fixture_names(gradient_fixtures).size(), 24U) << gradient_fixtures;
}

INSTANTIATE_TEST_SUITE_P(PyTorch, GradientFixture, testing::ValuesIn(fixture_names(gradient_fixtures)),
                         [](const auto& test) { return test.param; });

}  // namespace
}  // namespace headscope
