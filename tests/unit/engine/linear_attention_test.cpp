// Properties that hold for every pass with linear attention: its weights are shares of a row's scores, and
// the state gives the same outputs without them.
#include <gtest/gtest.h>

#include <cmath>

#include "core/engine/decoding.h"
#include "core/engine/request.h"
#include "core/measures/cache_bytes.h"
#include "core/trace/explain.h"
#include "tests/unit/engine/random_given.h"
#include "tests/unit/engine/transformers.h"

namespace headscope {
namespace {

/// random_transformer() without the parts that linear attention does not allow.
Request random_linear(std::uint64_t seed, Stacks stacks) {
  Request request = random_transformer(seed, stacks);
  Architecture& a = request.architecture;
  a.linear_attention = true;
  a.kv_latent.reset();
  a.sinks = false;
  a.softcap = 0.0F;
  if (a.uses_rotary() || a.has_position_biases()) a.positions = Positions::sinusoidal;
  // Sums of squares of two or three numbers magnify the smallest difference.
  a.d_model = std::max(a.d_model, 8 * a.n_heads);
  return request;
}

class LinearAttention : public testing::TestWithParam<int> {
 protected:
  Request request(Stacks stacks) const {
    return random_linear(static_cast<std::uint64_t>(GetParam()), stacks);
  }

  Engine engine{1};
};

TEST_P(LinearAttention, WeightsAreSharesOfTheScoresThatAreSeen) {
  Request wish = request(static_cast<Stacks>(GetParam() % 4));
  if (GetParam() % 3 == 0) wish.attention.mask.window = 2;
  if (GetParam() % 2 == 0) wish.attention.cross_mask.padding = {0};
  wish.attention.temperature = 3.0F;
  wish.attention.mask_value = GetParam() % 5 == 0 ? MaskValue::minus_1e9 : 0.5F;
  const SharedTrace trace = computed(engine, wish);
  ASSERT_TRUE(trace);
  for (const StageId& id : stages_of_kind(*trace, StageKind::weights)) {
    const MatrixView weights = trace->value(id);
    const MatrixView raw = trace->value(with_kind(id, StageKind::raw));
    for (int row = 0; row < weights.rows; ++row) {
      double seen = 0.0;
      double sum = 0.0;
      for (int key = 0; key < weights.cols; ++key) {
        ASSERT_GE(raw(row, key), 0.0F);
        const bool sees = trace->mask(id).is_visible(id.head, row, key);
        const float weight = weights(row, key);
        ASSERT_TRUE(sees || weight == 0.0F) << "a hidden key has no weight, whatever the mask value";
        seen += sees ? static_cast<double>(raw(row, key)) : 0.0;
        sum += static_cast<double>(weight);
      }
      ASSERT_NEAR(sum, seen > 0.0 ? 1.0 : 0.0, 1e-5) << path(id);
      for (int key = 0; key < weights.cols && seen > 0.0; ++key) {
        if (!trace->mask(id).is_visible(id.head, row, key)) continue;
        ASSERT_NEAR(weights(row, key), static_cast<double>(raw(row, key)) / seen, 1e-5) << path(id);
      }
    }
  }
}

TEST_P(LinearAttention, AWeightIsExplainedByTheScoresThatAreSeen) {
  Request wish = request(Stacks::decoder);
  wish.sentence = "one two three four";
  wish.attention.mask.causal = true;
  const SharedTrace trace = computed(engine, wish);
  ASSERT_TRUE(trace);
  const StageId id{.kind = StageKind::weights, .stack = Stack::decoder};
  EXPECT_EQ(formula(*trace, id), "score / Σ visible scores of its row");
  for (const int key : {0, 1, 3}) {
    const auto sheet = explain(*trace, id, 1, key);
    ASSERT_TRUE(sheet);
    EXPECT_NEAR(sheet->value, sheet->stored, 1e-5);
    const Explanation::Strip& seen = sheet->strips.back();
    EXPECT_EQ(seen.label, "scores visible to “two”");
    EXPECT_EQ(seen.names, (std::vector<std::string>{"one", "two"})) << "no later key";
    EXPECT_EQ(seen.values.size(), 2U);
  }
}

TEST_P(LinearAttention, TheStateGivesTheLastRow) {
  for (const Stacks stacks : {Stacks::encoder, Stacks::decoder, Stacks::encoder_decoder}) {
    const SharedTrace trace = computed(engine, request(stacks));
    ASSERT_TRUE(trace);
    int n_states = 0;
    for (const StageId& id : stages_of_kind(*trace, StageKind::state)) {
      ++n_states;
      const MatrixView state = trace->value(id);
      const MatrixView keys = trace->value(with_kind(id, StageKind::state_sum));
      const MatrixView queries = trace->value(with_kind(id, StageKind::mapped_query));
      const MatrixView outputs = trace->value(with_kind(id, StageKind::output));
      const int last = queries.rows - 1;
      ASSERT_EQ(state.rows, trace->architecture().head_width(no_layer));
      ASSERT_EQ(state.cols, trace->architecture().value_width(no_layer));
      double sum = 0.0;
      for (int k = 0; k < keys.cols; ++k)
        sum += static_cast<double>(queries(last, k)) * static_cast<double>(keys(0, k));
      for (int v = 0; v < state.cols; ++v) {
        double product = 0.0;
        for (int k = 0; k < state.rows; ++k)
          product += static_cast<double>(queries(last, k)) * static_cast<double>(state(k, v));
        const auto output = static_cast<double>(outputs(last, v));
        ASSERT_NEAR(product / sum, output, 1e-5 * std::max(1.0, std::abs(output))) << path(id);
      }
    }
    EXPECT_EQ(n_states, static_cast<int>(stages_of_kind(*trace, StageKind::weights).size()));
  }
}

TEST_P(LinearAttention, ACausalDecodersEarlierRowsDoNotKnowLaterTokens) {
  Request wish = request(Stacks::decoder);
  const int changed = GetParam() % n_words(wish.sentence);
  const SharedTrace before = computed(engine, wish);
  wish.sentence = with_word(wish.sentence, changed, "other");
  const SharedTrace after = computed(engine, wish);
  ASSERT_TRUE(before && after);
  const StageId output{.kind = StageKind::stack_output, .stack = Stack::decoder};
  for (int row = 0; row < changed; ++row)
    ASSERT_TRUE(same_bits(before->value(output).row(row), after->value(output).row(row))) << row;
}

TEST_P(LinearAttention, APassThatKeepsLessHasTheSameNumbers) {
  Request wish = request(static_cast<Stacks>(GetParam() % 3));
  const SharedTrace whole = computed(engine, wish);
  ASSERT_TRUE(whole);
  wish.max_bytes = whole->bytes() * 3 / 4;
  const auto less = engine.compute(wish);
  if (!less || (*less)->n_tokens() != whole->n_tokens()) GTEST_SKIP() << "the text was cut";
  for (const StageId& id : whole->stages()) {
    const std::vector<float> all = numbers(whole->value(id));
    const std::vector<float> again = numbers((*less)->value(id));
    ASSERT_TRUE(same_bits(all, again)) << path(id);
  }
}

TEST_P(LinearAttention, DecodesWithAStateOfOneSize) {
  for (const Stacks stacks : {Stacks::decoder, Stacks::encoder, Stacks::encoder_decoder}) {
    Request wish = request(stacks);
    wish.attention.mask.causal = true;
    if (GetParam() % 4 == 0) wish.architecture.d_value = 3;
    if (!validate(wish.architecture)) wish.architecture.d_value.reset();
    const SharedTrace trace = computed(engine, wish);
    ASSERT_TRUE(trace);
    ASSERT_EQ(decoding_obstacle(*trace).text, "");
    const Architecture& a = trace->architecture();
    const CacheShape shape{.layers = a.layers_of(a.last_stack()),
                           .kv_heads = a.kv_heads(no_layer),
                           .key_width = a.head_width(no_layer),
                           .value_width = a.value_width(no_layer),
                           .is_state = true};
    const std::vector<DecodedToken> decoded = decoded_text(*trace).finish();
    ASSERT_EQ(decoded.size(), trace->tokens(a.last_stack()).size());
    double scale = 1.0;
    for (const StageKind kind : {StageKind::layer_output, StageKind::stack_output, StageKind::logits}) {
      for (const StageId& id : stages_of_kind(*trace, kind))
        scale = std::max(scale, static_cast<double>(trace->stats(id)->magnitude));
    }
    for (std::size_t t = 0; t < decoded.size(); ++t) {
      EXPECT_LE(decoded[t].difference, 1e-5 * scale) << "token " << t;
      EXPECT_EQ(decoded[t].cached_numbers, cached_numbers(shape, static_cast<int>(t) + 1));
      const std::int64_t of_source = t == 0 ? 0 : decoded[t].source_numbers;
      EXPECT_EQ(decoding_work(*trace, static_cast<int>(t)).read,
                cached_numbers(shape, static_cast<int>(t)) + of_source);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, LinearAttention, testing::Range(0, 24));

/// Why a pass of a linear decoder cannot be computed.
std::string error_of(const auto& change) {
  Request request = random_linear(3, Stacks::decoder);
  change(request);
  Engine engine(1);
  const auto trace = engine.compute(request);
  return trace ? "" : trace.error().message;
}

void expect_says(const std::string& message, const std::string& part) {
  EXPECT_NE(message.find(part), std::string::npos) << message;
}

TEST(LinearAttentionLimits, SaysWhatToSwitchOff) {
  EXPECT_EQ(error_of([](Request&) {}), "");
  expect_says(error_of([](Request& r) { r.architecture.sinks = true; }), "turn the sinks off");
  expect_says(error_of([](Request& r) { r.architecture.softcap = 1.0F; }), "set the softcap to 0");
  expect_says(error_of([](Request& r) { r.architecture.score_scale = 1.0F; }), "scale of all scores cancels");
  for (const Positions positions : {Positions::rotary, Positions::relative, Positions::alibi})
    expect_says(error_of([&](Request& r) {
                  r.architecture.d_head = 4;
                  r.architecture.positions = positions;
                }),
                "choose sinusoidal or learned positions");
  expect_says(error_of([](Request& r) { r.attention.softmax = SoftmaxAxis::queries; }), "over queries");
}

TEST(LinearAttentionLimits, MasksHideButAddNothing) {
  const auto file = [](float number) {
    auto mask = std::make_shared<LoadedMask>();
    mask->name = "mask.npy";
    mask->additive = true;
    mask->rows = 1;
    mask->cols = 3;
    mask->values = {0.0F, number, 0.0F};
    return mask;
  };
  const auto with_file = [&](float number) {
    return error_of([&](Request& r) {
      r.sentence = "one two three";
      r.attention.mask.loaded = {file(number)};
    });
  };
  EXPECT_EQ(with_file(MaskValue::minus_infinity), "");
  expect_says(with_file(-2.0F), "adds numbers to the scores");
}

TEST(LinearAttentionLimits, GivenScoresAreNotNegative) {
  const auto with_score = [](float score) {
    return error_of([&](Request& r) {
      r.sentence = "one two";
      OwnedMatrix scores(2, 2);
      scores.values = {1.0F, 0.0F, score, 2.0F};
      give(r, "decoder.layers.0.self.heads.0.raw", std::move(scores));
    });
  };
  EXPECT_EQ(with_score(3.0F), "");
  expect_says(with_score(-0.5F), "give numbers of 0 or more");
}

TEST(LinearAttentionLimits, GivenScoresAreExplainedAsGiven) {
  Request request = random_linear(3, Stacks::encoder);
  request.sentence = "one two";
  OwnedMatrix scores(2, 2);
  scores.values = {1.0F, 0.0F, 0.5F, 2.0F};
  give(request, "encoder.layers.0.self.heads.0.raw", std::move(scores));
  Engine engine(1);
  const SharedTrace trace = computed(engine, request);
  ASSERT_TRUE(trace);
  const auto sheet = explain(*trace, {.kind = StageKind::weights}, 1, 1);
  ASSERT_TRUE(sheet);
  EXPECT_EQ(sheet->steps.front().label, "raw");
  EXPECT_DOUBLE_EQ(sheet->steps.front().value, 2.0);
  EXPECT_NEAR(sheet->value, 0.8, 1e-6);
  for (const Explanation::Source& source : sheet->sources) EXPECT_TRUE(is_map(source.stage.kind));
}

TEST(LinearAttentionLimits, AStateForgetsNothing) {
  Engine engine(1);
  const auto reason = [&](const auto& change) {
    Request request = random_linear(5, Stacks::decoder);
    change(request);
    return decoding_obstacle(*computed(engine, request)).text;
  };
  EXPECT_EQ(reason([](Request&) {}), "");
  expect_says(reason([](Request& r) { r.attention.mask.window = 1; }), "no token can be removed again");
  expect_says(reason([](Request& r) { r.architecture.sliding_window = 1; }), "Remove the window");
  expect_says(reason([](Request& r) { r.attention.mask.causal = false; }), "Earlier tokens look at later");
  expect_says(reason([](Request& r) {
                HeadChange uniform{{Stack::decoder, AttentionKind::self, 0, 0}};
                uniform.pattern = Pattern::uniform;
                r.interventions.heads.push_back(uniform);
              }),
              "changes scores or weights");
}

TEST(LinearAttentionLimits, ScaleTemperatureAndMaskValueTakeNoPart) {
  Session session = default_session();
  session.architecture.linear_attention = true;
  const Request usual = request_of(session);
  session.attention.scale = false;
  session.attention.temperature = 4.0F;
  session.attention.mask_value = MaskValue::minus_1e9;
  EXPECT_EQ(request_of(session), usual);
}

}  // namespace
}  // namespace headscope
