// Tests the partial traces that a long pass publishes while it is being computed.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "tests/unit/engine/transformers.h"

namespace headscope {
namespace {

/// A pass that takes several times as long as the interval between two partial traces.
Request long_request() {
  Request request = request_for(words(500), 256, 2);
  request.target = words(400);
  Architecture& a = request.architecture;
  a.stacks = Stacks::encoder_decoder;
  a.n_layers = 4;
  a.d_ff = 1024;
  a.residual = true;
  a.norm = Norm::pre;
  a.output_layer = OutputLayer::tied;
  return request;
}

/// A partial trace, and some of its numbers, copied on arrival.
struct Published {
  std::shared_ptr<const Trace> trace;
  std::map<StageId, std::vector<float>> values;
};

Published copied(std::shared_ptr<const Trace> trace) {
  Published published{std::move(trace), {}};
  for (const StageId& id : published.trace->stages()) {
    const bool is_small = id.kind == StageKind::layer_output || id.kind == StageKind::stack_output ||
                          id.kind == StageKind::projected || id.kind == StageKind::contribution;
    if (is_small) published.values.emplace(id, numbers(published.trace->value(id)));
  }
  return published;
}

TEST(PartialTraces, ArePartsOfTheWholeWithItsNumbers) {
  Engine engine(1);
  std::vector<Published> partial;
  const auto result = engine.compute(long_request(), TooLong::refuse, nullptr,
                                     [&](auto trace) { partial.push_back(copied(std::move(trace))); });
  ASSERT_TRUE(result && *result);
  const Trace& whole = **result;
  EXPECT_TRUE(whole.complete());
  ASSERT_FALSE(partial.empty()) << "the pass took " << whole.milliseconds() << " ms";
  const std::vector<StageId> all = whole.stages();
  std::size_t n_before = 0;
  for (const Published& part : partial) {
    EXPECT_FALSE(part.trace->complete());
    EXPECT_FALSE(part.trace->has({.kind = StageKind::probabilities}));
    const std::vector<StageId> stages = part.trace->stages();
    EXPECT_GT(stages.size(), n_before) << "each shows more than the one before";
    EXPECT_LT(stages.size(), all.size());
    n_before = stages.size();
    for (const StageId& id : stages) EXPECT_NE(std::ranges::find(all, id), all.end()) << path(id);
    EXPECT_FALSE(part.values.empty());
    for (const auto& [id, values] : part.values) {
      EXPECT_EQ(values, numbers(whole.value(id))) << path(id);
    }
  }
}

TEST(PartialTraces, WhatIsNotComputedYetIsNotThere) {
  Engine engine(1);
  std::shared_ptr<const Trace> first;
  const auto keep_first = [&](std::shared_ptr<const Trace> trace) {
    if (!first) first = std::move(trace);
  };
  ASSERT_TRUE(engine.compute(long_request(), TooLong::refuse, nullptr, keep_first));
  ASSERT_TRUE(first);
  const StageId last_layer{StageKind::weights, Stack::decoder, 3};
  EXPECT_FALSE(first->has(last_layer));
  EXPECT_TRUE(first->value(last_layer).empty());
  EXPECT_TRUE(first->has({StageKind::w_query, Stack::decoder, 3})) << "parameters are all there";
  EXPECT_TRUE(first->has({StageKind::weights}));
  EXPECT_TRUE(first->has({.kind = StageKind::input, .stack = Stack::decoder}));
}

TEST(PartialTraces, AShortPassHasNone) {
  Engine engine(1);
  int n_partial = 0;
  ASSERT_TRUE(engine.compute(request_for("one two", 16, 2), TooLong::refuse, nullptr,
                             [&](const std::shared_ptr<const Trace>&) { ++n_partial; }));
  EXPECT_EQ(n_partial, 0);
}

TEST(PartialTraces, StoppingFromOneGivesUp) {
  Engine engine(1);
  StopFlags stop;
  const auto result = engine.compute(long_request(), TooLong::refuse, &stop,
                                     [&](const std::shared_ptr<const Trace>&) { stop.pass = true; });
  ASSERT_TRUE(result);
  EXPECT_EQ(*result, nullptr);
}

}  // namespace
}  // namespace headscope
