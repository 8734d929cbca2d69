#pragma once

#include <string>
#include <vector>

#include "core/trace/explain.h"
#include "core/trace/trace.h"

namespace headscope {

/// The derivation of one cell in progress: the cell to be explained, and the sheet that the `derive` function
/// of the stage's record fills.
struct Derivation {
  /// A row of numbers with its name.
  struct Factor {
    std::string label;
    std::vector<float> values;
    std::vector<std::string> names;  ///< the names of the elements; empty if they are dimensions
  };

  const Trace& trace;
  StageId id;
  int row = 0;
  int col = 0;
  Explanation sheet;

  /// One of the stages that the cell's stage is computed from, in the order in which its formula names them.
  StageId input(std::size_t i) const { return trace.graph().inputs(id).at(i); }
  /// The stage of another kind in the same head, attention, layer and stack.
  StageId sibling(StageKind kind) const;
  bool has(StageKind kind) const { return trace.has(sibling(kind)); }
  double number(StageKind kind, int at_row, int at_col) const {
    return number(sibling(kind), at_row, at_col);
  }
  double number(const StageId& stage, int at_row, int at_col) const {
    return static_cast<double>(trace.number(stage, at_row, at_col));
  }
  std::vector<float> row_of(StageKind kind, int index) const { return row_of(sibling(kind), index); }
  std::vector<float> row_of(const StageId& stage, int index) const;
  std::vector<float> column_of(StageKind kind, int index) const;

  /// Writes two factors and their elementwise products. Returns the sum of the products in double precision.
  double add_products(Factor a, Factor b, const std::string& product_label);
  void add_strip(Factor strip);
  void add_computed_strip(Factor strip);
  void add_step(std::string label, double value, std::string note = {});
  /// Adds a step whose value is the stored number of a cell.
  void add_cell(std::string label, const StageId& stage, int at_row, int at_col, std::string note = {});
  void add_cell(std::string label, StageKind kind, int at_row, int at_col, std::string note = {});
  void add_source(StageKind kind, std::optional<int> source_row, std::optional<int> source_col);

  void add_source(const StageId& stage, std::optional<int> source_row, std::optional<int> source_col);

  /// The quoted token at an index along an axis of the stage: “it”.
  std::string quoted(int token, Axis axis = Axis::query_tokens) const;
  /// The texts of all tokens along an axis, for naming the elements of a strip.
  std::vector<std::string> token_names(Axis axis) const;
  /// Writes the last steps of y = x W + b, from the sum of the products on. `products` is the label that the
  /// products have. `first_col` is the column of the stage at which the bias begins.
  void finish_linear(const std::string& products, double sum, const std::optional<StageId>& bias,
                     int first_col = 0);
};

/// The scaling of the raw scores as a formula: " / √16", " / (√16 · 2)", " · 0.1 / 2" or " · (0.1 ln 40 + 1)²
/// / √12". Empty if they are not scaled.
std::string score_scaling_text(const Trace& trace, const StageId& id);
/// YaRN's m: "0.1 ln 40 + 1".
std::string yarn_factor_text(const Rotary& rotary);

/// The reason why a cell of a head's scores is hidden ("causal: key 5 comes after query 3"). Empty if it is
/// visible.
std::string hidden_reason(const Trace& trace, const StageId& id, int query, int key);

}  // namespace headscope
