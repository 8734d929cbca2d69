#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/session/repair.h"
#include "core/text/utf8.h"

namespace headscope {

template <class Item>
bool is_sorted_unique(const std::vector<Item>& items) {
  return std::is_sorted(items.begin(), items.end()) &&
         std::adjacent_find(items.begin(), items.end()) == items.end();
}

/// What holds of every session that reduce() returns.
inline void expect_invariants(const Session& session) {
  const int n_tokens = static_cast<int>(tokenize(session.sentence, session.tokenizer).size());
  const auto is_token = [&](int index) { return index >= 0 && index < n_tokens; };
  EXPECT_EQ(valid_utf8(session.sentence), session.sentence);
  const MaskSpec& mask = session.attention.mask;
  EXPECT_TRUE(is_sorted_unique(mask.padding));
  EXPECT_TRUE(is_sorted_unique(mask.painted));
  for (const int token : mask.padding) EXPECT_TRUE(is_token(token));
  for (const Cell& cell : mask.painted) EXPECT_TRUE(is_token(cell.query) && is_token(cell.key));
  EXPECT_GE(mask.window.value_or(0), 0);
  EXPECT_GE(session.attention.temperature, min_temperature);
  EXPECT_LE(session.attention.temperature, max_temperature);

  const PictureOptions& picture = session.picture;
  EXPECT_LT(picture.fixed_low, picture.fixed_high);
  EXPECT_TRUE(std::isfinite(picture.fixed_low) && std::isfinite(picture.fixed_high));
  EXPECT_TRUE(picture.gamma >= min_gamma && picture.gamma <= max_gamma);
  EXPECT_TRUE(picture.line_threshold >= 0.0F && picture.line_threshold <= 1.0F);

  const Selection& selection = session.selection;
  EXPECT_GE(selection.head, 0);
  EXPECT_LT(selection.head, std::max(session.architecture.n_heads, 1));
  if (selection.token) {
    EXPECT_TRUE(is_token(*selection.token));
  }
  if (selection.pin) {
    const Pin& pin = *selection.pin;
    EXPECT_EQ(normalized(pin.stage), pin.stage);
    EXPECT_LT(pin.stage.head, std::max(session.architecture.n_heads, 1));
    EXPECT_TRUE(pin.row >= 0 && pin.row < axis_size(session, info(pin.stage.kind).rows));
    EXPECT_TRUE(pin.col >= 0 && pin.col < axis_size(session, info(pin.stage.kind).cols));
  }
  EXPECT_EQ(repaired(session, Session{}), session);
}

}  // namespace headscope
