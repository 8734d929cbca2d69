#include "core/trace/graph.h"

#include <gtest/gtest.h>

#include "core/trace/wiring.h"
#include "tests/unit/trace/passes.h"

namespace headscope {
namespace {

TEST(Graph, IsWhatTheWiringSays) {
  std::mt19937 random(17);
  for (int round = 0; round < 2000; ++round) {
    SCOPED_TRACE("round " + std::to_string(round));
    const auto trace = testing::pass(testing::random_request(random));
    ASSERT_TRUE(trace);
    const PassTraits traits = trace->traits();
    const Graph graph(traits.architecture, traits.options, traits.has_table);
    EXPECT_EQ(stages_of(*trace), graph.stages());
    for (const StageInfo& line : all_stage_kinds()) {
      for (const Stack stack : {Stack::encoder, Stack::decoder})
        for (const AttentionKind attention : {AttentionKind::self, AttentionKind::cross})
          for (int layer = 0; layer < 4; ++layer)
            for (int head = 0; head < 3; ++head) {
              const StageId id{line.kind, stack, layer, attention, head};
              EXPECT_EQ(absence_text(*trace, trace->absence(id)), graph.why_absent(id)) << path(id);
              if (graph.has(id)) { EXPECT_EQ(computed_from(*trace, id), graph.inputs(id)) << path(id); }
            }
    }
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace headscope
