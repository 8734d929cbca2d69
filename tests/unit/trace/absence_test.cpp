#include "core/trace/absence.h"

#include <gtest/gtest.h>

#include <set>
#include <thread>

#include "tests/unit/trace/passes.h"

namespace headscope {
namespace {

using testing::pass;
using testing::small_request;

TEST(Absence, is_none_exactly_for_what_the_pass_has) {
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
          const Absence absence = trace->absence(id);
          EXPECT_EQ(absence == Absence::none, there.contains(id)) << path(id);
          EXPECT_EQ(absence_text(*trace, absence).empty(), there.contains(id)) << path(id);
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
  const auto why = [&trace](StageKind kind) { return trace->absence({.kind = kind}); };
  EXPECT_EQ(why(StageKind::w_output), Absence::no_output_projection);
  EXPECT_EQ(why(StageKind::b_output), Absence::no_output_projection);
  EXPECT_EQ(why(StageKind::contribution), Absence::no_output_projection);
  EXPECT_EQ(why(StageKind::b_query), Absence::no_bias);
  EXPECT_EQ(why(StageKind::b_key), Absence::none);
  EXPECT_EQ(why(StageKind::positions), Absence::positions_not_added);
  EXPECT_EQ(why(StageKind::position_bias), Absence::positions_add_no_bias);
  EXPECT_EQ(why(StageKind::rotated_key), Absence::none);
  EXPECT_EQ(why(StageKind::logits), Absence::no_output_layer);
  EXPECT_EQ(why(StageKind::b_logits), Absence::no_output_layer);
  EXPECT_EQ(why(StageKind::hidden), Absence::no_feed_forward);
  EXPECT_EQ(trace->absence({.kind = StageKind::weights, .head = 4}), Absence::head_out_of_range);
  EXPECT_EQ(trace->absence({.kind = StageKind::weights, .layer = 1}), Absence::layer_out_of_range);
  EXPECT_EQ(trace->absence({.kind = StageKind::concat, .head = 1}), Absence::unused_place);
  EXPECT_EQ(trace->absence({.kind = StageKind::weights, .stack = Stack::decoder}), Absence::no_such_stack);
  EXPECT_EQ(trace->absence({.kind = StageKind::weights, .attention = AttentionKind::cross}),
            Absence::no_cross_attention);
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
