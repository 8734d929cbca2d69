#include "core/model/interventions.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "core/engine/make_pass_edits.h"
#include "core/enum_count.h"
#include "core/model/graph.h"
#include "core/model/pass_edits.h"
#include "core/session/action.h"
#include "core/session/placed.h"
#include "core/session/presets.h"
#include "core/session/repair.h"
#include "core/text/number_text.h"
#include "core/trace/explain.h"
#include "core/trace/number_source.h"
#include "core/trace/place_text.h"
#include "tests/unit/engine/random_given.h"
#include "tests/unit/engine/transformers.h"
#include "tests/unit/model/gemma_stages.h"

namespace headscope {
namespace {

StageId model_output_of(const Trace& trace) {
  return {StageKind::stack_output, trace.architecture().last_stack()};
}

constexpr double near_enough = 1e-5;

HeadId first_head(const Request& request, int head = 0) {
  return {request.architecture.first_stack(), AttentionKind::self, 0, head};
}

std::vector<float> all_of(const Trace& trace, const StageId& id) {
  return numbers(trace.value(id));
}

Request with(Request request, const HeadChange& change) {
  request.interventions = with_change(request.interventions, change);
  return request;
}

/// Random interventions that take nothing from another pass.
Interventions random_interventions(RandomStream& random, const Request& request) {
  const Architecture& a = request.architecture;
  Interventions all;
  const auto head = [&] {
    HeadId place{a.has(Stack::encoder) && pick(random, 0, 1) == 0 ? Stack::encoder : a.last_stack(),
                 AttentionKind::self, pick(random, 0, a.n_layers - 1), pick(random, 0, a.n_heads - 1)};
    if (a.has_cross() && pick(random, 0, 2) == 0) {
      place.stack = Stack::decoder;
      place.attention = AttentionKind::cross;
    }
    return place;
  };
  for (int i = pick(random, 0, 2); i > 0; --i) {
    all.heads.push_back({head(), random.uniform(0.0F, max_head_scale),
                         pick(random, 0, 1) == 0 ? Pattern::own : Pattern::uniform});
  }
  for (int i = pick(random, 0, 4); i > 0; --i)
    all.weights.push_back({head(), {pick(random, 0, 8), pick(random, 0, 8)}, random.uniform(0.0F, 1.0F)});
  for (int i = pick(random, 0, 3); i > 0; --i) {
    StageKind kind = StageKind::query;
    do {
      kind = static_cast<StageKind>(pick(random, 0, static_cast<int>(enum_count<StageKind>) - 1));
    } while (!can_be_patched(kind));
    all.patches.push_back({stage_in(head(), kind), pick(random, every_row, 8)});
    // A mean is only taken of a stage that the model has.
    const bool has = Graph(a, request.attention).has(all.patches.back().stage);
    constexpr std::array sources{PatchSource::zero, PatchSource::scaled, PatchSource::mean};
    all.patches.back().source = sources.at(static_cast<std::size_t>(pick(random, 0, has ? 2 : 1)));
    if (all.patches.back().source == PatchSource::scaled)
      all.patches.back().factor = random.uniform(-2.0F, 2.0F);
  }
  if (!a.has_cross()) all.mean_over = "some other words\n\na second text of other words";
  return in_order(all);
}

TEST(Interventions, ThatChangeNothingChangeNothing) {
  Engine engine;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Request request = random_transformer(seed, Stacks::encoder_decoder);
    const SharedTrace plain = computed(engine, request);
    // The weights of a row are given unchanged.
    const StageId weights = stage_in(first_head(request), StageKind::weights);
    request.interventions.heads = {{first_head(request), 1.0F, Pattern::own}};
    const SharedTrace same = computed(engine, request);
    ASSERT_TRUE(plain && same);
    for (const StageId& id : plain->stages())
      EXPECT_TRUE(same_bits(all_of(*plain, id), all_of(*same, id))) << path(id);
    const MatrixView map = plain->value(weights);
    for (int col = 0; col < map.cols; ++col) {
      request.interventions =
          with_weight(request.interventions, {first_head(request), {1, col}, map(1, col)});
    }
    const SharedTrace given = computed(engine, request);
    ASSERT_TRUE(given);
    const StageId last = model_output_of(*plain);
    const std::vector<float> before = all_of(*plain, last);
    const std::vector<float> after = all_of(*given, last);
    for (std::size_t i = 0; i < before.size(); ++i)
      EXPECT_NEAR(before[i], after[i], 1e-4 * (1.0 + std::fabs(static_cast<double>(before[i]))));
  }
}

TEST(Interventions, AHeadThatIsOffIsAHeadWhoseRowsOfTheOutputProjectionAreZero) {
  Engine engine;
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    const Request request = random_request(seed);
    if (!request.architecture.output_projection) continue;
    const SharedTrace plain = computed(engine, request);
    const SharedTrace off = computed(engine, with(request, {first_head(request), 0.0F, Pattern::own}));
    ASSERT_TRUE(plain && off);
    const MatrixView with_all = stage(*plain, StageKind::projected);
    const MatrixView without = stage(*off, StageKind::projected);
    const MatrixView added = stage(*plain, StageKind::contribution);
    for (int row = 0; row < with_all.rows; ++row) {
      for (int col = 0; col < with_all.cols; ++col)
        EXPECT_NEAR(without(row, col), with_all(row, col) - added(row, col),
                    5 * near_enough * (1.0 + std::fabs(static_cast<double>(with_all(row, col)))));
    }
  }
}

TEST(Interventions, AUniformHeadLooksAtAllThatItSeesAlike) {
  Engine engine;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const Request request = random_request(seed);
    const SharedTrace uniform =
        computed(engine, with(request, {first_head(request), 1.0F, Pattern::uniform}));
    ASSERT_TRUE(uniform);
    const MatrixView weights = stage(*uniform, StageKind::weights);
    const CombinedMask& mask = uniform->mask(StageId{StageKind::weights});
    for (int row = 0; row < weights.rows; ++row) {
      int n_visible = 0;
      for (int col = 0; col < weights.cols; ++col) n_visible += mask.is_visible(0, row, col) ? 1 : 0;
      for (int col = 0; col < weights.cols; ++col) {
        const float share = mask.is_visible(0, row, col) ? 1.0F / static_cast<float>(n_visible) : 0.0F;
        EXPECT_EQ(weights(row, col), share) << row << ' ' << col;
      }
    }
  }
}

TEST(Interventions, AGivenWeightLeavesTheOthersTheirProportions) {
  Engine engine;
  Request request = random_request(3);
  request.attention.mask = {};
  request.sentence = words(6);
  const SharedTrace plain = computed(engine, request);
  request.interventions.weights = {{first_head(request), {2, 1}, 0.7F}};
  const SharedTrace given = computed(engine, request);
  ASSERT_TRUE(plain && given);
  const MatrixView own = stage(*plain, StageKind::weights);
  const MatrixView now = stage(*given, StageKind::weights);
  EXPECT_FLOAT_EQ(now(2, 1), 0.7F);
  for (int col : {0, 2, 3, 4, 5})
    EXPECT_NEAR(now(2, col), own(2, col) * 0.3F / (1.0F - own(2, 1)), near_enough);
  for (int col = 0; col < 6; ++col) EXPECT_EQ(now(3, col), own(3, col));
}

/// The pass of a request with these weights given.
SharedTrace with_given_weights(Engine& engine, Request request, std::vector<GivenWeight> given) {
  request.interventions.weights = std::move(given);
  return computed(engine, request);
}

Request causal_attention() {
  Request request = request_for("a b c d", 8, 2);
  request.attention.mask.causal = true;
  return request;
}

Explanation weight_explained(const Trace& trace, int row, int col) {
  const auto sheet = explain(trace, {.kind = StageKind::weights}, row, col);
  EXPECT_TRUE(sheet);
  return sheet ? *sheet : Explanation{};
}

TEST(Interventions, AWeightThatTheMaskHidesIsNotUsedAndSaidToBeHidden) {
  Engine engine;
  const Request request = causal_attention();
  const SharedTrace plain = computed(engine, request);
  const SharedTrace given = with_given_weights(engine, request, {{first_head(request), {1, 3}, 0.7F}});
  EXPECT_TRUE(same_bits(all_of(*plain, StageId{.kind = StageKind::weights}),
                        all_of(*given, StageId{.kind = StageKind::weights})));
  const Explanation sheet = weight_explained(*given, 1, 3);
  EXPECT_EQ(sheet.stored, 0.0);
  EXPECT_EQ(
      sheet.steps.back().note,
      "the mask hides this cell (causal: key 3 comes after query 1), so the weight given here is not used");
  EXPECT_NE(sheet.formula.find("1 weight given, which the mask hides"), std::string::npos) << sheet.formula;
  EXPECT_NE(
      weight_explained(*given, 1, 0).steps.back().note.find("not used, because the mask hides its cell"),
      std::string::npos);
  EXPECT_EQ(interventions_text(*given), "layer 0, head 0 with 1 weight given, which the mask hides");
  EXPECT_EQ(head_badge(*given, first_head(request)), "given weights, hidden");
  Request seen = request;
  seen.attention.mask = {};
  const SharedTrace shown = with_given_weights(engine, seen, {{first_head(request), {1, 3}, 0.7F}});
  EXPECT_FLOAT_EQ(stage(*shown, StageKind::weights)(1, 3), 0.7F) << "it is used as soon as the mask is off";
}

TEST(Interventions, WeightsThatAreScaledSayBothNumbersAndWhy) {
  Engine engine;
  const Request request = causal_attention();
  const HeadId head = first_head(request);
  const auto says = [](const Trace& trace, int row, int col, double given, double becomes,
                       const std::string& why) {
    const Explanation sheet = weight_explained(trace, row, col);
    const auto step = std::ranges::find(sheet.steps, "given", &Explanation::Step::label);
    ASSERT_NE(step, sheet.steps.end());
    EXPECT_FLOAT_EQ(static_cast<float>(step->value), static_cast<float>(given));
    EXPECT_NEAR(sheet.stored, becomes, 1e-4);
    EXPECT_EQ(sheet.steps.back().note, why);
  };
  const SharedTrace alone = with_given_weights(engine, request, {{head, {0, 0}, 0.7F}});
  says(*alone, 0, 0, 0.7, 1.0,
       "no other key of the row has any weight, so the given weight is scaled to the sum of the row: 1");
  EXPECT_EQ(interventions_text(*alone), "layer 0, head 0 with 1 weight given, where 0.7 becomes 1");
  const SharedTrace all = with_given_weights(engine, request, {{head, {1, 0}, 0.7F}, {head, {1, 1}, 0.2F}});
  says(
      *all, 1, 0, 0.7, 0.7778,
      "no other key of the row has any weight, so the given weights, 0.9 in all, are scaled to the sum of the row: 1");
  EXPECT_EQ(interventions_text(*all),
            "layer 0, head 0 with 2 weights given, where 0.7 becomes 0.7778, 0.2 becomes 0.2222");
  const SharedTrace much = with_given_weights(engine, request, {{head, {2, 0}, 0.9F}, {head, {2, 1}, 0.6F}});
  says(*much, 2, 0, 0.9, 0.6,
       "the given weights, 1.5 in all, exceed the sum of the row and are scaled to it: 1");
  EXPECT_EQ(weight_explained(*much, 2, 2).steps.back().note,
            "the given weights take up the whole sum of the row");
  const SharedTrace fits = with_given_weights(engine, request, {{head, {2, 0}, 0.25F}});
  says(*fits, 2, 0, 0.25, 0.25, "an intervention gives this weight");
  EXPECT_EQ(interventions_text(*fits), "layer 0, head 0 with 1 weight given");

  Request with_sinks = request;
  with_sinks.architecture.sinks = true;
  const SharedTrace sinks = with_given_weights(engine, with_sinks, {{head, {0, 0}, 0.9F}});
  const double total = 1.0 - sink_share(*sinks, StageId{.kind = StageKind::weights}, 0);
  says(*sinks, 0, 0, 0.9, total,
       "no other key of the row has any weight, so the given weight is scaled to the sum of the row: " +
           number_text(total) + ", what the sink leaves of 1");
}

TEST(Interventions, AUniformHeadSaysWhatTheSinkLeavesIt) {
  Engine engine;
  Request request = causal_attention();
  request.attention.mask = {};
  request.architecture.sinks = true;
  const SharedTrace trace = computed(engine, with(request, {first_head(request), 1.0F, Pattern::uniform}));
  const double left = 1.0 - sink_share(*trace, StageId{.kind = StageKind::weights}, 1);
  EXPECT_LT(left, 1.0);
  const Explanation sheet = weight_explained(*trace, 1, 2);
  EXPECT_NEAR(sheet.stored, left / 4.0, 1e-6);
  EXPECT_EQ(sheet.formula, "(1 − share of the sink) / number of visible keys (intervention)");
  const auto shared = std::ranges::find(sheet.steps, "1 − share of the sink", &Explanation::Step::label);
  const auto keys = std::ranges::find(sheet.steps, "visible keys", &Explanation::Step::label);
  ASSERT_TRUE(shared != sheet.steps.end() && keys != sheet.steps.end()) << to_text(sheet);
  EXPECT_NEAR(shared->value, left, 1e-6);
  EXPECT_EQ(keys->value, 4.0);
  request.architecture.sinks = false;
  const SharedTrace whole = computed(engine, with(request, {first_head(request), 1.0F, Pattern::uniform}));
  EXPECT_EQ(weight_explained(*whole, 1, 2).formula, "1 / number of visible keys (intervention)");
}

TEST(Interventions, RowsWithoutACounterpartSayThatTheyAreTheirOwn) {
  Engine engine;
  Request request = request_for("a new b c", 8, 2);
  Request donor = request_for("a b c", 8, 2);
  request.donor = {donor};
  const SharedTrace own = computed(engine, request);
  const SharedTrace trace = computed(engine, with(request, {first_head(request), 1.0F, Pattern::compared}));
  const MatrixView before = stage(*own, StageKind::weights);
  const MatrixView after = stage(*trace, StageKind::weights);
  for (int col = 0; col < 4; ++col) EXPECT_EQ(before(1, col), after(1, col)) << "“new” is only here";
  EXPECT_EQ(weight_explained(*trace, 1, 0).steps.back().note,
            "the held text has no such word here, so the row keeps the weights of its own scores");
  EXPECT_EQ(weight_explained(*trace, 2, 0).steps.back().note,
            "an intervention takes this row from the held pass");
  EXPECT_EQ(
      weight_explained(*trace, 2, 0).formula,
      "the held pass's weights in the 3 rows whose word, or another in its place, is in the held text, softmax(scores) over keys in the others (intervention)");
  EXPECT_EQ(interventions_text(*trace), "layer 0, head 0 with the held pass's weights in 3 of 4 rows");
  EXPECT_EQ(head_badge(*trace, first_head(request)), "partly as in A");

  // A word in the place of a held word takes over its row.
  request.donor = {request_for("a old b c", 8, 2)};
  const SharedTrace replaced =
      computed(engine, with(request, {first_head(request), 1.0F, Pattern::compared}));
  EXPECT_EQ(interventions_text(*replaced), "layer 0, head 0 with the held pass's weights");
}

/// A model in which every site of an intervention exists.
Request latent_between_norms() {
  Request request = request_for("a b c d e", 12, 2);
  request.target = "x y z";
  Architecture& a = request.architecture;
  a.stacks = Stacks::encoder_decoder;
  a.n_layers = 2;
  a.norm = Norm::both;
  a.norm_kind = NormKind::rms;
  a.residual = true;
  a.d_ff = 10;
  a.kv_latent = 5;
  return request;
}

std::vector<double> rms_normed(std::span<const float> row, std::span<const float> gain, double epsilon) {
  double squares = 0.0;
  for (const float x : row) squares += static_cast<double>(x) * static_cast<double>(x);
  const double root = std::sqrt(squares / static_cast<double>(row.size()) + epsilon);
  std::vector<double> normed;
  for (std::size_t i = 0; i < row.size(); ++i)
    normed.push_back(static_cast<double>(row[i]) / root * static_cast<double>(gain[i]));
  return normed;
}

TEST(Interventions, ReachWhatIsComputedFromLatentsAndNormalisedOutputs) {
  Engine engine;
  const Request plain = latent_between_norms();
  const SharedTrace before = computed(engine, plain);
  const auto epsilon = static_cast<double>(plain.architecture.norm_epsilon);
  const std::array<StageId, 4> replaced{
      StageId{StageKind::latent, Stack::decoder, 1, AttentionKind::cross},
      StageId{StageKind::output_norm, Stack::encoder, 0, AttentionKind::self},
      StageId{StageKind::output_norm, Stack::decoder, 1, AttentionKind::cross},
      StageId{.kind = StageKind::feed_forward_output_norm, .stack = Stack::decoder, .layer = 0}};
  for (const StageId& id : replaced) {
    // First a row of the stage is set to 0, then all of its rows are given.
    for (const bool is_given : {false, true}) {
      Request request = plain;
      const Extent size = before->extent(id);
      OwnedMatrix matrix(size.rows, size.cols);
      for (std::size_t i = 0; i < matrix.values.size(); ++i)
        matrix.values[i] = 0.1F * static_cast<float>(i % 7) - 0.2F;
      if (is_given) {
        give(request, path(id), matrix);
      } else {
        request.interventions.patches = {{id, 1, PatchSource::zero}};
      }
      const SharedTrace trace = computed(engine, request);
      const MatrixView now = trace->value(id);
      const MatrixView was = before->value(id);
      for (int row = 0; row < size.rows; ++row) {
        for (int col = 0; col < size.cols; ++col) {
          const float expected = is_given ? matrix.at(row, col) : row == 1 ? 0.0F : was(row, col);
          EXPECT_EQ(now(row, col), expected) << path(id) << ' ' << row << ' ' << col;
        }
      }
      const bool is_latent = id.kind == StageKind::latent;
      const StageId next = is_latent ? with_kind(id, StageKind::normed_latent)
                           : id.kind == StageKind::output_norm
                               ? with_kind(id, StageKind::residual)
                               : with_kind(id, StageKind::feed_forward_residual);
      const MatrixView result = trace->value(next);
      const MatrixView entered = is_latent ? MatrixView{} : trace->value(inputs_of(*trace, next).front());
      for (int row = 0; row < size.rows; ++row) {
        std::vector<double> expected(static_cast<std::size_t>(size.cols));
        if (is_latent)
          expected = rms_normed(now.row(row), trace->value(with_kind(id, StageKind::latent_norm_gain)).row(0),
                                epsilon);
        for (int col = 0; col < size.cols; ++col) {
          const double sum =
              is_latent ? expected[static_cast<std::size_t>(col)]
                        : static_cast<double>(entered(row, col)) + static_cast<double>(now(row, col));
          EXPECT_NEAR(result(row, col), sum, 1e-5) << path(next) << ' ' << row << ' ' << col;
        }
      }
      const StageId behind = is_latent ? with_kind(id, StageKind::w_latent)
                             : id.kind == StageKind::output_norm
                                 ? with_kind(id, StageKind::projected)
                                 : with_kind(id, StageKind::feed_forward_output);
      EXPECT_EQ(trace->uses(behind), !is_given) << path(behind);
      const Explanation sheet = *explain(*trace, id, 1, 2);
      EXPECT_NE(sheet.steps.back().note.find(is_given ? "given by hand" : "an intervention replaces the row"),
                std::string::npos)
          << to_text(sheet);
      EXPECT_NE(all_of(*trace, model_output_of(*trace)), all_of(*before, model_output_of(*before)))
          << path(id);
    }
  }
}

TEST(Interventions, ReplaceRowsOfAProjectedOutputThatIsNoProjection) {
  Engine engine;
  for (const bool gates : {false, true}) {
    Request request = request_for("a b c", 8, 2);
    request.architecture.output_projection = false;
    request.architecture.output_gate = gates;
    const SharedTrace plain = computed(engine, request);
    const StageId projected{.kind = StageKind::projected};
    const StageId concat{.kind = StageKind::concat};
    request.interventions.patches = {{projected, 1, PatchSource::zero}};
    const SharedTrace patched = computed(engine, request);
    EXPECT_TRUE(same_bits(all_of(*plain, concat), all_of(*patched, concat))) << "the heads stay as they are";
    const MatrixView before = plain->value(projected);
    const MatrixView after = patched->value(projected);
    const MatrixView output = patched->value(model_output_of(*patched));
    for (int row = 0; row < 3; ++row) {
      for (int col = 0; col < 8; ++col) {
        EXPECT_EQ(after(row, col), row == 1 ? 0.0F : before(row, col));
        EXPECT_EQ(output(row, col), after(row, col));
      }
    }
  }
}

TEST(Interventions, AreTakenExactlyWhereTheModelHasTheStage) {
  Engine engine;
  int n_taken = 0;
  int n_refused = 0;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    Request request = random_transformer(seed, static_cast<Stacks>(seed % 4));
    request.architecture.output_projection = seed % 5 > 0;
    if (!validate(request.architecture)) continue;
    const SharedTrace trace = computed(engine, request);
    Session session;
    session.sentence = request.sentence;
    session.target = request.target;
    session.architecture = request.architecture;
    for (const StageInfo& line : all_stage_kinds()) {
      for (const Stack stack : {Stack::encoder, Stack::decoder}) {
        for (const AttentionKind attention : {AttentionKind::self, AttentionKind::cross}) {
          const StageId id = normalized({line.kind, stack, 0, attention, 0});
          if (!can_be_patched(id.kind)) continue;
          session.interventions.patches = {{id, 0, PatchSource::zero}};
          const Result<void> checked = check_interventions(session);
          EXPECT_EQ(checked.has_value(), trace->has(id)) << path(id) << " seed " << seed;
          EXPECT_EQ(valid_interventions(session).patches.size(), trace->has(id) ? 1U : 0U) << path(id);
          if (!checked) {
            EXPECT_EQ(checked.error().message, "--patch: " + path(id) + ": " + trace->why_absent(id));
          }
          ++(checked ? n_taken : n_refused);
        }
      }
    }
  }
  EXPECT_GT(n_taken, 400);
  EXPECT_GT(n_refused, 100);
}

TEST(Interventions, NeverShowAQueryWhatTheMaskHides) {
  Engine engine;
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    Request request = random_request(seed);
    request.attention.mask.causal = true;
    Request donor = request;
    donor.attention.mask = {};
    donor.architecture.seed += 1;
    request.donor = {donor};
    request.interventions.heads = {{first_head(request), 1.0F, Pattern::compared}};
    request.interventions.weights = {{first_head(request), {0, 1}, 0.5F}};
    const SharedTrace trace = computed(engine, request);
    ASSERT_TRUE(trace);
    const MatrixView weights = stage(*trace, StageKind::weights);
    const CombinedMask& mask = trace->mask(StageId{StageKind::weights});
    for (int row = 0; row < weights.rows; ++row) {
      double sum = 0.0;
      bool sees = false;
      for (int col = 0; col < weights.cols; ++col) {
        if (!mask.is_visible(0, row, col)) {
          EXPECT_EQ(weights(row, col), 0.0F);
        }
        sees = sees || mask.is_visible(0, row, col);
        sum += static_cast<double>(weights(row, col));
      }
      EXPECT_NEAR(sum, sees ? 1.0 : 0.0, near_enough);
    }
  }
}

TEST(Interventions, FrozenWeightsAreThoseOfTheOtherPass) {
  Engine engine;
  for (const Stacks stacks : {Stacks::encoder, Stacks::encoder_decoder}) {
    Request request = random_transformer(5, stacks);
    Request donor = request;
    donor.sentence = with_word(request.sentence, 1, "other");
    request.donor = {donor};
    const HeadId place{request.architecture.last_stack(),
                       request.architecture.has_cross() ? AttentionKind::cross : AttentionKind::self,
                       request.architecture.n_layers - 1, 0};
    request.interventions.heads = {{place, 1.0F, Pattern::compared}};
    const SharedTrace frozen = computed(engine, request);
    const SharedTrace other = computed(engine, donor);
    ASSERT_TRUE(frozen && other);
    const std::vector<float> mine = all_of(*frozen, stage_in(place, StageKind::weights));
    const std::vector<float> theirs = all_of(*other, stage_in(place, StageKind::weights));
    ASSERT_EQ(mine.size(), theirs.size());
    for (std::size_t i = 0; i < mine.size(); ++i) EXPECT_NEAR(mine[i], theirs[i], 1e-6);
  }
}

TEST(Interventions, PatchingEverythingGivesTheOtherOutput) {
  Engine engine;
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    Request request = random_transformer(seed, Stacks::encoder);
    request.architecture.output_layer = OutputLayer::none;
    Request donor = request;
    const int n = n_words(request.sentence);
    for (int token = 0; token < n; token += 2)
      donor.sentence = with_word(donor.sentence, token, "other" + std::to_string(token));
    const SharedTrace other = computed(engine, donor);
    request.donor = {donor};
    const Architecture& a = request.architecture;
    std::vector<StageId> sites{{StageKind::input}};
    if (a.norm == Norm::post)
      sites.push_back({.kind = StageKind::feed_forward_normed, .layer = a.n_layers - 1});
    if (a.residual && a.norm != Norm::post)
      sites.push_back({.kind = StageKind::feed_forward_residual, .layer = a.n_layers - 1});
    for (const StageId& site : sites) {
      request.interventions.patches.clear();
      for (int row = 0; row < n; ++row)
        request.interventions.patches.push_back({site, row, PatchSource::compared});
      const SharedTrace patched = computed(engine, request);
      ASSERT_TRUE(patched && other);
      const StageId last = model_output_of(*patched);
      EXPECT_TRUE(same_bits(all_of(*patched, last), all_of(*other, last)));
    }
  }
}

TEST(Interventions, EveryCellIsExplainedAsItIsStored) {
  Engine engine;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    RandomStream random(seed, "interventions");
    Request request = random_transformer(seed, static_cast<Stacks>(seed % 3));
    if (pick(random, 0, 2) == 0) request.attention.mask.causal = true;
    if (pick(random, 0, 4) == 0) request.attention.softmax = SoftmaxAxis::queries;
    request.attention.train = pick(random, 0, 4) == 0;
    if (pick(random, 0, 2) == 0) give_random_numbers(random, *computed(engine, request), request);
    request.interventions = random_interventions(random, request);
    const SharedTrace trace = computed(engine, request);
    ASSERT_TRUE(trace);
    for (const StageId& id : trace->stages()) {
      const Extent size = trace->extent(id);
      if (size.rows == 0 || size.cols == 0) continue;
      const int row = pick(random, 0, std::min(size.rows - 1, 8));
      const int col = pick(random, 0, size.cols - 1);
      const auto sheet = explain(*trace, id, row, col);
      ASSERT_TRUE(sheet) << path(id);
      if (std::isinf(sheet->stored)) continue;
      EXPECT_NEAR(sheet->value, sheet->stored, 1e-4 * (1.0 + std::fabs(sheet->stored)))
          << path(id) << ' ' << row << ' ' << col << '\n'
          << to_text(*sheet);
    }
  }
}

TEST(Interventions, AreTheSameWhateverAPassKeeps) {
  Engine engine;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    RandomStream random(seed, "kept");
    Request request = random_transformer(seed, static_cast<Stacks>(seed % 3));
    request.sentence = words(150);
    if (pick(random, 0, 2) == 0) give_random_numbers(random, *computed(engine, request), request);
    request.interventions = random_interventions(random, request);
    const SharedTrace whole = computed(engine, request);
    Request frugal = request;
    frugal.max_bytes = 1;
    while (max_tokens(frugal) < 150) frugal.max_bytes += frugal.max_bytes / 16 + 1;
    const SharedTrace little = computed(engine, frugal);
    ASSERT_TRUE(whole && little);
    EXPECT_NE(little->kept().shape.kept, Retention::everything);
    for (const StageId& id : whole->stages())
      EXPECT_TRUE(same_bits(all_of(*whole, id), all_of(*little, id))) << path(id);
  }
}

/// The kinds of stages that can be patched, wherever the last stack of a pass has them.
std::vector<StageId> patchable_stages(const Trace& trace) {
  std::vector<StageId> stages;
  for (const StageId& id : trace.stages()) {
    const bool is_in_last =
        info(id.kind).scope == StageScope::model || id.stack == trace.architecture().last_stack();
    if (can_be_patched(id.kind) && is_in_last && canonical(trace.architecture(), id) == id)
      stages.push_back(id);
  }
  return stages;
}

bool predicts(const Architecture& a) {
  return a.output_layer != OutputLayer::none;
}

TEST(Interventions, ReplaceAndScaleRowsOfEveryStageThatIsComputedFromTokens) {
  Engine engine;
  std::array<int, enum_count<StageKind>> n_of_kind{};
  for (std::uint64_t seed = 0; seed < 120; ++seed) {
    RandomStream random(seed, "replaced rows");
    Request request = random_transformer(seed, static_cast<Stacks>(seed % 4));
    if (!validate(request.architecture)) continue;
    Architecture linear = request.architecture;
    linear.linear_attention = true;
    if (seed % 3 == 0 && validate(linear)) request.architecture = linear;
    if (seed % 5 == 0 && request.architecture.d_ff > 0) {
      request.architecture.foreign.experts = Experts{3, 2, 4, false, 5};
      request.architecture.d_ff = request.architecture.foreign.experts->hidden();
    }
    if (seed % 5 == 1) request.architecture.foreign.query_latent = 5;
    if (seed % 5 == 2) request.architecture.foreign.gate_limit = 4.0F;
    const SharedTrace plain = computed(engine, request);
    ASSERT_TRUE(plain);
    for (const StageId& id : patchable_stages(*plain)) {
      if (pick(random, 0, 2) > 0) continue;
      const std::vector<float> before = all_of(*plain, id);
      const Extent size = plain->extent(id);
      const float factor = -1.5F;
      request.interventions.patches = {{id, every_row, PatchSource::scaled, factor},
                                       {id, size.rows - 1, PatchSource::zero}};
      const SharedTrace patched = computed(engine, request);
      ASSERT_TRUE(patched) << path(id);
      const std::vector<float> after = all_of(*patched, id);
      const auto width = static_cast<std::size_t>(size.cols);
      for (std::size_t i = 0; i < after.size(); ++i) {
        const bool is_last = i / width + 1 == static_cast<std::size_t>(size.rows);
        EXPECT_EQ(after[i], is_last ? 0.0F : before[i] * factor) << path(id) << ' ' << i;
      }
      const bool is_last_stage = id.kind == StageKind::stack_output && !predicts(request.architecture);
      const StageId end =
          predicts(request.architecture) ? StageId{.kind = StageKind::logits} : model_output_of(*plain);
      // A norm of a few numbers may always give the same.
      const bool is_wide = request.architecture.d_model >= 8;
      if (is_wide && !is_last_stage && std::ranges::any_of(before, [](float x) { return x != 0.0F; })) {
        EXPECT_FALSE(same_bits(all_of(*plain, end), all_of(*patched, end)))
            << path(id) << " reaches the end, seed " << seed;
      }
      ++n_of_kind.at(index_of(id.kind));
    }
  }
  // What only models of other programs have, beside experts: segments, what prepares the input, and what
  // transforms the output.
  constexpr std::array foreign{
      StageKind::segments,         StageKind::embedding_sum,       StageKind::embedding_sum_normed,
      StageKind::transform_hidden, StageKind::transform_activated, StageKind::transform_output};
  for (const StageInfo& shape : all_stage_kinds()) {
    const bool is_foreign = is_of_gemma(shape) || std::ranges::find(foreign, shape.kind) != foreign.end();
    if (can_be_patched(shape.kind) && !is_foreign) {
      EXPECT_GT(n_of_kind.at(index_of(shape.kind)), 0) << shape.name;
    }
  }
}

TEST(Interventions, TakeMeansOverTheTokensOfTexts) {
  Engine engine;
  const std::vector<std::string> texts{"one two three", "four", "two five six seven"};
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    Request request = random_transformer(seed, Stacks::decoder);
    request.architecture.output_layer = OutputLayer::none;
    request.sentence = "one eight two";
    request.attention.mask = {};
    const SharedTrace plain = computed(engine, request);
    ASSERT_TRUE(plain);
    std::vector<SharedTrace> passes;
    std::string lines;
    for (const std::string& text : texts) {
      Request other = request;
      other.sentence = text;
      passes.push_back(computed(engine, other));
      lines += text + "\n";
    }
    const std::vector<StageId> stages = patchable_stages(*plain);
    const StageId id = stages[seed * 5 % stages.size()];
    request.interventions.mean_over = lines;
    request.interventions.patches = {{id, every_row, PatchSource::mean}, {id, 2, PatchSource::position_mean}};
    const SharedTrace patched = computed(engine, request);
    ASSERT_TRUE(patched) << path(id);
    const MatrixView now = patched->value(id);
    for (int row = 0; row < 3; ++row) {
      for (int col = 0; col < now.cols; ++col) {
        double sum = 0.0;
        int n = 0;
        for (const SharedTrace& pass : passes) {
          const MatrixView numbers = pass->value(id);
          for (int other = 0; other < numbers.rows; ++other) {
            if (row == 2 && other != 2) continue;
            sum += static_cast<double>(numbers(other, col));
            ++n;
          }
        }
        EXPECT_NEAR(now(row, col), sum / n, 1e-6 * (1.0 + std::fabs(sum / n))) << path(id) << ' ' << row;
      }
    }
    EXPECT_NE(to_text(*explain(*patched, id, 0, 0)).find("the mean over other texts"), std::string::npos);
    request.sentence += " nine ten";
    request.interventions.patches = {{id, 4, PatchSource::position_mean}};
    const auto refused = engine.compute(request);
    ASSERT_FALSE(refused);
    EXPECT_NE(refused.error().message.find("no text of the mean has a token 4: the longest has 4 tokens"),
              std::string::npos)
        << refused.error().message;
  }
}

TEST(Interventions, TakeAMeanAndARowOfAnotherPassAtOnce) {
  Engine engine;
  Request request = request_for("a b c", 8, 2);
  request.donor = {request_for("a b d", 8, 2)};
  const StageId output{.kind = StageKind::output};
  request.interventions.mean_over = "e f";
  request.interventions.patches = {{output, every_row, PatchSource::mean},
                                   {output, 1, PatchSource::compared}};
  const SharedTrace trace = computed(engine, request);
  ASSERT_TRUE(trace);
  const SharedTrace donor = computed(engine, request.donor.front());
  EXPECT_EQ(trace->value(output)(1, 0), donor->value(output)(1, 0));
  EXPECT_EQ(trace->value(output)(0, 0), trace->value(output)(2, 0));
  request.interventions.patches = {{output, every_row, PatchSource::compared}};
  EXPECT_EQ(interventions_text(*computed(engine, request)),
            "the head output of head 0 at every token is taken from the held pass");
}

TEST(Interventions, InRowsOfDeletedWordsGoAndThoseOfEveryRowStay) {
  Session session = default_session();
  const StageId output{.kind = StageKind::output};
  session.interventions.patches = {{output, every_row, PatchSource::scaled, 0.5F}, {output, 2}, {output, 3}};
  session = repaired(session, session);
  ASSERT_EQ(session.interventions.patches.size(), 3U);
  const std::vector<Token> tokens = tokenize(session.sentence, TokenizerKind::word);
  std::string shorter;
  for (std::size_t i = 0; i < tokens.size(); ++i)
    if (i != 2) shorter += tokens[i].text + " ";
  const std::vector<Patch> patches =
      reduce(session, SetSentence{shorter, std::nullopt}).interventions.patches;
  ASSERT_EQ(patches.size(), 2U);
  EXPECT_EQ(patches[0], (Patch{output, every_row, PatchSource::scaled, 0.5F}));
  EXPECT_EQ(patches[1], (Patch{output, 2})) << "the word after the deleted one";
}

TEST(Interventions, TextsOfMeansThatDoNotFitAreRefused) {
  Engine engine;
  Request request = request_for("a b", 8, 2);
  request.interventions.patches = {{StageId{.kind = StageKind::output}, 0, PatchSource::mean}};
  const auto problem = [&](const Request& asked) {
    const auto trace = engine.compute(asked);
    return trace ? std::string() : trace.error().message;
  };
  for (std::size_t i = 0; i <= max_mean_texts; ++i) request.interventions.mean_over += "a\n";
  EXPECT_NE(problem(request).find("there are 1001 texts, but at most 1000 are averaged"), std::string::npos);
  request.interventions.mean_over = "a b c d e";
  request.architecture.stacks = Stacks::encoder_decoder;
  request.target = "x";
  EXPECT_NE(problem(request).find("texts for a mean have no targets"), std::string::npos);
}

TEST(Interventions, WithoutTheirDonorAreAnError) {
  Engine engine;
  Request request = random_transformer(1, Stacks::encoder);
  request.interventions.heads = {{first_head(request), 1.0F, Pattern::compared}};
  const auto trace = engine.compute(request);
  ASSERT_FALSE(trace);
  EXPECT_NE(trace.error().message.find("nothing is held"), std::string::npos) << trace.error().message;
}

}  // namespace
}  // namespace headscope
