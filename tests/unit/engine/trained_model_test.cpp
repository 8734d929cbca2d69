// Tests passes with trained weights: their rows, their words, and the placeholders for unknown words.
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>

#include "core/engine/engine.h"
#include "core/model/parameters.h"
#include "core/tensor/random.h"
#include "core/trace/explain.h"

namespace headscope {
namespace {

std::shared_ptr<const TrainedModel> model_with(OutputLayer output, bool scales) {
  Architecture a;
  a.d_model = 8;
  a.n_heads = 2;
  a.norm = Norm::pre;
  a.residual = true;
  a.d_ff = 12;
  a.output_layer = output;
  a.scales_embedding = scales;
  const std::vector<std::string> words{"[pad]", "[blank]", "[new0]", "[new1]", "[new2]", "the", "sky", "is"};
  const ParameterLayout layout = layout_of(a, static_cast<int>(words.size()));
  std::vector<float> numbers(layout.size);
  RandomStream random(11);
  random.fill_normal(numbers, 0.5F);
  return std::make_shared<const TrainedModel>(
      TrainedModel{"", "", 0, 0, 0, model_of(layout, numbers), *Vocabulary::make(words)});
}

std::shared_ptr<const Trace> pass_of(const std::shared_ptr<const TrainedModel>& model,
                                     const std::string& sentence) {
  Engine engine(1);
  Request request;
  request.model = model;
  request.architecture = model->model.architecture;
  request.sentence = sentence;
  const auto trace = engine.compute(request);
  EXPECT_TRUE(trace) << trace.error().message;
  return *trace;
}

TEST(TrainedPass, RowsAreThoseOfTheTable) {
  for (const bool scales : {false, true}) {
    const auto model = model_with(OutputLayer::tied, scales);
    const auto trace = pass_of(model, "The sky is ___");
    EXPECT_FALSE(trace->is_untrained());
    const float factor = scales ? std::sqrt(8.0F) : 1.0F;
    const int ids[] = {5, 6, 7, 1};
    const MatrixView rows = trace->value({StageKind::embedding});
    const Matrix table = model->model.embedding_table.all();
    for (int t = 0; t < 4; ++t) {
      EXPECT_EQ(trace->tokens(Stack::encoder)[static_cast<std::size_t>(t)].id, ids[t]);
      for (int d = 0; d < 8; ++d) EXPECT_EQ(rows(t, d), factor * table(ids[t], d));
    }
  }
}

TEST(TrainedPass, LogitsAreProductsWithTheFinalLayer) {
  for (const OutputLayer output : {OutputLayer::tied, OutputLayer::linear}) {
    const auto model = model_with(output, true);
    const auto trace = pass_of(model, "the sky");
    const MatrixView logits = trace->value({.kind = StageKind::logits});
    const MatrixView last = trace->value({.kind = StageKind::stack_output});
    ASSERT_EQ(logits.cols, 8);
    const Matrix table = model->model.embedding_table.all();
    const Matrix weight = output == OutputLayer::tied ? Matrix() : model->model.unembedding->weight();
    for (int t = 0; t < logits.rows; ++t) {
      for (int word = 0; word < logits.cols; ++word) {
        float sum = 0.0F;
        for (int d = 0; d < 8; ++d) {
          sum += last(t, d) * (output == OutputLayer::tied ? table(word, d) : weight(d, word));
        }
        EXPECT_NEAR(logits(t, word), sum, 1e-4F);
      }
    }
  }
}

TEST(TrainedPass, UnknownWordsHavePlaceholdersThatAreCalledByThem) {
  const auto model = model_with(OutputLayer::tied, true);
  const auto trace = pass_of(model, "the zorp is the blick");
  const auto& tokens = trace->tokens(Stack::encoder);
  EXPECT_TRUE(model->vocabulary.is_placeholder(tokens[1].id));
  EXPECT_TRUE(model->vocabulary.is_placeholder(tokens[4].id));
  EXPECT_NE(tokens[1].id, tokens[4].id);
  EXPECT_EQ(trace->vocabulary()[static_cast<std::size_t>(tokens[1].id)], "zorp");
  EXPECT_EQ(trace->vocabulary()[static_cast<std::size_t>(tokens[4].id)], "blick");
  const auto shorter = pass_of(model, "the zorp is");
  for (int d = 0; d < 8; ++d) {
    EXPECT_EQ(shorter->value({StageKind::embedding})(1, d), trace->value({StageKind::embedding})(1, d));
  }
}

TEST(TrainedPass, TheExplainedEmbeddingIsTheStoredOne) {
  for (const bool scales : {false, true}) {
    const auto trace = pass_of(model_with(OutputLayer::tied, scales), "the sky is zorp");
    for (int t = 0; t < 4; ++t) {
      const auto explanation = explain(*trace, {StageKind::embedding}, t, 3);
      ASSERT_TRUE(explanation);
      EXPECT_FLOAT_EQ(static_cast<float>(explanation->steps.back().value),
                      trace->value({StageKind::embedding})(t, 3));
    }
  }
}

TEST(TrainedPass, WhichRequestsShareWeights) {
  Request one;
  Request other;
  other.sentence = "typed on";
  other.attention.mask.causal = true;
  EXPECT_TRUE(same_weights(one, other));
  other.tokenizer = TokenizerKind::seed1;
  EXPECT_FALSE(same_weights(one, other));
  other = one;
  other.architecture.seed = 2;
  EXPECT_FALSE(same_weights(one, other));
  other = one;
  other.model = model_with(OutputLayer::tied, true);
  EXPECT_FALSE(same_weights(one, other));
}

TEST(TrainedPass, APassThatIsGivenUpKeepsTheWeightsItDrew) {
  Engine engine(1);
  Request request;
  request.sentence = "one two";
  request.architecture.d_model = 512;
  request.architecture.n_heads = 8;
  request.architecture.n_layers = 12;
  request.architecture.d_ff = 2048;
  StopFlags stop;
  stop.pass = true;
  const auto begin = std::chrono::steady_clock::now();
  const auto given_up = engine.compute(request, TooLong::refuse, &stop);
  const auto middle = std::chrono::steady_clock::now();
  ASSERT_TRUE(given_up);
  EXPECT_EQ(*given_up, nullptr);
  ASSERT_TRUE(engine.compute(request));
  const auto end = std::chrono::steady_clock::now();
  // Drawing random weights takes many times as long as a pass over two words.
  EXPECT_LT(end - middle, (middle - begin) / 2);
}

TEST(TrainedPass, WeightsOfAnotherShapeAreRefused) {
  Engine engine(1);
  Request request;
  request.model = model_with(OutputLayer::tied, true);
  request.sentence = "the sky";
  EXPECT_FALSE(engine.compute(request));
}

TEST(TrainedPass, RandomWeightsComeBackAfterIt) {
  Engine engine(1);
  Request request;
  request.sentence = "the sky";
  const auto before = engine.compute(request);
  Request trained = request;
  trained.model = model_with(OutputLayer::tied, true);
  trained.architecture = trained.model->model.architecture;
  ASSERT_TRUE(engine.compute(trained));
  trained.model = nullptr;
  const auto untrained = engine.compute(trained);
  ASSERT_TRUE(untrained);
  EXPECT_TRUE((*untrained)->is_untrained());
  const auto after = engine.compute(request);
  EXPECT_EQ((*before)->value({StageKind::concat})(1, 2), (*after)->value({StageKind::concat})(1, 2));
}

}  // namespace
}  // namespace headscope
