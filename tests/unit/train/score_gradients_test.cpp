// Compares the loss's gradients by scores and weights with central differences of a model of one layer, which
// is written out here so that any score and any weight can be moved.
#include "core/train/score_gradients.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <limits>

#include "core/checkpoint/model_folder.h"
#include "core/model/parameters.h"
#include "core/tensor/random.h"
#include "core/train/network.h"

namespace headscope {
namespace {

constexpr int n_words = 7;

Architecture one_layer(bool is_causal, float scale, float cap, bool has_sinks) {
  Architecture a;
  a.stacks = is_causal ? Stacks::decoder : Stacks::encoder;
  a.d_model = 6;
  a.n_heads = 2;
  a.d_head = 3;
  a.bias = {false, false, false, false, false};
  a.positions = Positions::none;
  a.output_layer = OutputLayer::linear;
  a.score_scale = scale;
  a.softcap = cap;
  a.sinks = has_sinks;
  return a;
}

/// A cell of a head's map in a sequence, and how far its scaled score or its weight is moved.
struct Moved {
  int sequence = -1, head = 0, query = 0, key = 0;
  bool is_weight = false;
  double by = 0.0;
};

/// The model of one layer, number by number.
class WrittenOut {
 public:
  WrittenOut(const ParameterLayout& layout, const std::vector<double>& parameters)
      : layout_(layout), p_(parameters) {}

  double loss(const Shard& shard, const Moved& moved) const {
    double sum = 0.0;
    for (int s = 0; s < shard.source.count(); ++s) {
      for (int i = 0; i < shard.source.length(s); ++i) {
        const auto row = static_cast<std::size_t>(shard.source.begin(s) + i);
        if (shard.expected[row] >= 0)
          sum += shard.weight[row] * row_loss(shard, s, i, shard.expected[row], moved);
      }
    }
    return sum;
  }

  /// Its weights on the keys that it sees.
  std::vector<double> weights(const Shard& shard, int s, int i, int head, const Moved& moved) const {
    const Architecture& a = layout_.architecture;
    const int first = shard.source.begin(s);
    const int n = a.stacks == Stacks::decoder ? i + 1 : shard.source.length(s);
    const bool is_here = moved.sequence == s && moved.head == head && moved.query == i;
    double sum =
        a.sinks ? std::exp(p_[static_cast<std::size_t>(slot_of(StageKind::sink).first + head)]) : 0.0;
    std::vector<double> row;
    for (int j = 0; j < n; ++j) {
      double score = scaled_score(shard, first + i, first + j, head);
      if (is_here && !moved.is_weight && moved.key == j) score += moved.by;
      const auto cap = static_cast<double>(a.softcap);
      row.push_back(std::exp(cap > 0.0 ? cap * std::tanh(score / cap) : score));
      sum += row.back();
    }
    for (double& weight : row) weight /= sum;
    if (is_here && moved.is_weight) row[static_cast<std::size_t>(moved.key)] += moved.by;
    return row;
  }

 private:
  ParameterSlot slot_of(StageKind kind) const {
    return layout_.slot(normalized({kind, layout_.architecture.first_stack()}));
  }
  double number(std::ptrdiff_t first, int row, int col, int n_cols) const {
    return p_[static_cast<std::size_t>(first + static_cast<std::ptrdiff_t>(row) * n_cols + col)];
  }
  double projected(const Shard& shard, int row, const ParameterSlot& slot, int col) const {
    const int d_model = layout_.architecture.d_model;
    double sum = 0.0;
    for (int d = 0; d < d_model; ++d)
      sum += number(slot_of(StageKind::embedding_table).first,
                    shard.source.ids[static_cast<std::size_t>(row)], d, d_model) *
             number(slot.first, d, col, slot.n_out);
    return sum;
  }
  double scaled_score(const Shard& shard, int query, int key, int head) const {
    const Architecture& a = layout_.architecture;
    double score = 0.0;
    for (int k = 0; k < a.head_width(no_layer); ++k) {
      const int col = head * a.head_width(no_layer) + k;
      score += projected(shard, query, slot_of(StageKind::w_query), col) *
               projected(shard, key, slot_of(StageKind::w_key), col);
    }
    return score * (a.score_scale > 0.0F ? static_cast<double>(a.score_scale)
                                         : 1.0 / std::sqrt(static_cast<double>(a.head_width(no_layer))));
  }
  double row_loss(const Shard& shard, int s, int i, int expected, const Moved& moved) const {
    const std::vector<double> all = logits(shard, s, i, moved);
    double sum = 0.0;
    for (const double logit : all) sum += std::exp(logit);
    return std::log(sum) - all[static_cast<std::size_t>(expected)];
  }

  const ParameterLayout& layout_;
  const std::vector<double>& p_;

 public:
  /// The logits of a row of a sequence.
  std::vector<double> logits(const Shard& shard, int s, int i, const Moved& moved) const {
    const Architecture& a = layout_.architecture;
    std::vector<double> concat(static_cast<std::size_t>(a.concat_width(no_layer)), 0.0);
    for (int head = 0; head < a.n_heads; ++head) {
      const std::vector<double> row = weights(shard, s, i, head, moved);
      for (std::size_t j = 0; j < row.size(); ++j) {
        for (int v = 0; v < a.value_width(no_layer); ++v) {
          const int col = head * a.value_width(no_layer) + v;
          concat[static_cast<std::size_t>(col)] +=
              row[j] *
              projected(shard, shard.source.begin(s) + static_cast<int>(j), slot_of(StageKind::w_value), col);
        }
      }
    }
    std::vector<double> all(n_words, 0.0);
    for (int d = 0; d < a.d_model; ++d) {
      double out = 0.0;
      for (int c = 0; c < a.concat_width(no_layer); ++c)
        out +=
            concat[static_cast<std::size_t>(c)] * number(slot_of(StageKind::w_output).first, c, d, a.d_model);
      for (int w = 0; w < n_words; ++w)
        all[static_cast<std::size_t>(w)] += out * number(slot_of(StageKind::w_logits).first, d, w, n_words);
    }
    return all;
  }
};

Shard two_sentences() {
  Example longer{{1, 4, 2, 6}, {}, {3, -1, 5, 0}, {1, 0, 1, 1}, {}};
  Example shorter{{5, 0}, {}, {2, 2}, {1, 1}, {}};
  return shards_of(std::vector{longer, shorter}, std::vector<LossPart>{{"words", 1.0F}}, 1).front();
}

double difference_squared(const WrittenOut& model, const Shard& shard, Moved moved) {
  constexpr double step = 1e-5;
  moved.by = step;
  const double above = model.loss(shard, moved);
  moved.by = -step;
  const double slope = (above - model.loss(shard, moved)) / (2.0 * step);
  return slope * slope;
}

TEST(ScoreGradients, AreCentralDifferencesOfEveryScoreAndWeight) {
  const Shard shard = two_sentences();
  for (int variant = 0; variant < 8; ++variant) {
    const bool is_causal = (variant & 1) != 0;
    const Architecture a =
        one_layer(is_causal, (variant & 2) != 0 ? 1.0F : 0.0F, (variant & 4) != 0 ? 1.2F : 0.0F, variant > 5);
    const ParameterLayout layout = layout_of(a, n_words);
    RandomStream random(static_cast<std::uint64_t>(variant), "scores");
    std::vector<double> parameters(layout.size);
    for (double& number : parameters) number = 0.8 * static_cast<double>(random.normal());
    ScoreGradients reached;
    Network<double> network(layout, &reached);
    std::vector<double> gradients(layout.size, 0.0);
    const double loss = network.forward_backward(shard, 1, parameters.data(), gradients.data()).loss;
    const WrittenOut model(layout, parameters);
    ASSERT_NEAR(loss, model.loss(shard, {}), 1e-12);
    for (int head = 0; head < a.n_heads; ++head) {
      ScoreGradientSums expected;
      for (int s = 0; s < 2; ++s) {
        for (int i = 0; i < shard.source.length(s); ++i) {
          for (int j = 0; j < (is_causal ? i + 1 : shard.source.length(s)); ++j) {
            expected.scores += difference_squared(model, shard, {s, head, i, j, false, 0.0});
            expected.weights += difference_squared(model, shard, {s, head, i, j, true, 0.0});
          }
        }
      }
      const ScoreGradientSums& found = reached.of({a.first_stack(), AttentionKind::self, 0, head});
      EXPECT_GT(found.scores, 0.0);
      EXPECT_NEAR(found.scores, expected.scores, 1e-8 * expected.scores + 1e-15) << variant;
      EXPECT_NEAR(found.weights, expected.weights, 1e-8 * expected.weights + 1e-15) << variant;
    }
    Network<double> quiet(layout);
    std::vector<double> same(layout.size, 0.0);
    quiet.forward_backward(shard, 1, parameters.data(), same.data());
    EXPECT_EQ(same, gradients) << "who asks changes nothing";
  }
}

TEST(ScoreGradients, OfALogitTimesEachWeightAreItsCentralDifferences) {
  const Shard shard = shards_of(std::vector{Example{{1, 4, 2, 6}, {}, {3, -1, 5, 0}, {1, 0, 1, 1}, {}}},
                                std::vector<LossPart>{{"words", 1.0F}}, 1)
                          .front();
  for (int variant = 0; variant < 8; ++variant) {
    const bool is_causal = (variant & 1) != 0;
    const Architecture a =
        one_layer(is_causal, (variant & 2) != 0 ? 1.0F : 0.0F, (variant & 4) != 0 ? 1.2F : 0.0F, variant > 5);
    const ParameterLayout layout = layout_of(a, n_words);
    RandomStream random(static_cast<std::uint64_t>(variant), "logits");
    std::vector<double> parameters(layout.size);
    for (double& number : parameters) number = 0.8 * static_cast<double>(random.normal());
    const WrittenOut model(layout, parameters);
    constexpr int word = 5;
    for (int row = 0; row < 4; ++row) {
      ScoreGradients reached{.keeps_products = true};
      Network<double> network(layout, &reached);
      network.logit_gradients(shard, parameters.data(), row, word).finish();
      for (int head = 0; head < a.n_heads; ++head) {
        const auto& cells = *reached.of({a.first_stack(), AttentionKind::self, 0, head}).products;
        ASSERT_EQ(cells.size(), 16U);
        for (int i = 0; i < 4; ++i) {
          const std::vector<double> weights = model.weights(shard, 0, i, head, {});
          for (int j = 0; j < 4; ++j) {
            const auto logit = [&](double by) {
              return model.logits(shard, 0, row, {0, head, i, j, true, by})[word];
            };
            constexpr double step = 1e-4;
            const bool is_seen = j < static_cast<int>(weights.size());
            const double expected =
                is_seen ? weights[static_cast<std::size_t>(j)] * (logit(step) - logit(-step)) / (2.0 * step)
                        : 0.0;
            EXPECT_NEAR(cells[static_cast<std::size_t>(4 * i + j)], expected, 1e-10) << variant;
          }
        }
      }
    }
  }
}

TEST(ScoreGradients, OfTheBundledModelsAreThoseOfTheirHeads) {
  for (const char* name : {"pronouns", "copying", "reversing"}) {
    const auto model = open_model(name, {HEADSCOPE_SOURCE_DIR "/assets/models"});
    ASSERT_TRUE(model) << name;
    const auto found = score_gradient_study(**model).finish();
    ASSERT_TRUE(found) << name;
    const ScoreGradientStudy& study = *found;
    const Architecture& a = (*model)->model.architecture;
    const std::size_t n_attentions = a.has_cross() ? 3U : 1U;
    EXPECT_LT(study.divided.loss, study.untrained_divided.loss) << "it has learned";
    EXPECT_LT(study.divided.loss, study.undivided.loss) << "with the factor that it was trained with";
    for (const GradientNorms* reached :
         {&study.divided, &study.undivided, &study.untrained_divided, &study.untrained_undivided}) {
      EXPECT_EQ(reached->heads.size(), n_attentions * static_cast<std::size_t>(a.n_layers * a.n_heads));
      for (const HeadGradient& head : reached->heads) {
        EXPECT_GT(head.weights, 0.0);
        EXPECT_GT(head.scores, 0.0);
        EXPECT_LE(head.softmax_ratio(), 0.5 + 1e-6)
            << "the greatest singular value of a softmax's Jacobian is 1/2";
      }
    }
  }
}

TEST(ScoreGradients, SayWhyThereAreNone) {
  const auto model = open_model("pronouns", {HEADSCOPE_SOURCE_DIR "/assets/models"});
  ASSERT_TRUE(model);
  TrainedModel other{"", "", 0, 0, 0, {}, (*model)->vocabulary};
  const auto none = score_gradient_study(other).finish();
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().message, "the model was trained for no task");
  other.task = "copying";
  const auto of_others = score_gradient_study(other).finish();
  ASSERT_FALSE(of_others);
  EXPECT_EQ(of_others.error().message, "the model's words differ from those of its task");
}

}  // namespace
}  // namespace headscope
