// Tests the dials of rotary positions: their products add up to the raw score.
#include <gtest/gtest.h>

#include <algorithm>

#include "core/page/pages.h"
#include "core/text/number_text.h"
#include "tests/unit/page/page_helpers.h"

namespace headscope {
namespace {

using test::inputs_of;
using test::page_contains;
using test::page_of_session;
using test::uniform_measure;

Session turning(RotaryPairing pairing, int n_kv_heads) {
  Session session = default_session();
  session.architecture.positions = Positions::rotary;
  session.architecture.rotary.pairing = pairing;
  session.architecture.n_kv_heads = n_kv_heads;
  session.selection.head = 3;
  session.selection.token = 7;
  return session;
}

TEST(RotaryDials, AddUpToTheRawScore) {
  for (const RotaryPairing pairing : {RotaryPairing::interleaved, RotaryPairing::halves}) {
    for (const int n_kv_heads : {4, 2}) {
      const PageInputs in = inputs_of(turning(pairing, n_kv_heads));
      const StageNumbers weights = in.trace->read_row(in.at(StageKind::weights), 7);
      const auto row = weights.view.row(0);
      const auto key = static_cast<int>(std::ranges::max_element(row) - row.begin());
      const double raw = in.trace->number(in.at(StageKind::raw), 7, key);
      const Page page = page_of_session(in, PageName::positions, {1200.0F, 800.0F}, uniform_measure());
      EXPECT_TRUE(page_contains(page, "which is q · k = " + rounded_text(raw))) << raw;
      EXPECT_TRUE(page_contains(
          page, "key of “" + in.trace->label(in.at(StageKind::weights), Axis::key_tokens, key)));
      // In a narrow page, some pairs have no dial, but the sum stays that of all dimensions.
      const Page narrow = page_of_session(in, PageName::positions, {90.0F, 800.0F}, uniform_measure());
      EXPECT_TRUE(page_contains(narrow, "room"));
    }
  }
}

TEST(RotaryDials, FollowTheKeyUnderTheMouseAndHideWithAnExercise) {
  PageInputs in = inputs_of(turning(RotaryPairing::halves, 4));
  in.hovered = Pin{in.at(StageKind::weights), 7, 0};
  const PageSize size{1200.0F, 800.0F};
  EXPECT_TRUE(
      page_contains(page_of_session(in, PageName::positions, size, uniform_measure()), "key of “The”"));
  in.session.cover.stage = in.at(StageKind::scaled);
  EXPECT_FALSE(
      page_contains(page_of_session(in, PageName::positions, size, uniform_measure()), "key of “The”"));
}

}  // namespace
}  // namespace headscope
