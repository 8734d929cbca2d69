// Compares attributions with differences between passes of the engine, which know nothing of the backward
// pass.
#include "core/engine/attribution.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <utility>

#include "core/checkpoint/model_folder.h"
#include "core/engine/opening.h"
#include "core/session/action.h"
#include "tests/unit/engine/transformers.h"

namespace headscope {
namespace {

constexpr StageId logits{StageKind::logits};

Request request_of_model(const char* name) {
  const auto model = open_model(name, {HEADSCOPE_SOURCE_DIR "/assets/models"});
  EXPECT_TRUE(model) << name;
  return request_of(reduce(default_session(), opening_action(*model)));
}

/// A random model with a table of words, which is all that an untrained one lacks.
Request request_of_random_model(std::uint64_t seed) {
  Request request = predicting_transformer(seed);
  Architecture& a = request.architecture;
  a.output_layer = OutputLayer::linear;
  if (!a.output_projection) a.output_projection = true;
  std::vector<std::string> known;
  for (const char* stem : {"word", "ziel"})
    for (int i = 0; i < 45; ++i) known.push_back(stem + std::to_string(i));
  const Vocabulary vocabulary = Vocabulary::make(known).value();
  Model model = random_model(a, vocabulary.size(), shared_pool());
  model.drawn = false;
  request.model =
      std::make_shared<const TrainedModel>(TrainedModel{"", "", 1, 0, 0, std::move(model), vocabulary});
  return request;
}

double logit_with(Engine& engine, Request request, Interventions interventions,
                  const Prediction& prediction) {
  request.interventions = in_order(std::move(interventions));
  return static_cast<double>(computed(engine, request)->number(logits, prediction.row, prediction.word));
}

/// The derivative at 1 of a function of a factor, by a difference of fourth order.
template <class Function>
double slope_at_1(const Function& logit_at) {
  constexpr float step = 0.002F;
  const double near = logit_at(1.0F + step) - logit_at(1.0F - step);
  const double far = logit_at(1.0F + 2.0F * step) - logit_at(1.0F - 2.0F * step);
  return (8.0 * near - far) / (12.0 * static_cast<double>(step));
}

/// The derivative of the logit by the factor of a head's output.
double slope_of_head(Engine& engine, const Request& request, const HeadId& head,
                     const Prediction& prediction) {
  return slope_at_1([&](float scale) {
    return logit_with(engine, request, {{{head, scale, Pattern::own}}, {}, {}, {}}, prediction);
  });
}

/// The derivative by the factor of a token's embedding.
double slope_of_input(Engine& engine, const Request& request, Stack stack, int token,
                      const Prediction& prediction) {
  return slope_at_1([&](float factor) {
    const Patch patch{{StageKind::embedding, stack}, token, PatchSource::scaled, factor};
    return logit_with(engine, request, {{}, {}, {patch}, {}}, prediction);
  });
}

void expect_slopes(Engine& engine, const Request& request) {
  const SharedTrace trace = computed(engine, request);
  ASSERT_TRUE(trace);
  const Extent size = trace->extent(logits);
  const Prediction prediction{size.rows - 1, likeliest_word(*trace, size.rows - 1)};
  const Attribution found = attribution(*trace, prediction).finish();
  ASSERT_EQ(found.absent, "");
  double largest = std::fabs(static_cast<double>(trace->number(logits, prediction.row, prediction.word)));
  for (const std::vector<double>& inputs : found.inputs)
    for (const double input : inputs) largest = std::max(largest, std::fabs(input));
  const double room = 2e-3 * (1.0 + largest);
  ASSERT_EQ(found.heads.size(), heads_of(trace->architecture()).size());
  for (const HeadAttribution& head : found.heads) {
    EXPECT_NEAR(head.total(), slope_of_head(engine, request, head.place, prediction), room);
    double sum = 0.0;
    for (int key = 0; key < head.n_keys; ++key) sum += head.of_key(key);
    EXPECT_NEAR(sum, head.total(), 1e-9 * (1.0 + std::fabs(sum)));
  }
  for (const Stack stack : {Stack::encoder, Stack::decoder}) {
    const std::vector<double>& inputs = found.inputs_of(stack);
    EXPECT_EQ(inputs.empty(), !trace->architecture().has(stack));
    for (std::size_t i = 0; i < inputs.size(); i += 3)
      EXPECT_NEAR(inputs[i], slope_of_input(engine, request, stack, static_cast<int>(i), prediction), room);
  }
}

TEST(Attribution, OfTheBundledModelsIsThatOfDifferencesOfPasses) {
  Engine engine;
  for (const char* name : {"pronouns", "copying", "reversing"}) {
    SCOPED_TRACE(name);
    expect_slopes(engine, request_of_model(name));
  }
}

TEST(Attribution, OfRandomModelsIsThatOfDifferencesOfPasses) {
  Engine engine;
  int n = 0;
  for (std::uint64_t seed = 0; seed < 24; ++seed) {
    SCOPED_TRACE(seed);
    const Request request = request_of_random_model(seed);
    const Architecture& a = request.architecture;
    // Without them, numbers grow from layer to layer, or little of the input is left.
    if (!a.residual || a.norm == Norm::none) continue;
    expect_slopes(engine, request);
    ++n;
  }
  EXPECT_GT(n, 6);
}

/// Without residual connections and norms, a model of one layer is linear in its values: the heads make the
/// logit, apart from biases.
TEST(Attribution, AddsUpToTheLogitOfOneLayer) {
  Engine engine;
  Request request = request_of_random_model(3);
  Architecture a = request.architecture;
  a.stacks = Stacks::decoder;
  a.n_layers = 1;
  a.norm = Norm::none;
  a.residual = a.qk_norm = a.output_gate = a.output_bias = false;
  a.block = Block::sequential;
  a.d_ff = 0;
  a.bias = {true, true, true, false, false};
  a.logit_softcap = 0.0F;
  request.attention.mask.causal = true;
  auto model = std::make_shared<TrainedModel>(*request.model);
  model->model = random_model(a, model->vocabulary.size(), shared_pool());
  model->model.drawn = false;
  request.architecture = a;
  request.model = std::shared_ptr<const TrainedModel>(model);
  const SharedTrace trace = computed(engine, request);
  const Prediction prediction{trace->extent(logits).rows - 1, 4};
  const Attribution found = attribution(*trace, prediction).finish();
  ASSERT_EQ(found.absent, "");
  double sum = 0.0;
  for (const HeadAttribution& head : found.heads) sum += head.total();
  EXPECT_NEAR(sum, trace->number(logits, prediction.row, prediction.word), 1e-4);
  for (int query = 0; query < prediction.row; ++query)
    EXPECT_EQ(found.heads.front().product(query, 0), 0.0) << "no other row is read";
}

std::string why_absent(const Request& request) {
  Engine engine;
  const SharedTrace trace = computed(engine, request);
  return attribution(*trace, {0, 0}).finish().absent;
}

TEST(Attribution, SaysWhyThereIsNone) {
  Request request = request_of_model("pronouns");
  EXPECT_EQ(why_absent(request), "");
  Request masked = request;
  masked.attention.mask.causal = true;
  EXPECT_NE(why_absent(masked).find("masks"), std::string::npos);
  Request sharper = request;
  sharper.attention.temperature = 0.5F;
  EXPECT_NE(why_absent(sharper).find("scale"), std::string::npos);
  Request changed = request;
  changed.interventions.heads = {{{Stack::encoder, {}, 0, 0}, 0.0F, Pattern::own}};
  EXPECT_NE(why_absent(changed).find("intervention"), std::string::npos);
  EXPECT_NE(why_absent(predicting_transformer(0)).find("untrained"), std::string::npos);
}

}  // namespace
}  // namespace headscope
