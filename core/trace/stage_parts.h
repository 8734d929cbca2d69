#pragma once

#include "core/trace/derivation.h"
#include "core/trace/stage_record.h"
#include "core/trace/summary.h"

namespace headscope::stages {

// Functions that the records of several families share.

/// The token at an index with its role: “it” (query 7).
std::string token_as(const Trace& trace, const StageId& id, Axis axis, const char* role, int index);
/// The name of a dimension: "dimension 3".
std::string dimension_text(int index);
/// A sentence such as "Q of “it” (token 7), dimension 3, is −0.42".
std::string row_sentence_of(const Trace& trace, const StageId& id, const std::string& what,
                            const std::string& place, const CellValue& cell);
/// The same with the title of the stage, and with the column as the dimension.
std::string row_sentence(const Trace& trace, const StageId& id, const CellValue& cell);

/// Appends to the sentence about a score or a weight the reason why its cell is hidden, if it is.
std::string with_hidden_reason(const Trace& trace, const StageId& id, const CellValue& cell,
                               const std::string& sentence);

/// Whether the pass has the stage of another kind at the same place.
bool has_beside(const Trace& trace, const StageId& id, StageKind kind);
/// The name of the model's norm in formulas.
std::string norm_name(const Trace& trace);
/// The name of the rows that a stage is computed from: “x” for those that flow through the layers, “memory”
/// for the encoder's output in cross-attention, and else their symbol.
std::string name_of_rows(const StageId& id, const StageId& rows);
/// The symbol of one row of a stage. That of a query or a key is in lower case: "q", "k̂".
std::string symbol_of_row(StageKind kind);
/// Returns the formula of a stage from its operation and its inputs, such as "x W_Q + b_Q". Empty for
/// operations whose formulas are in the records.
std::string formula_by_operation(const Trace& trace, const StageId& id);

/// The sentence about a number of a parameter, or about a dimension of a token's row.
std::string sentence_by_operation(const Trace& trace, const StageId& id, const CellValue& cell);

/// Derives a cell by the operation of its stage. Does nothing for operations that only the record of a kind
/// can derive.
void derive_by_operation(Derivation& d);

/// Derives a cell of x W + b. The first column of the weights makes the column `first_col` of the stage.
void derive_linear(Derivation& d, int first_col = 0);

}  // namespace headscope::stages
