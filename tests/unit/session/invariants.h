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

inline bool is_index(int index, int size) {
  return index >= 0 && index < size;
}

inline void expect_valid_mask(const MaskSpec& mask, int n_queries, int n_keys) {
  EXPECT_TRUE(is_sorted_unique(mask.padding));
  EXPECT_TRUE(is_sorted_unique(mask.painted));
  for (const int token : mask.padding) EXPECT_TRUE(is_index(token, n_keys));
  for (const Cell& cell : mask.painted) {
    EXPECT_TRUE(is_index(cell.query, n_queries) && is_index(cell.key, n_keys));
  }
  EXPECT_GE(mask.window.value_or(0), 0);
  EXPECT_GE(mask.prefix.value_or(0), 0);
}

inline void expect_valid_batch(const Session& session) {
  for (const std::string& sentence : session.batch) EXPECT_EQ(valid_utf8(sentence), sentence);
  if (session.batch.empty()) {
    EXPECT_EQ(session.sequence, 0);
    return;
  }
  ASSERT_TRUE(is_index(session.sequence, static_cast<int>(session.batch.size())));
  EXPECT_EQ(session.batch[static_cast<std::size_t>(session.sequence)], session.sentence);
}

inline void expect_valid_selection(const Session& session) {
  const Selection& selection = session.selection;
  const Architecture& a = session.architecture;
  EXPECT_TRUE(is_index(selection.head, std::max(a.n_heads, 1)));
  EXPECT_TRUE(is_index(selection.layer, std::max(a.n_layers, 1)));
  EXPECT_TRUE(a.has(selection.stack));
  EXPECT_TRUE(selection.attention == AttentionKind::self ||
              (a.has_cross() && selection.stack == Stack::decoder));
  EXPECT_TRUE(is_sorted_unique(selection.heads));
  for (const HeadIndex& place : selection.heads) {
    EXPECT_TRUE(is_index(place.layer, std::max(a.n_layers, 1)) &&
                is_index(place.head, std::max(a.n_heads, 1)));
  }
  if (selection.token) {
    const bool counts_target = a.has_cross() && selection.stack == Stack::decoder;
    EXPECT_TRUE(
        is_index(*selection.token, counts_target ? n_target_tokens(session) : n_source_tokens(session)));
  }
  if (!selection.pin) return;
  const Pin& pin = *selection.pin;
  EXPECT_EQ(normalized(pin.stage), pin.stage);
  EXPECT_LT(pin.stage.head, std::max(a.n_heads, 1));
  EXPECT_LT(pin.stage.layer, std::max(a.n_layers, 1));
  EXPECT_TRUE(is_index(pin.row, axis_size(session, pin.stage, info(pin.stage.kind).rows)));
  EXPECT_TRUE(is_index(pin.col, axis_size(session, pin.stage, info(pin.stage.kind).cols)));
}

/// Checks the invariants of every session that reduce() returns.
inline void expect_invariants(const Session& session) {
  EXPECT_EQ(valid_utf8(session.sentence), session.sentence);
  EXPECT_EQ(valid_utf8(session.target), session.target);
  expect_valid_batch(session);
  const int n_source = n_source_tokens(session);
  const int n_target = n_target_tokens(session);
  const AttentionOptions& attention = session.attention;
  expect_valid_mask(attention.mask, n_source, n_source);
  expect_valid_mask(attention.target_mask, n_target, n_target);
  expect_valid_mask(attention.cross_mask, n_target, n_source);
  EXPECT_TRUE(attention.temperature >= min_temperature && attention.temperature <= max_temperature);
  EXPECT_TRUE(attention.dropout >= 0.0F && attention.dropout <= max_dropout);
  const Sampling& sampling = session.sampling;
  EXPECT_TRUE(sampling.temperature >= min_sampling_temperature &&
              sampling.temperature <= max_sampling_temperature);
  EXPECT_TRUE(sampling.top_p >= 0.0F && sampling.top_p <= 1.0F);
  EXPECT_GE(sampling.top_k, 0);

  const PictureOptions& picture = session.picture;
  EXPECT_LT(picture.fixed_low, picture.fixed_high);
  EXPECT_TRUE(std::isfinite(picture.fixed_low) && std::isfinite(picture.fixed_high));
  EXPECT_TRUE(picture.gamma >= min_gamma && picture.gamma <= max_gamma);
  EXPECT_TRUE(picture.line_threshold >= 0.0F && picture.line_threshold <= 1.0F);

  expect_valid_selection(session);
  EXPECT_EQ(repaired(session, Session{}), session);
}

}  // namespace headscope
