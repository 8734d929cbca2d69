#pragma once

#include "core/trace/derivation.h"
#include "core/trace/stage_record.h"
#include "core/trace/summary.h"

namespace headscope::stages {

// What the records of several families share.

Absence output_projection_is_absent(const PassTraits& pass, const StageId& id);
Absence feed_forward_is_absent(const PassTraits& pass, const StageId& id);
/// Of what a gated feed-forward layer has besides.
Absence feed_forward_gate_is_absent(const PassTraits& pass, const StageId& id);
Absence output_layer_is_absent(const PassTraits& pass, const StageId& id);

/// “it” (query 7)
std::string token_as(const Trace& trace, const StageId& id, Axis axis, const char* role, int index);
/// "dimension 3"
std::string dimension_text(int index);
/// "Q of “it” (token 7), dimension 3, is −0.42"
std::string row_sentence_of(const Trace& trace, const StageId& id, const std::string& what,
                            const std::string& place, const CellValue& cell);
/// The same, under the stage's title, with the column as a dimension.
std::string row_sentence(const Trace& trace, const StageId& id, const CellValue& cell);

/// The sentence about a score or a weight, and why its cell is hidden where it is.
std::string with_hidden_reason(const Trace& trace, const StageId& id, const CellValue& cell,
                               const std::string& sentence);

/// Whether a stage of another kind is there at the same place.
bool has_beside(const Trace& trace, const StageId& id, StageKind kind);
/// "x W_Q + b_Q", or without the bias.
std::string linear_formula(const Trace& trace, const StageId& id, const std::string& product, StageKind bias);
/// "LayerNorm(x)" or "RMSNorm(x)"
std::string norm_before_formula(const Trace& trace, const StageId& id);
/// What formulas call the norm of the model.
std::string norm_name(const Trace& trace);
/// “x + Y”, or what a norm makes of Y.
std::string residual_formula(const Trace& trace, const StageId& id);
/// "LayerNorm(x + Y)": of the sum, or of the output alone where nothing is added to it.
std::string norm_formula(const Trace& trace, const StageId& id, StageKind residual, StageKind output);

/// What a linear stage multiplies, and what the formula calls that row.
struct LinearParts {
  StageId from;
  StageKind weight, bias;
  const char* input;
  int first_col = 0;  ///< of the stage, that the weights' first column is for
};
void derive_linear(Derivation& d, const LinearParts& parts);
void derive_norm(Derivation& d, StageKind gain_kind, StageKind bias_kind);
/// What the model's activation makes of F.
std::string activation_formula(const Trace& trace, const StageId& id);
void derive_activation(Derivation& d, StageKind from);
void derive_attention_norm(Derivation& d);
void derive_residual(Derivation& d);
void derive_copy(Derivation& d);

}  // namespace headscope::stages
