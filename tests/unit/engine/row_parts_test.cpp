#include "core/engine/row_parts.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>

#include "core/checkpoint/model_folder.h"
#include "core/engine/opening.h"
#include "core/engine/part_effects.h"
#include "core/session/action.h"
#include "tests/unit/engine/random_given.h"
#include "tests/unit/engine/transformers.h"

namespace headscope {
namespace {

double magnitude(const ScoreParts& split) {
  double sum = 0.0;
  for (const double term : split.terms) sum += std::fabs(term);
  return sum;
}

/// Checks that the parts of a row add up to the row of the pass.
void expect_whole(const Trace& trace, const StageId& stage, int row) {
  const std::vector<RowPart> parts = parts_of_row(trace, stage, row);
  ASSERT_FALSE(parts.empty()) << path(stage);
  const Extent size = trace.extent(stage);
  for (int col = 0; col < size.cols; ++col) {
    double sum = 0.0;
    double all = 0.0;
    for (const RowPart& part : parts) {
      ASSERT_EQ(part.numbers.size(), static_cast<std::size_t>(size.cols)) << path(stage);
      sum += part.numbers[static_cast<std::size_t>(col)];
      all += std::fabs(part.numbers[static_cast<std::size_t>(col)]);
    }
    EXPECT_NEAR(sum, trace.number(stage, row, col), 2e-5 * (1.0 + all)) << path(stage);
  }
}

StageId random_scores(RandomStream& random, const Trace& trace) {
  const std::vector<StageId> all = stages_of_kind(trace, StageKind::raw);
  return all[static_cast<std::size_t>(pick(random, 0, static_cast<int>(all.size()) - 1))];
}

class RowPartsOfRandomModels : public testing::TestWithParam<std::uint64_t> {};

TEST_P(RowPartsOfRandomModels, AddUpToTheScoreAndToEveryRowOnTheWay) {
  Engine engine(1);
  RandomStream random(GetParam(), "row parts");
  const auto stacks = static_cast<Stacks>(GetParam() % 3);
  Request request = random_transformer(GetParam(), stacks);
  if (pick(random, 0, 3) == 0) give_random_numbers(random, *computed(engine, request), request);
  const SharedTrace trace = computed(engine, request);
  ASSERT_TRUE(trace);
  for (int i = 0; i < 4; ++i) {
    const StageId scores = random_scores(random, *trace);
    const Extent size = trace->extent(scores);
    const int query = pick(random, 0, size.rows - 1);
    const int key = pick(random, 0, size.cols - 1);
    const ScoreParts split = score_parts(*trace, with_kind(scores, StageKind::weights), query, key);
    if (!split.absent.empty()) {
      const bool is_given = trace->given(scores) != nullptr;
      EXPECT_TRUE(is_given || request.architecture.kv_latent || request.architecture.linear_attention)
          << split.absent;
      continue;
    }
    ASSERT_EQ(split.terms.size(), split.query.size() * split.key.size());
    EXPECT_EQ(split.score, trace->number(scores, query, key));
    EXPECT_NEAR(split.total, split.score, 1e-5 * (1.0 + magnitude(split))) << path(scores);
    double by_queries = 0.0;
    double by_keys = 0.0;
    for (std::size_t q = 0; q < split.query.size(); ++q) by_queries += split.sum_of_query(q);
    for (std::size_t k = 0; k < split.key.size(); ++k) by_keys += split.sum_of_key(k);
    EXPECT_NEAR(by_queries, split.total, 1e-9 * (1.0 + magnitude(split)));
    EXPECT_NEAR(by_keys, split.total, 1e-9 * (1.0 + magnitude(split)));
    std::set<std::string> names;
    for (const RowPart& part : split.query) {
      EXPECT_TRUE(names.insert(part_name(trace->architecture(), part)).second)
          << part_name(trace->architecture(), part);
    }
    for (const StageId& stage :
         {inputs_of(*trace, scores).front(), StageId{StageKind::layer_input, scores.stack, scores.layer}})
      expect_whole(*trace, canonical(trace->architecture(), stage), query);
  }
}
INSTANTIATE_TEST_SUITE_P(Seeds, RowPartsOfRandomModels, testing::Range<std::uint64_t>(1, 91));

TEST(RowParts, OfTheFinalRowGiveTheDirectPartsOfTheLogit) {
  const auto model = open_model("pronouns", {HEADSCOPE_SOURCE_DIR "/assets/models"});
  ASSERT_TRUE(model) << model.error().message;
  Engine engine(1);
  const SharedTrace trace = computed(engine, request_of(reduce(default_session(), opening_action(*model))));
  ASSERT_TRUE(trace);
  const Prediction prediction{7, 3};
  const DirectParts direct = direct_parts(*trace, prediction);
  ASSERT_TRUE(direct.absent.empty()) << direct.absent;
  const PassInputs inputs = trace->pass_inputs();
  const std::vector<RowPart> parts =
      parts_of_row(*trace, {StageKind::stack_output, trace->architecture().last_stack()}, prediction.row);
  for (const RowPart& part : parts) {
    if (part.kind != RowPart::Kind::head) continue;
    double logit = 0.0;
    for (std::size_t d = 0; d < part.numbers.size(); ++d)
      logit += part.numbers[d] * static_cast<double>(inputs.unembedding.weight()(static_cast<Eigen::Index>(d),
                                                                                 prediction.word));
    const auto same = std::ranges::find_if(direct.parts, [&](const DirectPart& each) {
      return each.kind == DirectPart::Kind::head && each.place == part.place;
    });
    ASSERT_NE(same, direct.parts.end());
    EXPECT_NEAR(logit, same->logit, 1e-6) << part_name(trace->architecture(), part);
  }
}

/// Without norms, what a head of an earlier layer adds to a score is what the score loses without it, if no
/// other part reads the head.
TEST(RowParts, OfAHeadAreWhatTheScoreLosesWithoutIt) {
  Engine engine(1);
  Request request = request_for(words(9), 16, 2);
  Architecture& a = request.architecture;
  a.n_layers = 2;
  a.norm = Norm::none;
  a.residual = true;
  a.d_ff = 0;
  const SharedTrace whole = computed(engine, request);
  ASSERT_TRUE(whole);
  const StageId scores{StageKind::raw, Stack::encoder, 1, AttentionKind::self, 1};
  const HeadId head{Stack::encoder, AttentionKind::self, 0, 1};
  request.interventions.heads = {{head, 0.0F, Pattern::own}};
  const SharedTrace without = computed(engine, request);
  ASSERT_TRUE(without);
  for (const auto& [query, key] : {std::pair(0, 5), std::pair(3, 3), std::pair(8, 1)}) {
    const ScoreParts split = score_parts(*whole, scores, query, key);
    ASSERT_TRUE(split.absent.empty());
    double of_head = 0.0;
    for (std::size_t q = 0; q < split.query.size(); ++q) {
      for (std::size_t k = 0; k < split.key.size(); ++k) {
        const auto is_head = [&](const RowPart& part) {
          return part.kind == RowPart::Kind::head && part.place == head;
        };
        if (is_head(split.query[q]) || is_head(split.key[k])) of_head += split.term(q, k);
      }
    }
    EXPECT_NEAR(whole->number(scores, query, key) - without->number(scores, query, key), of_head, 1e-5);
  }
}

TEST(RowParts, SayWhyAScoreIsNotSplit) {
  Engine engine(1);
  Request request = request_for(words(5), 16, 2);
  request.architecture.kv_latent = 6;
  const SharedTrace latent = computed(engine, request);
  ASSERT_TRUE(latent);
  EXPECT_NE(score_parts(*latent, {StageKind::raw, Stack::encoder}, 0, 0).absent.find("latent"),
            std::string::npos);
  EXPECT_TRUE(parts_of_row(*latent, {StageKind::raw, Stack::encoder}, 0).empty()) << "a map has no parts";
  EXPECT_TRUE(parts_of_row(*latent, {StageKind::input, Stack::encoder}, 99).empty()) << "no such row";
}

}  // namespace
}  // namespace headscope
