#include "core/trace/foreign_stages.h"

#include "core/model/model.h"
#include "core/trace/derivation.h"

namespace headscope::stages {

Absence segments_are_absent(const PassTraits& pass, const StageId& /*id*/) {
  return unless(pass.architecture.foreign.segments > 0, Absence::no_segments);
}

Absence embedding_norm_is_absent(const PassTraits& pass, const StageId& /*id*/) {
  return unless(pass.architecture.foreign.embedding_norm, Absence::no_embedding_norm);
}

Absence embedding_norm_bias_is_absent(const PassTraits& pass, const StageId& id) {
  const Absence norm = embedding_norm_is_absent(pass, id);
  if (norm != Absence::none) return norm;
  return unless(pass.architecture.norm_kind == NormKind::layer, Absence::no_norm_bias);
}

Absence embedding_projection_is_absent(const PassTraits& pass, const StageId& /*id*/) {
  return unless(pass.architecture.projects_embedding(), Absence::no_embedding_projection);
}

Absence embedding_sum_is_absent(const PassTraits& pass, const StageId& /*id*/) {
  return unless(pass.architecture.prepares_input(), Absence::sum_is_input);
}

Absence output_transform_is_absent(const PassTraits& pass, const StageId& id) {
  const Absence layer = output_layer_is_absent(pass, id);
  if (layer != Absence::none) return layer;
  return unless(pass.architecture.has_output_transform(), Absence::no_output_transform);
}

Absence transform_norm_bias_is_absent(const PassTraits& pass, const StageId& id) {
  const Absence transform = output_transform_is_absent(pass, id);
  if (transform != Absence::none) return transform;
  return unless(pass.architecture.norm_kind == NormKind::layer, Absence::no_norm_bias);
}

std::string segments_sentence(const Trace& /*trace*/, const StageId& /*id*/, const CellValue& cell) {
  return "Segment " + std::to_string(cell.row) + ", " + dimension_text(cell.col) + ", is " +
         number_text(cell.value);
}

std::string origin_of_foreign(const Trace& /*trace*/, const StageId& /*id*/) {
  return "read from the model's file";
}

std::string embedding_sum_formula(const Trace& trace, const StageId& id) {
  std::string formula;
  for (const StageId& part : computed_from(trace, id))
    formula.append(formula.empty() ? "" : " + ").append(info(part.kind).symbol);
  return formula;
}

std::string embedding_sum_normed_formula(const Trace& trace, const StageId& /*id*/) {
  return norm_name(trace) + "(X₀)";
}

std::string transform_output_formula(const Trace& trace, const StageId& /*id*/) {
  return norm_name(trace) + "(F′)";
}

void derive_segments(Derivation& d) {
  const Token& token = d.trace.tokens(d.id.stack)[static_cast<std::size_t>(d.row)];
  const std::string name = std::to_string(token.segment);
  d.add_cell("segments.table: S[" + name + ", " + std::to_string(d.col) + "]", StageKind::segments_table,
             token.segment, d.col,
             "the token belongs to segment " + name + ", which is row " + name +
                 " of the table: 0 up to the first separator, and 1 after it in models of pairs");
  d.add_source(StageKind::segments_table, token.segment, d.col);
}

void derive_embedding_sum(Derivation& d) {
  double sum = 0.0;
  for (const StageId& part : inputs_of(d.trace, d.id)) {
    d.add_source(part, d.row, d.col);
    d.add_cell(std::string(info(part.kind).symbol) + " " + d.quoted(d.row), part, d.row, d.col);
    sum += d.number(part, d.row, d.col);
  }
  d.add_step("X₀ = " + embedding_sum_formula(d.trace, d.id), sum);
}

void derive_embedding_sum_normed(Derivation& d) {
  derive_norm(d, embedding_norm_gain, embedding_norm_bias);
}

void derive_transform_hidden(Derivation& d) {
  derive_linear(d, {model_output(d.trace), w_transform, b_transform, "X′"});
}

void derive_transform_activated(Derivation& d) {
  derive_activation(d, transform_hidden);
}

void derive_transform_output(Derivation& d) {
  derive_norm(d, transform_norm_gain, transform_norm_bias);
}

MatrixView transformed(const PassPlace& at, const float* numbers) {
  if (numbers == nullptr) return {};
  const int n = at.buffers.stack(at.architecture().last_stack()).n_tokens;
  const int width = at.architecture().output_width();
  return {numbers, n, width, width};
}

}  // namespace headscope::stages
