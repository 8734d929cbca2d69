#include <gtest/gtest.h>

#include <set>
#include <thread>

#include "tests/unit/trace/passes.h"

namespace headscope {
namespace {

using testing::pass;
using testing::small_request;

TEST(Absence, has_no_reason_exactly_for_what_the_pass_has) {
  std::mt19937 random(23);
  for (int round = 0; round < 60; ++round) {
    const auto trace = pass(testing::random_request(random));
    ASSERT_TRUE(trace);
    const std::vector<StageId> stages = trace->stages();
    const std::set<StageId> there(stages.begin(), stages.end());
    for (const StageInfo& line : all_stage_kinds()) {
      for (const Stack stack : {Stack::encoder, Stack::decoder}) {
        for (const AttentionKind attention : {AttentionKind::self, AttentionKind::cross}) {
          const StageId id = normalized({line.kind, stack, 0, attention, 0});
          EXPECT_EQ(trace->why_absent(id).empty(), there.contains(id)) << path(id);
          EXPECT_EQ(trace->has(id), there.contains(id)) << path(id);
          EXPECT_EQ(trace->value(id).empty(), !there.contains(id)) << path(id);
        }
      }
    }
  }
}

TEST(Absence, names_the_option_that_takes_a_stage_away) {
  Request request = small_request();
  request.architecture.output_projection = false;
  request.architecture.bias.query = false;
  request.architecture.positions = Positions::rotary;
  const auto trace = pass(request);
  const auto why = [&trace](StageKind kind) { return trace->why_absent({.kind = kind}); };
  EXPECT_EQ(why(StageKind::w_output), "the output projection is off");
  EXPECT_EQ(why(StageKind::b_output), "the output projection is off");
  EXPECT_EQ(why(StageKind::contribution), "the output projection is off");
  EXPECT_EQ(why(StageKind::b_query), "this linear layer has no bias");
  EXPECT_EQ(why(StageKind::b_key), "");
  EXPECT_EQ(why(StageKind::positions), "these positions are not added to the embeddings");
  EXPECT_EQ(why(StageKind::position_bias), "positions add no bias to the scores here");
  EXPECT_EQ(why(StageKind::rotated_key), "");
  EXPECT_EQ(why(StageKind::logits), "there is no final linear layer");
  EXPECT_EQ(why(StageKind::b_logits), "there is no final linear layer");
  EXPECT_EQ(why(StageKind::hidden), "there is no feed-forward layer");
  EXPECT_EQ(trace->why_absent({.kind = StageKind::weights, .head = 4}),
            "the model has 4 heads, counted from 0");
  EXPECT_EQ(trace->why_absent({.kind = StageKind::weights, .layer = 1}),
            "the model has 1 layer, counted from 0");
  EXPECT_EQ(trace->why_absent({.kind = StageKind::concat, .head = 1}),
            "where a stage has no head, layer or attention, its index must be 0");
  EXPECT_EQ(trace->why_absent({.kind = StageKind::weights, .stack = Stack::decoder}),
            "the model has only an encoder");
  EXPECT_EQ(trace->why_absent({.kind = StageKind::weights, .attention = AttentionKind::cross}),
            "only a decoder with an encoder has cross-attention");
}

/// Numbers that are computed on first access are computed only once, even if several threads ask at the same
/// time.
TEST(Trace, gives_the_same_numbers_to_all_threads_that_ask_first) {
  Request request = small_request();
  request.architecture.positions = Positions::alibi;
  const auto trace = pass(request);
  constexpr int n_threads = 4;
  std::vector<const float*> addresses(n_threads);
  std::vector<std::thread> threads;
  for (int t = 0; t < n_threads; ++t) {
    threads.emplace_back([&, t] {
      for (int head = 0; head < 4; ++head) {
        for (const StageId& id : trace->stages()) static_cast<void>(trace->value(id));
      }
      addresses[static_cast<std::size_t>(t)] =
          trace->value({.kind = StageKind::contribution, .head = 2}).data;
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const float* address : addresses) EXPECT_EQ(address, addresses.front());
}

}  // namespace
}  // namespace headscope
