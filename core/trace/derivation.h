#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/model/pass_edits.h"
#include "core/trace/explain.h"
#include "core/trace/trace.h"

namespace headscope {

/// A derivation in progress: the cell to explain, and the explanation that derive_cell() fills in.
struct Derivation {
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
  Explanation::Strip read_row(std::string label, const StageId& stage, int index);
  Explanation::Strip read_column(std::string label, const StageId& stage, int index);
  /// Same as add_cell().
  double read_cell(std::string label, const StageId& stage, int at_row, int at_col, std::string note = {});

  /// Adds two strips and their elementwise product as strips. Returns their dot product in double precision.
  double add_products(Explanation::Strip a, Explanation::Strip b, const std::string& product_label);
  void add_strip(Explanation::Strip strip) { explanation.strips.push_back(std::move(strip)); }
  void add_computed_strip(Explanation::Strip strip);
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

/// How an operation is explained and recomputed.
struct OpRecord {
  Op op;
  /// Derives a cell.
  void (*derive)(Derivation&);
  /// The formula of a stage with the options of the pass: "x W_Q + b_Q", or a text with {0} and {1} in place
  /// of the symbols of its first inputs.
  std::variant<std::string_view, std::string (*)(const Trace&, const StageId&)> formula;
  /// Makes a thread-safe function that computes rows of a stage on demand. Null if rows are always computed
  /// by the pass.
  RowFunction (*rows)(const Trace&, const StageId&) = nullptr;
};

const OpRecord& record_of(Op op);

// The records by family, together one for every operation.
std::span<const OpRecord> source_operations();  ///< parameters, captures and lookups
std::span<const OpRecord> row_operations();     ///< row by row
std::span<const OpRecord> stream_operations();  ///< of inputs of layers and of several streams
std::span<const OpRecord> score_operations();   ///< from queries and keys to the weights that average values
std::span<const OpRecord> position_operations();  ///< what positions add to scores
std::span<const OpRecord> output_operations();    ///< from weights to the outputs of heads, and to words

inline std::string symbol_of(const StageId& id) {
  return std::string(info(id.kind).symbol);
}
inline std::string input_symbol(const Trace& trace, const StageId& id, std::size_t i = 0) {
  return symbol_of(trace.graph().inputs(id).at(i));
}
/// The symbol of a row of a stage, in lower case for queries and keys: "q", "k̂".
std::string symbol_of_row(const StageId& id);
/// The name of the input rows of a stage: “x” for the residual stream, “memory” for the encoder's output in
/// cross-attention, otherwise their symbol.
std::string name_of_rows(const StageId& id, const StageId& rows);
/// The name of an expert of the feed-forward layer: "expert 3".
std::string expert_name(const Trace& trace, int expert);
/// YaRN's m: "0.1 ln 40 + 1".
std::string yarn_factor_text(const Rotary& rotary);

/// The inputs of a normalised query, key, value or latent.
struct NormedHead {
  std::vector<StageId> parts;        ///< the rows that are normalised together, concatenated
  StageId own;                       ///< the one of this stage
  std::optional<StageId> gain = {};  ///< that of values is 1
  int first_gain = 0;                ///< the first column of the gains of this stage
};
NormedHead normed_head(const Trace& trace, const StageId& id);

}  // namespace headscope
