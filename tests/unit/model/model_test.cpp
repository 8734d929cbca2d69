#include "core/model/model.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/model/parameters.h"

namespace headscope {
namespace {

Architecture wide(Init init) {
  Architecture a;
  a.d_model = 256;
  a.n_heads = 2;
  a.d_value = 64;
  a.init = init;
  return a;
}

double variance(const Matrix& matrix) {
  return matrix.cast<double>().array().square().mean();
}

Model drawn(const Architecture& architecture, int vocabulary = 0) {
  ThreadPool pool(2);
  return random_model(architecture, vocabulary, pool);
}

/// The only attention of a model of one layer.
AttentionWeights attention_of(const Model& model) {
  return {linear_of(model, {StageKind::w_query}), linear_of(model, {StageKind::w_key}),
          linear_of(model, {StageKind::w_value}), linear_of(model, {StageKind::w_output})};
}

TEST(RandomModel, HasTheShapesOfItsArchitecture) {
  Architecture a;
  a.d_model = 24;
  a.n_heads = 3;
  a.d_head = 5;
  a.d_value = 7;
  const Model model = drawn(a, 11);
  const AttentionWeights w = attention_of(model);
  for (const Linear* linear : {&w.query, &w.key}) {
    EXPECT_EQ(linear->n_in(), 24);
    EXPECT_EQ(linear->n_out(), 3 * 5);
    EXPECT_EQ(linear->bias.size(), 3 * 5);
  }
  EXPECT_EQ(w.value.n_in(), 24);
  EXPECT_EQ(w.value.n_out(), 3 * 7);
  EXPECT_EQ(w.out.n_in(), 21);
  EXPECT_EQ(w.out.n_out(), 24);
  EXPECT_EQ(model.embedding_table.n_rows(), 11);
  for (const auto& [id, linear] : model.linears) EXPECT_EQ(id.stack, Stack::encoder);
  for (const auto& [id, numbers] : model.vectors) EXPECT_EQ(id.stack, Stack::encoder);
  for (const auto& [id, table] : model.tables) EXPECT_EQ(id.stack, Stack::encoder);
  a.output_projection = false;
  EXPECT_EQ(attention_of(drawn(a)).out.weight().size(), 0);
  EXPECT_FALSE(drawn(a).embedding_table.exists());
}

TEST(RandomModel, WithAVocabularyEveryParameterOfTheLayoutIsDrawn) {
  for (const Stacks stacks : {Stacks::encoder, Stacks::decoder, Stacks::encoder_decoder}) {
    for (const OutputLayer output : {OutputLayer::none, OutputLayer::linear, OutputLayer::tied}) {
      for (const Positions positions : {Positions::sinusoidal, Positions::learned, Positions::relative}) {
        Architecture a;
        a.stacks = stacks;
        a.output_layer = output;
        a.output_bias = positions != Positions::relative;
        a.positions = positions;
        a.n_layers = 2;
        a.d_ff = 7;
        const ParameterLayout layout = layout_of(a, 11);
        const std::vector<float> numbers = parameters_of(drawn(a, 11), layout);
        for (const NamedParameter& parameter : layout.named) {
          if (parameter.rows == 1) continue;  // Biases may be 0.
          double sum = 0.0;
          for (int i = 0; i < parameter.cols; ++i)
            sum += std::abs(numbers[static_cast<std::size_t>(parameter.first + i)]);
          EXPECT_GT(sum, 0.0) << parameter.path;
        }
        EXPECT_EQ(parameters_of(model_of(layout, numbers), layout), numbers);
      }
    }
  }
}

TEST(RandomModel, AWholeTransformerHasEveryPart) {
  Architecture a;
  a.stacks = Stacks::encoder_decoder;
  a.n_layers = 3;
  a.d_model = 16;
  a.d_ff = 20;
  a.norm = Norm::pre;
  const Model model = drawn(a);
  for (const auto& [id, linear] : model.linears) EXPECT_LT(id.layer, 3);
  for (const Stack stack : {Stack::encoder, Stack::decoder}) {
    EXPECT_EQ(vector_of(model, {StageKind::final_norm_gain, stack}), RowVector::Ones(16));
    for (int layer = 0; layer < 3; ++layer) {
      const int cross = stack == Stack::decoder ? 16 : 0;
      EXPECT_EQ(linear_of(model, {StageKind::w_query, stack, layer, AttentionKind::cross}).n_in(), cross);
      EXPECT_EQ(vector_of(model, {StageKind::norm_gain, stack, layer, AttentionKind::cross}).size(), cross);
      EXPECT_EQ(linear_of(model, {StageKind::w_1, stack, layer}).n_out(), 20);
      EXPECT_EQ(linear_of(model, {StageKind::w_2, stack, layer}).n_in(), 20);
      EXPECT_EQ(vector_of(model, {StageKind::norm_gain, stack, layer}), RowVector::Ones(16));
      EXPECT_EQ(vector_of(model, {StageKind::feed_forward_norm_bias, stack, layer}), RowVector::Zero(16));
    }
  }
  const auto query = [&](Stack stack, int layer, AttentionKind kind) {
    return linear_of(model, {StageKind::w_query, stack, layer, kind}).weight();
  };
  const Matrix first = query(Stack::encoder, 0, AttentionKind::self);
  const Matrix of_decoder = query(Stack::decoder, 0, AttentionKind::self);
  EXPECT_NE(first, query(Stack::encoder, 1, AttentionKind::self));
  EXPECT_NE(first, of_decoder);
  EXPECT_NE(of_decoder, query(Stack::decoder, 0, AttentionKind::cross));
}

TEST(RandomModel, AnotherLayerChangesNoneOfTheOthers) {
  Architecture a;
  a.d_model = 16;
  a.d_ff = 8;
  a.n_layers = 2;
  const Model two = drawn(a);
  a.n_layers = 3;
  const Model three = drawn(a);
  for (int layer = 0; layer < 2; ++layer) {
    for (const StageKind kind : {StageKind::w_value, StageKind::w_output, StageKind::w_1})
      EXPECT_EQ(linear_of(two, {kind, Stack::encoder, layer}).weight(),
                linear_of(three, {kind, Stack::encoder, layer}).weight());
  }
}

Matrix positions_of(const Model& model) {
  return table_of(model, {.kind = StageKind::positions_table});
}

TEST(RandomModel, PositionsHaveATableOnlyWhereTheyAreLearned) {
  Architecture a;
  a.d_model = 16;
  a.positions = Positions::learned;
  EXPECT_EQ(positions_of(drawn(a)).rows(), learned_positions);
  EXPECT_EQ(positions_of(drawn(a)).cols(), 16);
  a.positions = Positions::relative;
  EXPECT_EQ(positions_of(drawn(a)).rows(), a.n_heads);
  EXPECT_EQ(positions_of(drawn(a)).cols(), 2 * max_relative_distance + 1);
  for (const Positions kind :
       {Positions::none, Positions::sinusoidal, Positions::split, Positions::rotary, Positions::alibi}) {
    a.positions = kind;
    EXPECT_EQ(positions_of(drawn(a)).size(), 0);
  }
}

TEST(RandomModel, EncoderAndDecoderHaveTablesOfRelativePositionsOfTheirOwn) {
  Architecture a;
  a.d_model = 16;
  a.positions = Positions::relative;
  const Model alone = drawn(a);
  a.stacks = Stacks::encoder_decoder;
  const Model two = drawn(a);
  const Matrix& of_encoder = table_of(two, {StageKind::stack_positions_table, Stack::encoder});
  const Matrix& of_decoder = table_of(two, {StageKind::stack_positions_table, Stack::decoder});
  EXPECT_EQ(positions_of(two).size(), 0);
  EXPECT_EQ(of_encoder, positions_of(alone)) << "a decoder leaves the encoder as it is";
  EXPECT_EQ(of_decoder.rows(), a.n_heads);
  EXPECT_NE(of_decoder, of_encoder);
  EXPECT_EQ(&two.position_biases(Stack::decoder, 0), &of_decoder);
  EXPECT_EQ(&alone.position_biases(Stack::encoder, 0),
            &table_of(alone, {.kind = StageKind::positions_table}));
  a.positions = Positions::learned;
  EXPECT_EQ(positions_of(drawn(a)).rows(), learned_positions) << "rows are added in both stacks alike";
}

double size_of(const Linear& linear) {
  const bool has_bias = (linear.bias.array() != 0.0F).any();
  return static_cast<double>(linear.weight().size()) +
         (has_bias ? static_cast<double>(linear.bias.size()) : 0.0);
}

double size_of(const Model& model) {
  double size = 0.0;
  for (const auto& [id, linear] : model.linears) size += size_of(linear);
  for (const auto& [id, numbers] : model.vectors) size += static_cast<double>(numbers.size());
  for (const auto& [id, numbers] : model.tables) size += static_cast<double>(numbers.size());
  return size;
}

TEST(CountParameters, IsWhatTheModelHolds) {
  for (const Stacks stacks : {Stacks::encoder, Stacks::decoder, Stacks::encoder_decoder}) {
    for (const Norm norm : {Norm::none, Norm::pre, Norm::post, Norm::both}) {
      for (const Positions positions : {Positions::none, Positions::learned, Positions::relative}) {
        for (const int d_ff : {0, 12}) {
          Architecture a;
          a.stacks = stacks;
          a.n_layers = 2;
          a.d_model = 16;
          a.d_value = 3;
          a.bias.key = false;
          a.d_ff = d_ff;
          a.norm = norm;
          a.positions = positions;
          EXPECT_EQ(count_parameters(a), size_of(drawn(a)));
        }
      }
    }
  }
}

TEST(RandomModel, InitialisationsHaveTheirVariance) {
  EXPECT_NEAR(variance(attention_of(drawn(wide(Init::normal))).query.weight()), 1.0, 0.02);
  EXPECT_NEAR(variance(attention_of(drawn(wide(Init::scaled))).query.weight()), 1.0 / 256.0, 0.0001);
  const Model xavier = drawn(wide(Init::xavier));
  const Matrix query = attention_of(xavier).query.weight().leftCols(128);
  const double limit = std::sqrt(6.0 / (256 + 128));
  EXPECT_NEAR(variance(query), limit * limit / 3.0, 0.0002);
  EXPECT_LE(query.cwiseAbs().maxCoeff(), limit);
  const Matrix& out = attention_of(xavier).out.weight();
  EXPECT_LE(out.cwiseAbs().maxCoeff(), std::sqrt(6.0 / (128 + 256)));
}

TEST(RandomModel, BiasesAreThereOnlyWhereTheyAreWanted) {
  Architecture a = wide(Init::xavier);
  a.bias = {true, false, true, false};
  const Model model = drawn(a);
  const AttentionWeights w = attention_of(model);
  EXPECT_GT(w.query.bias.cwiseAbs().minCoeff(), 0.0F);
  EXPECT_EQ(w.key.bias, RowVector::Zero(256));
  EXPECT_GT(w.value.bias.cwiseAbs().minCoeff(), 0.0F);
  EXPECT_EQ(w.out.bias, RowVector::Zero(256));
  EXPECT_LE(w.query.bias.cwiseAbs().maxCoeff(), 1.0F / 16.0F);
}

TEST(RandomModel, TurningABiasOffChangesNoOtherNumber) {
  Architecture a = wide(Init::normal);
  const Model with = drawn(a);
  a.bias.key = false;
  const Model without = drawn(a);
  EXPECT_EQ(attention_of(with).key.weight(), attention_of(without).key.weight());
  EXPECT_EQ(attention_of(with).query.bias, attention_of(without).query.bias);
  EXPECT_EQ(attention_of(with).out.weight(), attention_of(without).out.weight());
  EXPECT_EQ(attention_of(with).out.bias, attention_of(without).out.bias);
}

TEST(RandomModel, HeadsDifferFromEachOther) {
  const Model model = drawn(wide(Init::normal));
  const AttentionWeights w = attention_of(model);
  EXPECT_NE(w.query.weight().leftCols(128), w.query.weight().rightCols(128));
  EXPECT_NE(w.query.weight().leftCols(128), w.key.weight().leftCols(128));
}

TEST(WordEmbedding, DependsOnTheWordAndTheSeedAlone) {
  std::vector<float> a(64);
  std::vector<float> b(64);
  draw_word_embedding("cat", 1, a);
  draw_word_embedding("cat", 1, b);
  EXPECT_EQ(a, b);
  draw_word_embedding("cat", 2, b);
  EXPECT_NE(a, b);
  draw_word_embedding("cats", 1, b);
  EXPECT_NE(a, b);
  std::vector<float> wider(128);
  draw_word_embedding("cat", 1, wider);
  EXPECT_TRUE(std::equal(a.begin(), a.end(), wider.begin()));
}

TEST(WordUnembedding, IsDrawnFromTheWordWithAStreamOfItsOwn) {
  std::vector<float> embedding(64);
  std::vector<float> column(64);
  std::vector<float> again(64);
  draw_word_embedding("cat", 1, embedding);
  draw_word_unembedding("cat", 1, column);
  draw_word_unembedding("cat", 1, again);
  EXPECT_EQ(column, again);
  std::vector<float> wide_column(100'000);
  draw_word_unembedding("dog", 1, wide_column);
  double squares = 0.0;
  for (const float x : wide_column) squares += static_cast<double>(x) * static_cast<double>(x);
  EXPECT_NEAR(squares, 1.0, 0.02) << "a column's numbers have the variance 1/D";
  EXPECT_NE(column[0] * 8.0F, embedding[0]);
}

}  // namespace
}  // namespace headscope
