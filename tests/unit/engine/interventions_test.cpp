#include <gtest/gtest.h>

#include <cmath>

#include "core/model/pass_edits.h"
#include "core/trace/explain.h"
#include "core/trace/number_source.h"
#include "core/trace/patch_stage.h"
#include "tests/unit/engine/random_given.h"
#include "tests/unit/engine/transformers.h"

namespace headscope {
namespace {

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

/// Any interventions that take nothing from another pass.
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
    const auto site = static_cast<PatchSite>(pick(random, 0, 11));
    HeadId place = head();
    if (!is_of_head(site)) place.head = 0;
    if (site >= PatchSite::activated) place.attention = AttentionKind::self;
    if (site == PatchSite::input) place = {place.stack, AttentionKind::self, 0, 0};
    all.patches.push_back({site, place, pick(random, 0, 8), PatchSource::zero});
  }
  return in_order(all);
}

TEST(Interventions, ThatChangeNothingChangeNothing) {
  Engine engine;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Request request = random_transformer(seed, Stacks::encoder_decoder);
    const SharedTrace plain = computed(engine, request);
    // The weights that a row has, given by hand.
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
    const StageId last = model_output(*plain);
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

TEST(Interventions, NeverShowAQueryWhatTheMaskHides) {
  Engine engine;
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    Request request = random_request(seed);
    request.attention.mask.causal = true;
    Request donor = request;
    donor.attention.mask = {};
    donor.architecture.seed += 1;
    request.donor = {donor};
    request.interventions.heads = {{first_head(request), 1.0F, Pattern::held}};
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
    request.interventions.heads = {{place, 1.0F, Pattern::held}};
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
    std::vector<PatchSite> sites{PatchSite::input};
    if (a.norm == Norm::post) sites.push_back(PatchSite::feed_forward_normed);
    if (a.residual && a.norm != Norm::post) sites.push_back(PatchSite::feed_forward_residual);
    for (const PatchSite site : sites) {
      request.interventions.patches.clear();
      const int layer = site == PatchSite::input ? 0 : a.n_layers - 1;
      for (int row = 0; row < n; ++row)
        request.interventions.patches.push_back(
            {site, {Stack::encoder, {}, layer, 0}, row, PatchSource::held});
      const SharedTrace patched = computed(engine, request);
      ASSERT_TRUE(patched && other);
      const StageId last = model_output(*patched);
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
    if (pick(random, 0, 2) == 0) give_some(random, *computed(engine, request), request);
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
    if (pick(random, 0, 2) == 0) give_some(random, *computed(engine, request), request);
    request.interventions = random_interventions(random, request);
    const SharedTrace whole = computed(engine, request);
    Request frugal = request;
    frugal.max_bytes = 1;
    while (max_tokens(frugal) < 150) frugal.max_bytes += frugal.max_bytes / 16 + 1;
    const SharedTrace little = computed(engine, frugal);
    ASSERT_TRUE(whole && little);
    EXPECT_NE(little->kept().shape.kept, Kept::everything);
    for (const StageId& id : whole->stages())
      EXPECT_TRUE(same_bits(all_of(*whole, id), all_of(*little, id))) << path(id);
  }
}

TEST(Interventions, WithoutTheirDonorAreAnError) {
  Engine engine;
  Request request = random_transformer(1, Stacks::encoder);
  request.interventions.heads = {{first_head(request), 1.0F, Pattern::held}};
  const auto trace = engine.compute(request);
  ASSERT_FALSE(trace);
  EXPECT_NE(trace.error().message.find("nothing is held"), std::string::npos) << trace.error().message;
}

}  // namespace
}  // namespace headscope
