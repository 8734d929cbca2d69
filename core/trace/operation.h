#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/trace/derivation.h"

namespace headscope {

/// How an operation is explained and recomputed.
struct OpRecord {
  Op op;
  /// Derives a cell.
  void (*derive)(Derivation&);
  /// The formula of a stage with the options of the pass: "x W_Q + b_Q".
  std::string (*formula)(const Trace&, const StageId&);
  /// Makes a thread-safe function that computes rows of a stage on demand. Null if rows are always computed
  /// by the pass.
  RowFunction (*rows)(const Trace&, const StageId&) = nullptr;
};

const OpRecord& record_of(Op op);

// The records by family, together one for every operation.
std::span<const OpRecord> source_operations();  ///< parameters, captures and lookups
std::span<const OpRecord> row_operations();     ///< row by row
std::span<const OpRecord> score_operations();   ///< from queries and keys to masked scores
std::span<const OpRecord> weight_operations();  ///< from masked scores to the weights that average values
std::span<const OpRecord> output_operations();  ///< from weights to the outputs of heads, and to words

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

/// The inputs of a normalised query, key or latent.
struct NormedHead {
  std::vector<StageId> parts;  ///< the rows that are normalised together, concatenated
  StageId own;                 ///< the one of this stage
  StageId gain;
  int first_gain = 0;  ///< the first column of the gains of this stage
};
NormedHead normed_head(const Trace& trace, const StageId& id);

}  // namespace headscope
