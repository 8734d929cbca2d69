#include "core/engine/part_effects.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "tests/unit/engine/transformers.h"

namespace headscope {
namespace {

constexpr StageId logits{StageKind::logits};
constexpr StageId probabilities{StageKind::probabilities};

/// A random model that predicts words, with some interventions.
Request predicting_request(std::uint64_t seed) {
  Request request = predicting_transformer(seed);
  request.architecture.logit_softcap = 0.0F;  // A capped logit is not a sum.
  Architecture& a = request.architecture;
  if (seed % 12 == 0) {
    a.positions = Positions::none;
    a.n_kv_heads.reset();
    a.kv_latent.reset();
    a.foreign.disentangled = Disentangled{.buckets = 6, .max_distance = 20};
    a.foreign.position_rows = 12;
  }
  if (seed % 4 == 0) request.interventions.heads = {{{a.last_stack(), {}, 0, 0}, 0.5F, Pattern::uniform}};
  // The stacks follow seed % 3, so each kind of model occurs with and without patches.
  constexpr std::array sites{StageKind::output, StageKind::residual, StageKind::projected};
  if (seed / 3 % 3 == 1)
    request.interventions.patches = {{{sites.at(seed / 9 % 3), a.last_stack(), a.n_layers - 1}, 1}};
  // Scaling twice is not scaling once.
  if (seed % 3 == 2) {
    request.interventions.patches.push_back(
        {{StageKind::output, a.last_stack()}, every_row, PatchSource::scaled, 2.0F});
    request.interventions.patches.push_back(
        {{StageKind::input, a.last_stack()}, 0, PatchSource::scaled, 3.0F});
  }
  return request;
}

double room_for_rounding(double number) {
  return 2e-4 * (1.0 + std::fabs(number));
}

/// A pass with a part of the model switched off by interventions. Empty if none can skip this layer: they can
/// only keep its sublayers from adding anything.
std::optional<Request> without(Request request, const Trace& trace, const ModelPart& part) {
  if (part.kind == ModelPart::Kind::head) {
    HeadChange change = change_of(request.interventions, part.place);
    change.scale = 0.0F;
    std::erase_if(request.interventions.patches,
                  [&](const Patch& patch) { return patch.stage == stage_in(part.place, StageKind::output); });
    request.interventions = with_change(request.interventions, change);
    return request;
  }
  const Architecture& a = request.architecture;
  const bool adds = a.residual && a.norm != Norm::post;
  if (part.kind == ModelPart::Kind::layer && !adds) return std::nullopt;
  for (const StageId& stage : written_by(trace.graph(), part)) {
    std::erase_if(request.interventions.patches, [&](const Patch& patch) { return patch.stage == stage; });
    request.interventions.patches.push_back({stage, every_row, PatchSource::zero});
  }
  if (part.kind == ModelPart::Kind::layer) {
    std::erase_if(request.interventions.patches, [&](const Patch& patch) {
      return patch.stage.kind == StageKind::residual && patch.stage.layer == part.place.layer;
    });
  }
  request.interventions = in_order(request.interventions);
  return request;
}

TEST(PartEffects, AreThoseOfAPassWithThePartOff) {
  Engine engine;
  std::array<int, 3> n_compared{};
  for (std::uint64_t seed = 0; seed < 36; ++seed) {
    Request request = predicting_request(seed);
    if (seed % 5 == 0) {
      request.max_bytes = 1;
      while (max_tokens(request) < 45) request.max_bytes += request.max_bytes / 16 + 1;
    }
    const SharedTrace trace = computed(engine, request);
    ASSERT_TRUE(trace);
    const Extent size = trace->extent(logits);
    const Prediction prediction{size.rows / 2, size.cols / 3};
    const PartEffects effects = part_effects(*trace, prediction).finish();
    EXPECT_NEAR(effects.logit, trace->number(logits, prediction.row, prediction.word), 1e-5);
    ASSERT_EQ(effects.parts.size(), parts_of(request.architecture).size());
    for (const PartEffect& effect : effects.parts) {
      const auto off = without(request, *trace, effect.part);
      if (!off) continue;
      const SharedTrace pass = computed(engine, *off);
      ASSERT_TRUE(pass);
      const double logit = pass->number(logits, prediction.row, prediction.word);
      EXPECT_NEAR(effect.logit, logit, room_for_rounding(logit)) << seed;
      EXPECT_NEAR(effect.probability, pass->number(probabilities, prediction.row, prediction.word), 1e-4);
      ++n_compared.at(static_cast<std::size_t>(effect.part.kind));
    }
  }
  for (const int n : n_compared) EXPECT_GT(n, 20);
}

/// Without its last layer, a model predicts what the logit lens says of the layer before.
TEST(PartEffects, OfTheLastLayerAreThoseOfTheLogitLens) {
  Engine engine;
  int n_compared = 0;
  for (std::uint64_t seed = 0; seed < 36; ++seed) {
    Request request = predicting_request(seed);
    request.interventions = {};
    const Architecture& a = request.architecture;
    if (a.n_layers < 2) continue;
    const SharedTrace trace = computed(engine, request);
    const Prediction prediction{trace->extent(logits).rows - 1, 0};
    const PartEffects effects = part_effects(*trace, prediction).finish();
    EXPECT_EQ(effects.parts.back().part.kind, ModelPart::Kind::layer);
    const LayerGuess before = logit_lens(*trace, prediction)[static_cast<std::size_t>(a.n_layers) - 2];
    EXPECT_NEAR(effects.parts.back().probability, before.probability, 1e-5) << seed;
    ++n_compared;
  }
  EXPECT_GT(n_compared, 10);
}

TEST(PartEffects, AreComputedPartByPartUntilTheyAreNotWanted) {
  Engine engine;
  const SharedTrace trace = computed(engine, predicting_request(1));
  ASSERT_TRUE(trace);
  std::atomic<bool> stop{false};
  auto computing = part_effects(*trace, {}, &stop);
  std::size_t n_slices = 0;
  for (double share = 0.0; computing.next(); share = computing.share(), ++n_slices)
    EXPECT_GT(computing.share(), share);
  EXPECT_EQ(computing.share(), 1.0);
  EXPECT_EQ(computing.take().parts.size(), n_slices);
  stop = true;
  EXPECT_TRUE(part_effects(*trace, {}, &stop).finish().parts.empty());
}

TEST(DirectParts, AddUpToTheLogit) {
  Engine engine;
  int n_compared = 0;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const Request request = predicting_request(seed);
    const SharedTrace trace = computed(engine, request);
    ASSERT_TRUE(trace);
    const Extent size = trace->extent(logits);
    const Prediction prediction{size.rows - 1, size.cols / 2};
    const DirectParts direct = direct_parts(*trace, prediction);
    const Architecture& a = request.architecture;
    EXPECT_EQ(direct.absent.empty(), a.residual && a.norms_allow_parallel()) << direct.absent;
    if (!direct.absent.empty()) continue;
    ++n_compared;
    double sum = 0.0;
    for (const DirectPart& part : direct.parts) sum += part.logit;
    const double logit = trace->number(logits, prediction.row, prediction.word);
    EXPECT_NEAR(direct.total, logit, room_for_rounding(logit));
    EXPECT_NEAR(sum, direct.total, 1e-9);
  }
  EXPECT_GT(n_compared, 10);
}

TEST(DirectParts, OfAHeadThatIsOffIsZero) {
  Engine engine;
  Request request = predicting_request(1);
  request.architecture.norm = Norm::pre;
  request.architecture.residual = true;
  const HeadId head{request.architecture.last_stack(), {}, request.architecture.n_layers - 1, 0};
  request.interventions.heads = {{head, 0.0F, Pattern::own}};
  const SharedTrace trace = computed(engine, request);
  ASSERT_TRUE(trace);
  const DirectParts direct = direct_parts(*trace, {});
  const auto part = std::ranges::find_if(direct.parts, [&](const DirectPart& each) {
    return each.kind == DirectPart::Kind::head && each.place == head;
  });
  ASSERT_NE(part, direct.parts.end());
  EXPECT_EQ(part->logit, 0.0);
}

TEST(DirectParts, OfAHeadComeFromTheKeysThatItReads) {
  Engine engine;
  int n_split = 0;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const Request request = predicting_request(seed);
    const SharedTrace trace = computed(engine, request);
    ASSERT_TRUE(trace);
    const Extent size = trace->extent(logits);
    const Prediction prediction{size.rows / 2, size.cols / 3};
    const DirectParts direct = direct_parts(*trace, prediction);
    for (const DirectPart& part : direct.parts) {
      if (part.kind != DirectPart::Kind::head) continue;
      const std::vector<double> sources = direct_sources(*trace, prediction, part.place);
      const bool is_replaced =
          trace->edits() != nullptr &&
          trace->edits()->of(stage_in(part.place, StageKind::output), prediction.row) != nullptr;
      if (request.architecture.linear_attention || is_replaced) {
        EXPECT_TRUE(sources.empty());
        continue;
      }
      const StageId weights{StageKind::weights, part.place.stack, part.place.layer, part.place.attention,
                            part.place.head};
      ASSERT_EQ(sources.size(), static_cast<std::size_t>(trace->extent(weights).cols));
      double sum = 0.0;
      for (std::size_t key = 0; key < sources.size(); ++key) {
        sum += sources[key];
        if (trace->number(weights, prediction.row, static_cast<int>(key)) == 0.0F) {
          EXPECT_EQ(sources[key], 0.0);
        }
      }
      EXPECT_NEAR(sum, part.logit, room_for_rounding(part.logit)) << "seed " << seed;
      ++n_split;
    }
    if (direct.parts.empty()) {
      EXPECT_TRUE(direct_sources(*trace, prediction, {}).empty());
    }
  }
  EXPECT_GT(n_split, 40);
}

TEST(LogitLens, OfTheLastLayerIsThePrediction) {
  Engine engine;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const SharedTrace trace = computed(engine, predicting_request(seed));
    ASSERT_TRUE(trace);
    const Prediction prediction{1, 1};
    const std::vector<LayerGuess> guesses = logit_lens(*trace, prediction);
    ASSERT_EQ(static_cast<int>(guesses.size()), trace->architecture().n_layers);
    EXPECT_NEAR(guesses.back().probability, trace->number(probabilities, 1, 1), 1e-5);
    EXPECT_NEAR(guesses.back().best_probability, trace->number(probabilities, 1, guesses.back().best), 1e-5);
  }
}

}  // namespace
}  // namespace headscope
