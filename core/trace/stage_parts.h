#pragma once

#include "core/trace/derivation.h"
#include "core/trace/stage_record.h"
#include "core/trace/summary.h"

namespace headscope::stages {

// Functions that the records of several families share.

Absence output_projection_is_absent(const PassTraits& pass, const StageId& id);
Absence feed_forward_is_absent(const PassTraits& pass, const StageId& id);
/// For the additional stages and parameters of a gated feed-forward layer.
Absence feed_forward_gate_is_absent(const PassTraits& pass, const StageId& id);
Absence output_layer_is_absent(const PassTraits& pass, const StageId& id);

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
/// The formula "x W_Q + b_Q", or the same without the bias if there is none.
std::string linear_formula(const Trace& trace, const StageId& id, const std::string& product, StageKind bias);
/// The formula "LayerNorm(x)" or "RMSNorm(x)".
std::string norm_before_formula(const Trace& trace, const StageId& id);
/// The name of the model's norm in formulas.
std::string norm_name(const Trace& trace);
/// The formula “x + Y”, with the normalised Y if there is a norm.
std::string residual_formula(const Trace& trace, const StageId& id);
/// The formula "LayerNorm(x + Y)", or that of the output alone if nothing is added to it.
std::string norm_formula(const Trace& trace, const StageId& id, StageKind residual, StageKind output);

/// The parts of a linear stage, and the name of its input row in the formula.
struct LinearParts {
  StageId from;
  StageKind weight, bias;
  const char* input;
  int first_col = 0;  ///< the column of the stage that belongs to the first column of the weights
};
void derive_linear(Derivation& d, const LinearParts& parts);
void derive_norm(Derivation& d, StageKind gain_kind, StageKind bias_kind);
/// The formula of the model's activation, applied to F.
std::string activation_formula(const Trace& trace, const StageId& id);
void derive_activation(Derivation& d, StageKind from);
void derive_attention_norm(Derivation& d);
void derive_residual(Derivation& d);
void derive_copy(Derivation& d);

}  // namespace headscope::stages
