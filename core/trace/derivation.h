#pragma once

#include <string>
#include <vector>

#include "core/model/pass_edits.h"
#include "core/trace/explain.h"
#include "core/trace/trace.h"

namespace headscope {

/// A derivation in progress: the cell to explain, and the explanation that derive_cell() fills in.
struct Derivation {
  /// A labelled vector.
  struct Factor {
    std::string label;
    std::vector<float> values;
    std::vector<std::string> names;  ///< element names; empty for dimensions
  };

  const Trace& trace;
  StageId id;
  int row = 0;
  int col = 0;
  Explanation explanation;

  /// An input of the cell's stage, in the order of its formula.
  StageId input(std::size_t i) const { return trace.graph().inputs(id).at(i); }
  std::size_t n_inputs() const { return trace.graph().inputs(id).size(); }
  double number(const StageId& stage, int at_row, int at_col) const {
    return static_cast<double>(trace.number(stage, at_row, at_col));
  }
  std::vector<float> row_of(const StageId& stage, int index) const;
  std::vector<float> column_of(const StageId& stage, int index) const;

  // Read rows, columns and cells of input stages, and record them as sources.
  Factor read_row(std::string label, const StageId& stage, int index);
  Factor read_column(std::string label, const StageId& stage, int index);
  /// Same as add_cell().
  double read_cell(std::string label, const StageId& stage, int at_row, int at_col, std::string note = {});

  /// Adds two factors and their elementwise product as strips. Returns their dot product in double precision.
  double add_products(Factor a, Factor b, const std::string& product_label);
  void add_strip(Factor strip);
  void add_computed_strip(Factor strip);
  void add_step(std::string label, double value, std::string note = {});
  /// Adds a step with the stored number of a cell, and returns it.
  double add_cell(std::string label, const StageId& stage, int at_row, int at_col, std::string note = {});
  void add_source(const StageId& stage, std::optional<int> source_row, std::optional<int> source_col);

  /// The quoted token at an index along an axis: “it”.
  std::string quoted(int token, Axis axis) const;
  std::string quoted_row() const { return quoted(row, info(id.kind).rows); }
  std::string quoted_key() const { return quoted(col, Axis::key_tokens); }
  /// The tokens or words along an axis of a stage. Empty for dimensions.
  std::vector<std::string> names_along(const StageId& stage, Axis axis) const;
};

/// Derives the cell from its stage's operation and inputs.
void derive_cell(Derivation& d);

/// The edits of the head of a stage, or null.
const HeadEdits* edits_of_head(const Trace& trace, const StageId& id);

/// The scaling of the raw scores as a formula: " / √16", " / (√16 · 2)", " · 0.1 / 2" or " · (0.1 ln 40 + 1)²
/// / √12". Empty if they are not scaled.
std::string score_scaling_text(const Trace& trace, const StageId& id);

/// Why a cell of a head's scores is hidden ("causal: key 5 comes after query 3"). Empty if it is visible.
std::string hidden_reason(const Trace& trace, const StageId& id, int query, int key);

}  // namespace headscope
