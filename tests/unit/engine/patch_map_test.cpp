#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <string>

#include "core/checkpoint/foreign_model.h"
#include "core/engine/part_effects.h"
#include "core/model/interventions.h"
#include "core/session/action.h"
#include "core/session/presets.h"
#include "tests/unit/engine/transformers.h"
#include "tests/unit/stored_npz.h"

namespace headscope {
namespace {

namespace fs = std::filesystem;

/// The same request with another word in the text that the last stack reads.
Request with_another_word(Request request, int index, const std::string& word) {
  std::string& text = request.architecture.has_cross() ? request.target : request.sentence;
  text = with_word(text, index, word);
  return request;
}

/// The ids of a text as one types them.
std::string typed_ids(const NpyArray& ids) {
  std::string text;
  for (const float id : ids.values) text += std::to_string(static_cast<int>(id)) + " ";
  return text;
}

/// The reference numbers of a small random decoder were computed by another program in double precision.
TEST(PatchMap, IsThatOfTheReference) {
  const fs::path folder = fs::path(HEADSCOPE_SOURCE_DIR) / "../shared/reference/interpretability/decoder";
  if (!fs::is_directory(folder)) GTEST_SKIP() << "the reference data of patching is not beside this tree";
  const auto model = open_foreign_folder(folder, "decoder");
  ASSERT_TRUE(model) << model.error().message;
  Engine engine(1);
  const auto pass_of = [&](const NpyArray& ids) {
    Session session = reduce(default_session(), OpenModel{*model, {}, {}});
    session.tokenizer = TokenizerKind::ids;
    session.sentence = typed_ids(ids);
    session.texts = {};
    return computed(engine, request_of(session));
  };
  int n_compared = 0;
  for (const char* name :
       {"patch_s00_to_s01.npz", "patch_s01_to_s00.npz", "patch_s02_to_s03.npz", "patch_s03_to_s02.npz"}) {
    const auto arrays = stored_npz(folder / name);
    const SharedTrace donor = pass_of(arrays.at("ids_from"));
    const SharedTrace receiver = pass_of(arrays.at("ids_to"));
    ASSERT_TRUE(donor && receiver);
    const NpyArray& whole = arrays.at("patch_all");
    const NpyArray& by_token = arrays.at("patch_pos_last");
    const auto n_heads = static_cast<std::size_t>(whole.shape[1]);
    const auto n_tokens = static_cast<std::size_t>(whole.shape[2]);
    const auto n_words = static_cast<std::size_t>(whole.shape[3]);
    const int last = static_cast<int>(n_tokens) - 1;
    for (const auto& [word, other] : {std::pair(3, 17), std::pair(40, 0)}) {
      const PatchMap map = patch_map(*donor, *receiver, {last, word, other}).finish();
      ASSERT_TRUE(map.absent.empty());
      const auto expected = [&](const NpyArray& logits, const HeadId& head, std::size_t token) {
        const std::size_t row =
            ((static_cast<std::size_t>(head.layer) * n_heads + static_cast<std::size_t>(head.head)) *
                 n_tokens +
             token) *
            n_words;
        return static_cast<double>(logits.values[row + static_cast<std::size_t>(word)]) -
               static_cast<double>(logits.values[row + static_cast<std::size_t>(other)]);
      };
      for (const PatchedPart& part : map.parts) {
        if (part.part.kind != ModelPart::Kind::head) continue;
        EXPECT_NEAR(part.difference, expected(whole, part.part.place, n_tokens - 1), 1e-5);
        ++n_compared;
      }
      for (const PatchedPart& part : map.head_rows) {
        EXPECT_NEAR(part.difference,
                    expected(by_token, part.part.place, static_cast<std::size_t>(*part.token)), 1e-5)
            << " at " << *part.token;
        ++n_compared;
      }
    }
  }
  EXPECT_GT(n_compared, 500);
}

/// Mean ablation of every head at all positions: by the mean over the positions of the sentence itself, and
/// by that at each position of four sentences.
TEST(MeanAblation, IsThatOfTheReference) {
  const fs::path folder = fs::path(HEADSCOPE_SOURCE_DIR) / "../shared/reference/interpretability/decoder";
  if (!fs::is_directory(folder)) GTEST_SKIP() << "the reference data of ablation is not beside this tree";
  const auto model = open_foreign_folder(folder, "decoder");
  ASSERT_TRUE(model) << model.error().message;
  const std::array<const char*, 4> names{"s00.npz", "s01.npz", "s02.npz", "s03.npz"};
  std::string set;
  for (const char* name : names) set += typed_ids(stored_npz(folder / name).at("ids")) + "\n";
  Engine engine(1);
  int n_compared = 0;
  for (const char* name : names) {
    const auto arrays = stored_npz(folder / name);
    Session session = reduce(default_session(), OpenModel{*model, {}, {}});
    session.tokenizer = TokenizerKind::ids;
    session.sentence = typed_ids(arrays.at("ids"));
    session.texts = {};
    const auto compare = [&](const NpyArray& expected, PatchSource source, const std::string& texts) {
      std::size_t next = 0;
      for (const HeadId& head : heads_of(session.architecture)) {
        session.interventions = {};
        session.interventions.patches = {{stage_in(head, StageKind::output), every_row, source}};
        session.interventions.mean_over = texts;
        const SharedTrace trace = computed(engine, request_of(session));
        ASSERT_TRUE(trace);
        const MatrixView logits = trace->value(StageId{.kind = StageKind::logits});
        for (int row = 0; row < logits.rows; ++row) {
          for (int word = 0; word < logits.cols; ++word)
            ASSERT_NEAR(logits(row, word), expected.values[next++], 1e-5) << head.layer << '.' << head.head;
        }
        ++n_compared;
      }
      EXPECT_EQ(next, expected.values.size());
    };
    compare(arrays.at("ablate_zero"), PatchSource::zero, "");
    compare(arrays.at("ablate_mean_pos"), PatchSource::mean, session.sentence);
    compare(arrays.at("ablate_mean_set"), PatchSource::position_mean, set);
  }
  EXPECT_EQ(n_compared, 4 * 3 * 8);
}

/// If A and B differ in one word of the last stack's text, all of the difference enters with its row.
TEST(PatchMap, TakesAllOfADifferenceWithTheRowThatHasIt) {
  Engine engine;
  int n_compared = 0;
  for (std::uint64_t seed = 0; seed < 45; ++seed) {
    const Request b = predicting_transformer(seed);
    const SharedTrace of_b = computed(engine, b);
    ASSERT_TRUE(of_b);
    const Stack last = b.architecture.last_stack();
    const int n_tokens = static_cast<int>(of_b->tokens(last).size());
    const int changed = n_tokens / 2;
    const SharedTrace of_a = computed(engine, with_another_word(b, changed, "another"));
    ASSERT_TRUE(of_a);
    const PatchMap map = patch_map(*of_a, *of_b, {n_tokens - 1, 1, 0}).finish();
    if (!map.absent.empty()) continue;
    const double room = 1e-4 * (1.0 + std::fabs(map.of_a) + std::fabs(map.of_b));
    for (const PatchedPart& part : map.layer_rows) {
      if (part.part.place.layer > 0) continue;
      ++n_compared;
      const double expected = *part.token == changed ? map.of_a : map.of_b;
      EXPECT_NEAR(part.difference, expected, room) << "seed " << seed << ", token " << *part.token;
    }
    EXPECT_EQ(std::ranges::count(map.parts, ModelPart::Kind::head,
                                 [](const PatchedPart& part) { return part.part.kind; }),
              std::ranges::count(heads_of(b.architecture), last, &HeadId::stack));
    EXPECT_EQ(static_cast<std::int64_t>(map.parts.size() + map.head_rows.size() +
                                        map.feed_forward_rows.size() + map.layer_rows.size()),
              patched_passes(*of_b));
  }
  EXPECT_GT(n_compared, 100);
}

/// If A is B with one head's row set to 0, taking that row from A turns B into A.
TEST(PatchMap, MakesBIntoAThatDiffersInThatPartAlone) {
  Engine engine;
  int n_compared = 0;
  for (std::uint64_t seed = 1; seed < 20; ++seed) {
    Request b = predicting_transformer(seed);
    const Stack last = b.architecture.last_stack();
    const SharedTrace of_b = computed(engine, b);
    ASSERT_TRUE(of_b);
    const int n_tokens = static_cast<int>(of_b->tokens(last).size());
    const HeadId head{last, b.architecture.has_self() ? AttentionKind::self : AttentionKind::cross, 0, 0};
    b.interventions.patches = {{stage_in(head, StageKind::output), 0, PatchSource::zero}};
    const SharedTrace of_a = computed(engine, b);
    ASSERT_TRUE(of_a);
    const PatchMap map = patch_map(*of_a, *of_b, {n_tokens - 1, 1, 0}).finish();
    ASSERT_TRUE(map.absent.empty());
    for (const PatchedPart& part : map.head_rows) {
      if (part.part.place != head || *part.token != 0) continue;
      EXPECT_NEAR(part.difference, map.of_a, 1e-4 * (1.0 + std::fabs(map.of_a))) << "seed " << seed;
      ++n_compared;
    }
  }
  EXPECT_EQ(n_compared, 19);
}

/// With everything that the last layer adds, and the row that enters it, B is A. If A differs from B only in
/// what a feed-forward layer gives, that layer alone makes the difference.
TEST(PatchMap, TakesWhatFeedForwardLayersAndWholeLayersPassOn) {
  Engine engine;
  int n_compared = 0;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    Request b = predicting_transformer(seed);
    const Stack last = b.architecture.last_stack();
    const SharedTrace of_b = computed(engine, b);
    ASSERT_TRUE(of_b);
    if (b.architecture.d_ff == 0) continue;
    const int n_tokens = static_cast<int>(of_b->tokens(last).size());
    const ModelPart changed{ModelPart::Kind::feed_forward, {.stack = last, .layer = 0}};
    const ModelPart around{ModelPart::Kind::layer, {.stack = last, .layer = 0}};
    b.interventions.patches = {
        {written_by(of_b->graph(), changed).front(), every_row, PatchSource::scaled, 0.5F}};
    const SharedTrace of_a = computed(engine, b);
    ASSERT_TRUE(of_a);
    const PatchMap map = patch_map(*of_a, *of_b, {n_tokens - 1, 1, 0}).finish();
    ASSERT_TRUE(map.absent.empty());
    EXPECT_NE(map.of_a, map.of_b);
    for (const PatchedPart& part : map.parts) {
      const bool is_before = part.part.kind == ModelPart::Kind::head && part.part.place.layer == 0;
      const bool has_change = part.part == changed || part.part == around;
      if (!is_before && !has_change) continue;
      EXPECT_NEAR(part.difference, has_change ? map.of_a : map.of_b, 1e-4 * (1.0 + std::fabs(map.of_a)))
          << "seed " << seed;
      ++n_compared;
    }
    EXPECT_EQ(std::ssize(map.feed_forward_rows), std::int64_t{b.architecture.n_layers} * n_tokens);
  }
  EXPECT_GT(n_compared, 100);
}

/// A differs from B only in the output of a layer, and so in the rows that enter the next one.
TEST(PatchMap, TakesRowsThatEnterALayerAsAnInterventionLeavesThem) {
  Engine engine;
  int n_compared = 0;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    Request b = predicting_transformer(seed);
    if (b.architecture.n_layers < 2) continue;
    const Stack last = b.architecture.last_stack();
    const SharedTrace of_b = computed(engine, b);
    const int n_tokens = static_cast<int>(of_b->tokens(last).size());
    const int changed = n_tokens - 1;
    b.interventions.patches = {{{StageKind::layer_output, last, 0}, changed, PatchSource::zero}};
    const SharedTrace of_a = computed(engine, b);
    for (const auto& [donor, receiver] : {std::pair(of_a, of_b), std::pair(of_b, of_a)}) {
      const PatchMap map = patch_map(*donor, *receiver, {n_tokens - 1, 1, 0}).finish();
      ASSERT_TRUE(map.absent.empty());
      for (const PatchedPart& part : map.layer_rows) {
        if (part.part.place.layer != 1) continue;
        EXPECT_NEAR(part.difference, *part.token == changed ? map.of_a : map.of_b,
                    1e-4 * (1.0 + std::fabs(map.of_a) + std::fabs(map.of_b)))
            << "seed " << seed << ", token " << *part.token;
        ++n_compared;
      }
    }
  }
  EXPECT_GT(n_compared, 100);
}

TEST(PatchMap, SaysWhyNothingCanBeTaken) {
  Engine engine;
  Request b = predicting_transformer(3);
  const SharedTrace of_b = computed(engine, b);
  b.sentence += " more words";
  b.target += " more words";
  const SharedTrace longer = computed(engine, b);
  ASSERT_TRUE(of_b && longer);
  const PatchMap map = patch_map(*longer, *of_b, {0, 1, 0}).finish();
  EXPECT_NE(map.absent.find("the same number of tokens"), std::string::npos);
  Request other_layers = predicting_transformer(3);
  other_layers.architecture.d_ff = other_layers.architecture.d_ff > 0 ? 0 : 8;
  const SharedTrace of_other_layers = computed(engine, other_layers);
  ASSERT_TRUE(of_other_layers);
  const PatchMap none = patch_map(*of_other_layers, *of_b, {0, 1, 0}).finish();
  EXPECT_NE(none.absent.find("differ in their layers"), std::string::npos) << none.absent;
  std::atomic<bool> stop{true};
  EXPECT_TRUE(patch_map(*of_b, *of_b, {0, 1, 0}, TokenPatches::taken, &stop).finish().parts.empty());
}

}  // namespace
}  // namespace headscope
