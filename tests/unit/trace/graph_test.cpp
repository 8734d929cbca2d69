#include <gtest/gtest.h>

#include <algorithm>

#include "core/trace/derivation.h"
#include "tests/unit/trace/passes.h"

namespace headscope {
namespace {

bool is_drawn_from_the_word(StageKind kind) {
  return kind == StageKind::embedding;
}

TEST(InputsOf, ArePartOfThePassAndComeBeforeWhatIsMadeOfThem) {
  std::mt19937 random(17);
  for (int round = 0; round < 100; ++round) {
    SCOPED_TRACE("round " + std::to_string(round));
    const auto trace = testing::pass(testing::random_request(random));
    ASSERT_TRUE(trace);
    const std::vector<StageId> stages = trace->stages();
    for (auto stage = stages.begin(); stage != stages.end(); ++stage) {
      for (const StageId& input : inputs_of(*trace, *stage)) {
        EXPECT_TRUE(trace->has(input)) << path(*stage) << " from " << path(input);
        // A norm of all heads together reads the rows of the heads after its own, too.
        const bool is_of_heads = trace->graph().op(*stage) == Op::head_norm && input.kind < stage->kind;
        EXPECT_TRUE(is_of_heads || std::find(stages.begin(), stage, input) != stage)
            << path(input) << " comes after " << path(*stage);
      }
    }
    if (HasFailure()) return;
  }
}

TEST(Graph, EachOperationHasOneRecord) {
  std::size_t n_records = 0;
  for (const auto& family : {source_operations(), row_operations(), stream_operations(), score_operations(),
                             position_operations(), output_operations()})
    n_records += family.size();
  EXPECT_EQ(n_records, enum_count<Op>);
  for (std::size_t i = 0; i < enum_count<Op>; ++i) {
    const auto op = static_cast<Op>(i);
    EXPECT_EQ(record_of(op).op, op) << i;
    EXPECT_TRUE(record_of(op).rows != nullptr || !traits_of(op).is_on_demand) << i;
  }
}

TEST(Graph, WhatNoPassKeepsIsComputedOnDemand) {
  std::mt19937 random(19);
  for (int round = 0; round < 60; ++round) {
    const auto trace = testing::pass(testing::random_request(random));
    ASSERT_TRUE(trace);
    for (const StageId& id : trace->stages()) {
      const Extent size = trace->extent(id);
      const MatrixView row = trace->read_row(id, size.rows - 1).view;
      EXPECT_EQ(row.cols, size.cols) << path(id) << " has no numbers";
    }
  }
}

TEST(InputsOf, NothingButParametersAndWavesComesFromNothing) {
  std::mt19937 random(18);
  for (int round = 0; round < 60; ++round) {
    const auto trace = testing::pass(testing::random_request(random));
    ASSERT_TRUE(trace);
    for (const StageId& id : trace->stages()) {
      const bool from_nothing = info(id.kind).is_parameter() || is_drawn_from_the_word(id.kind) ||
                                id.kind == StageKind::positions || id.kind == StageKind::position_bias;
      if (from_nothing) continue;
      EXPECT_FALSE(inputs_of(*trace, id).empty()) << path(id);
    }
  }
}

/// A stage must have as many rows as the stages from which it is computed row by row.
TEST(InputsOf, HaveTheRowsOfTheirTokens) {
  std::mt19937 random(19);
  for (int round = 0; round < 60; ++round) {
    const auto trace = testing::pass(testing::random_request(random));
    ASSERT_TRUE(trace);
    for (const StageId& id : trace->stages()) {
      for (const Axis axis : {info(id.kind).rows, info(id.kind).cols}) {
        if (!is_token_axis(axis)) continue;
        const MatrixView view = trace->value(id);
        const int size = axis == info(id.kind).rows ? view.rows : view.cols;
        EXPECT_EQ(size, static_cast<int>(trace->tokens(id, axis).size())) << path(id);
      }
    }
  }
}

TEST(Graph, CrossAttentionAsksTheEncodersOutput) {
  Request request = testing::small_request();
  request.target = "Das Tier";
  request.architecture.stacks = Stacks::encoder_decoder;
  const auto trace = testing::pass(request);
  ASSERT_TRUE(trace);
  const StageId key{StageKind::key, Stack::decoder, 0, AttentionKind::cross};
  EXPECT_EQ(path(trace->graph().inputs(key).front()), "encoder.output");
  const StageId query{StageKind::query, Stack::decoder, 0, AttentionKind::cross};
  EXPECT_EQ(path(trace->graph().inputs(query).front()), "decoder.layers.0.self.projected");
  EXPECT_EQ(trace->value(key).rows, trace->n_tokens());
  EXPECT_EQ(trace->value(query).rows, 2);
}

TEST(Graph, KnowsWhatFollowsFromKeysThatHeadsShare) {
  Request request = testing::small_request();
  request.architecture.n_kv_heads = 1;
  const auto trace = testing::pass(request);
  ASSERT_TRUE(trace);
  const Graph& graph = trace->graph();
  for (int head = 0; head < request.architecture.n_heads; ++head) {
    const StageId raw{.kind = StageKind::raw, .head = head};
    const StageId key = with_kind(raw, StageKind::key);
    EXPECT_TRUE(graph.depends_on(raw, key)) << head;
    EXPECT_FALSE(graph.depends_on(key, raw)) << head;
    EXPECT_EQ(graph.users(key), std::vector<StageId>{raw}) << head;
  }
}

}  // namespace
}  // namespace headscope
