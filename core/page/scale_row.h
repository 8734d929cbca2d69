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

/// Both rows beside each other, or below each other in a narrow room: scores, weights and the Jacobian.
Page scaled_row_part(const PageInputs& in, PageTools& tools, const ScaledRow& row, float width);

/// What a cell of one of the Jacobians says: "∂ weight of “animal” / ∂ score of “street” = …". Empty where
/// the table is no Jacobian.
std::string said_of_jacobian(const PageInputs& in, PageTools& tools, const std::string& table,
                             CellIndex cell);

}  // namespace headscope
