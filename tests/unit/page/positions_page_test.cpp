// Tests that the page of positions tells of the layer of the selected head, since layers may differ.
#include <gtest/gtest.h>

#include "core/figure/position_map.h"
#include "core/model/positions.h"
#include "core/page/pages.h"
#include "core/text/number_text.h"
#include "tests/unit/page/page_helpers.h"

namespace headscope {
namespace {

using test::inputs_of;
using test::page_contains;
using test::page_of_session;
using test::uniform_measure;

PageInputs of_layer(const std::string& family, int layer) {
  const auto model = open_model(HEADSCOPE_SOURCE_DIR "/tests/fixtures/foreign/" + family, {});
  if (!model) {
    ADD_FAILURE() << model.error().message;
    return {};
  }
  Session session = reduce(default_session(), opening_action(*model));
  session.tokenizer = TokenizerKind::ids;
  session.sentence = "1 5 9 2 7 11 3";
  session.texts = {};
  session.view = PageName::positions;
  session.selection.layer = layer;
  session.selection.token = 2;
  return inputs_of(session);
}

TEST(PositionsPage, TellsOfTheLayerOfTheSelectedHead) {
  for (const std::string family : {"gemma3n", "gemma4"}) {
    bool has_window = false;
    bool has_none = false;
    const int n_layers = of_layer(family, 0).trace->architecture().n_layers;
    for (int layer = 0; layer < n_layers; ++layer) {
      const PageInputs in = of_layer(family, layer);
      const Architecture& a = in.trace->architecture();
      const Rotary rotary = a.rotary_of(layer);
      (a.has_sliding_window(layer) ? has_window : has_none) = true;
      PageMemo memo;
      PageTools tools{uniform_measure(), 0, memo};
      const Page page = positions_page(in, {1200.0F, 800.0F}, tools);
      EXPECT_TRUE(page_contains(page, "rotated by t / " + number_text(rotary.base) + "^("))
          << family << layer;
      const auto turns = rotary_frequencies(rotary, a.head_width(layer));
      const auto angles =
          memo.tables.find("positions " + std::to_string(static_cast<int>(PositionPicture::angles)));
      ASSERT_NE(angles, memo.tables.end());
      ASSERT_EQ(angles->second.numbers.cols, turns.n_pairs()) << family << layer;
      for (int pair = 0; pair < turns.n_pairs(); ++pair)
        EXPECT_FLOAT_EQ(angles->second.numbers.at(3, pair), static_cast<float>(turns.angle(3, pair)))
            << family << layer;
    }
    EXPECT_TRUE(has_window && has_none) << family;
  }
}

TEST(PositionsPage, SaysThatALayerRotatesNothing) {
  for (const std::string family : {"cohere2", "smollm3"}) {
    bool has_flat = false;
    const int n_layers = of_layer(family, 0).trace->architecture().n_layers;
    for (int layer = 0; layer < n_layers; ++layer) {
      SCOPED_TRACE(family + " " + std::to_string(layer));
      const PageInputs in = of_layer(family, layer);
      const bool is_flat = in.trace->architecture().rotary_of(layer).fraction == 0.0F;
      has_flat = has_flat || is_flat;
      const Page page = page_of_session(in, PageName::positions, {1200.0F, 800.0F}, uniform_measure());
      EXPECT_EQ(page_contains(page, "rotates nothing"), is_flat);
      EXPECT_EQ(page_contains(page, "Layers that rotate nothing: "), !is_flat);
      EXPECT_EQ(page_contains(page, "Dials"), !is_flat);
      EXPECT_EQ(page_contains(page, "Angles in radians"), !is_flat);
      EXPECT_EQ(page_contains(page, "Nothing is added: each pair"), !is_flat);
      EXPECT_EQ(page_contains(page, "What these positions do to the attention"), !is_flat);
    }
    EXPECT_TRUE(has_flat);
  }
}

}  // namespace
}  // namespace headscope
