#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/measures/head_scale.h"
#include "core/page/page.h"
#include "core/page/parts/headline.h"
#include "core/page/parts/page_builder.h"

namespace headscope {

/// The selected query's row of the selected head, with and without the division by √d_head.
struct ScaledRow {
  StageId raw;
  int query = 0;
  std::string token;
  ScoreFactors factors;
  SoftmaxRow divided, undivided;
  std::vector<int> keys;  ///< The keys that the mask leaves visible.
};

/// The query whose row is shown: the selected one, or the last if none is selected.
int scaled_query(const PageInputs& in);

/// Why there is no row to show. Empty if there is one.
std::string why_no_scaled_row(const PageInputs& in);

/// Empty while the row is being read. The pass must have the row.
std::optional<ScaledRow> scaled_row(const PageInputs& in, PageTools& tools);

/// Describes how the weights of the row, and the gradient through it, would change without the division.
std::vector<std::string> sentences_of(const ScaledRow& row);

/// Points out a row that the division changes much, if it changes the shown one little. Empty if there is
/// none, or in a long text. The pass must have all rows.
std::string notable_row(const PageInputs& in, const ScaledRow& shown);

/// The names of the scores with and without the factor, in a sentence and above a column.
struct ScaleWords {
  std::string with, without;
  std::string column_with, column_without;
};
ScaleWords scale_words(const Trace& trace);

/// The scores and weights of the row with and without the division, side by side or, if the page is narrow,
/// below each other. Limits the number of keys so that the curves below fit into the height.
void add_scaled_bars(const PageInputs& in, PageTools& tools, const ScaledRow& row, float height,
                     PageBuilder& page);

/// The Jacobians of the row's softmax with and without the division, with an explanation.
void add_scaled_jacobians(const PageInputs& in, PageTools& tools, const ScaledRow& row, PageBuilder& page);

/// Describes a cell of a Jacobian: "∂ weight of “animal” / ∂ score of “street” = …". Empty if the table is
/// not a Jacobian.
std::string describe_jacobian(const PageInputs& in, PageTools& tools, const std::string& table,
                              CellIndex cell);

/// Whether the model has a task whose loss can be differentiated.
bool has_task_of_gradients(const PageInputs& in);

/// Explains why scores are divided by √d_head. Shows, with and without the division, the selected query's
/// scores, weights and softmax Jacobian, the same measures over all queries of each head and over random
/// queries and keys of any width, and how much of the loss gradient passes through softmax in the model's
/// task.
Page scale_page(const PageInputs& in, const PageSize& size, PageTools& tools);

/// What the division does to the selected row.
Headline scale_headline(const PageInputs& in, PageTools& tools);

/// The numbers of the page, each with and without the division: the selected query's "row" and its
/// "jacobian", the "heads" of the attention, and "random" queries and keys. Fails if there is no row to show.
PageNumbers scale_numbers(const PageInputs& in, PageTools& tools);

}  // namespace headscope
