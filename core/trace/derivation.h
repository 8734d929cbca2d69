#pragma once

#include <string>
#include <vector>

#include "core/trace/explain.h"
#include "core/trace/wiring.h"

namespace headscope {

/// The derivation of one cell in progress: what is explained, and the sheet it is written to. The `derive` of
/// the stage's record fills the sheet.
struct Derivation {
  /// A row of numbers with its name.
  struct Factor {
    std::string label;
    std::vector<float> values;
    std::vector<std::string> names;  ///< of the elements; empty: dimensions
  };

  const Trace& trace;
  StageId id;
  int row = 0;
  int col = 0;
  Explanation sheet;

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

  /// Writes two factors and their elementwise products; returns the products' sum, in double precision.
  double add_products(Factor a, Factor b, const std::string& product_label);
  void add_strip(Factor strip);
  void add_computed_strip(Factor strip);
  void add_step(std::string label, double value, std::string note = {});
  /// A step that is the number of a cell as it stands there.
  void add_cell(std::string label, const StageId& stage, int at_row, int at_col, std::string note = {});
  void add_cell(std::string label, StageKind kind, int at_row, int at_col, std::string note = {});
  void add_source(StageKind kind, std::optional<int> source_row, std::optional<int> source_col);

  void add_source(const StageId& stage, std::optional<int> source_row, std::optional<int> source_col);

  /// “it”: a token along an axis of the stage.
  std::string quoted(int token, Axis axis = Axis::query_tokens) const;
  /// Texts of all tokens along an axis, as names of a strip's elements.
  std::vector<std::string> token_names(Axis axis) const;
  /// The last steps of y = x W + b from the products' sum on; `products` is what they were called.
  /// `first_col`: of the stage, that the bias begins with.
  void finish_linear(const std::string& products, double sum, StageKind bias_kind, int first_col = 0);
};

/// What is done to raw scores: " / √16", " / (√16 · 2)", " · 0.1 / 2", " · (0.1 ln 40 + 1)² / √12", or
/// nothing.
std::string score_scaling_text(const Trace& trace, const StageId& id);
/// YaRN's m: "0.1 ln 40 + 1".
std::string yarn_factor_text(const Rotary& rotary);

/// What hides a cell of a head's scores ("causal: key 5 comes after query 3"); empty when it is visible.
std::string hidden_reason(const Trace& trace, const StageId& id, int query, int key);

}  // namespace headscope
