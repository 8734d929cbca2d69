#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/measures/head_scale.h"
#include "core/page/page.h"
#include "core/page/page_inputs.h"

namespace headscope {

/// The selected query's row of the selected head, with and without the division by √d_head.
struct ScaledRow {
  StageId raw;
  int query = 0;
  std::string token;
  ScoreFactors factors;
  SoftmaxRow divided, undivided;
  std::vector<int> keys;  ///< that the mask shows
};

/// The query whose row is shown: the selected one, else the last.
int scaled_query(const PageInputs& in);

/// Why there is no row to show; empty where there is one.
std::string reason_against_scale(const PageInputs& in);

/// Nothing while it is being read. The pass must have it.
std::optional<ScaledRow> scaled_row(const PageInputs& in, PageTools& tools);

/// What not dividing does to the row, in a sentence.
std::string sentence_of(const ScaledRow& row);

/// What the scores with the factor and those without it are called: in a sentence, and above a column.
struct ScaleWords {
  std::string with, without;
  std::string column_with, column_without;
};
ScaleWords scale_words(const Trace& trace);

/// The row's scores and weights, with the division and without it, beside each other or, in a narrow room,
/// below each other. In a room of this height so many keys that the curves below them are in sight, too.
Page scaled_bars(const PageInputs& in, PageTools& tools, const ScaledRow& row, const PageSize& size);

/// The Jacobian of the row's softmax, with the division and without it, and what it says.
Page scaled_jacobians(const PageInputs& in, PageTools& tools, const ScaledRow& row, float width);

}  // namespace headscope
