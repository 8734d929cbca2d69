#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/trace/derivation.h"

namespace headscope {

/// What follows from the operation of a stage and from its inputs.
struct OpRecord {
  Op op;
  /// Derives a cell.
  void (*derive)(Derivation&);
  /// The formula of a stage with the options of the pass filled in, such as "x W_Q + b_Q".
  std::string (*formula)(const Trace&, const StageId&);
  /// A function that computes rows of a stage which the pass did not keep, possibly from other stages.
  /// Thread-safe. Null if such rows are always computed as a step of the pass.
  RowMaker (*rows)(const Trace&, const StageId&) = nullptr;
};

const OpRecord& record_of(Op op);

// The records of each family. Together they have one for every operation.
std::span<const OpRecord> source_operations();  ///< of parameters, and of what is read or looked up
std::span<const OpRecord> row_operations();     ///< of what is computed row by row
std::span<const OpRecord> score_operations();   ///< from queries and keys to masked scores
std::span<const OpRecord> weight_operations();  ///< from masked scores to the weights that average values
std::span<const OpRecord> output_operations();  ///< from weights to the outputs of heads, and to words

inline std::string symbol_of(const StageId& id) {
  return std::string(info(id.kind).symbol);
}
inline std::string input_symbol(const Trace& trace, const StageId& id, std::size_t i = 0) {
  return symbol_of(trace.graph().inputs(id).at(i));
}
/// The symbol of one row of a stage. That of a query or a key is in lower case: "q", "k̂".
std::string symbol_of_row(const StageId& id);
/// The name of the rows that a stage is computed from: “x” for those that flow through the layers, “memory”
/// for the encoder's output in cross-attention, and else their symbol.
std::string name_of_rows(const StageId& id, const StageId& rows);
/// The name of an expert of the feed-forward layer: "expert 3".
std::string expert_name(const Trace& trace, int expert);
/// YaRN's m: "0.1 ln 40 + 1".
std::string yarn_factor_text(const Rotary& rotary);

/// What a normalised query, key or latent is computed from.
struct NormedHead {
  std::vector<StageId> parts;  ///< the rows that are normalised together, side by side
  StageId own;                 ///< the one among them that becomes the stage
  StageId gain;
  int first_gain = 0;  ///< the column of the gains at which those of the stage begin
};
NormedHead normed_head(const Trace& trace, const StageId& id);

}  // namespace headscope
