// Tests that the diagram draws what Gemma computes beside its main path, and that it can be seen as a whole.
#include <gtest/gtest.h>

#include <string>

#include "core/figure/diagram.h"
#include "core/page/pages.h"
#include "tests/unit/page/page_helpers.h"

namespace headscope {
namespace {

PageInputs of_family(const std::string& family) {
  const auto model = open_model(HEADSCOPE_SOURCE_DIR "/tests/fixtures/foreign/" + family, {});
  if (!model) {
    ADD_FAILURE() << model.error().message;
    return {};
  }
  Session session = reduce(default_session(), opening_action(*model));
  session.tokenizer = TokenizerKind::ids;
  session.sentence = "1 5 9 2 7";
  session.texts = {};
  session.view = PageName::model;
  return test::inputs_of(session);
}

/// Whether an arrow leads from one stage's box in the layer 0 to that of another.
bool leads(const Trace& trace, const Diagram& diagram, StageKind from, StageKind to) {
  const auto box = [&](StageKind kind) {
    StageId id{kind, Stack::decoder, 0, AttentionKind::self, 0};
    return box_of_stage(trace, diagram, normalized(id));
  };
  EXPECT_TRUE(box(from) && box(to));
  return box(from) && box(to) && !path_between(diagram, *box(from), *box(to)).empty();
}

TEST(DiagramOfGemma, DrawsTheDenseLayerBesideTheExperts) {
  const PageInputs in = of_family("gemma4_a4b");
  const Diagram diagram = layout_diagram(*in.trace, 0);
  using enum StageKind;
  EXPECT_FALSE(leads(*in.trace, diagram, feed_forward_output_norm, dense_norm));
  EXPECT_TRUE(leads(*in.trace, diagram, feed_forward_output_norm, feed_forward_sum));
  EXPECT_TRUE(leads(*in.trace, diagram, dense_output_norm, feed_forward_sum));
}

TEST(DiagramOfGemma, DrawsWhatLaurelAndTheLayersEmbeddingsJoin) {
  const PageInputs in = of_family("gemma3n");
  const Diagram diagram = layout_diagram(*in.trace, 0);
  using enum StageKind;
  EXPECT_TRUE(leads(*in.trace, diagram, norm, laurel_residual));
  EXPECT_TRUE(leads(*in.trace, diagram, layer_inputs, layer_gated));
  EXPECT_TRUE(leads(*in.trace, diagram, corrected_streams, streams_output));
  EXPECT_FALSE(leads(*in.trace, diagram, corrected_row, streams_output));
  EXPECT_FALSE(leads(*in.trace, diagram, corrected_streams, corrected_row));
}

TEST(DiagramOfGemma, IsWholeInALowWindow) {
  PageInputs in = of_family("gemma3n");
  in.session.picture.readable_diagram = false;
  constexpr PageSize low{1000.0F, 420.0F};
  const Page page = test::page_of_session(in, PageName::model, low, test::uniform_measure());
  for (const HitRegion& region : page.regions) {
    if (std::holds_alternative<DiagramArea>(region.meaning)) {
      EXPECT_LE(region.box.bottom(), low.height);
    }
  }
}

}  // namespace
}  // namespace headscope
