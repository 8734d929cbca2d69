#include "core/trace/stage_parts.h"

#include <cmath>
#include <utility>

namespace headscope::stages {
namespace {

struct Moments {
  double mean = 0.0;
  double variance = 0.0;  ///< population variance
};

Moments moments_of(std::span<const float> row) {
  Moments moments;
  for (const float x : row) moments.mean += static_cast<double>(x);
  moments.mean /= static_cast<double>(row.size());
  for (const float x : row) {
    const double offset = static_cast<double>(x) - moments.mean;
    moments.variance += offset * offset;
  }
  moments.variance /= static_cast<double>(row.size());
  return moments;
}

}  // namespace

Absence output_projection_is_absent(const PassTraits& pass, const StageId& /*id*/) {
  return unless(pass.architecture.output_projection, Absence::no_output_projection);
}

Absence feed_forward_is_absent(const PassTraits& pass, const StageId& /*id*/) {
  return unless(pass.architecture.d_ff > 0, Absence::no_feed_forward);
}

Absence output_layer_is_absent(const PassTraits& pass, const StageId& /*id*/) {
  return unless(pass.architecture.output_layer != OutputLayer::none, Absence::no_output_layer);
}

std::string token_as(const Trace& trace, const StageId& id, Axis axis, const char* role, int index) {
  return "“" + trace.label(id, axis, index) + "” (" + role + " " + std::to_string(index) + ")";
}

std::string dimension_text(int index) {
  return "dimension " + std::to_string(index);
}

std::string row_sentence_of(const Trace& trace, const StageId& id, const std::string& what,
                            const std::string& place, const CellValue& cell) {
  return what + " of " + token_as(trace, id, info(id.kind).rows, "token", cell.row) + ", " + place + ", is " +
         number_text(cell.value);
}

std::string row_sentence(const Trace& trace, const StageId& id, const CellValue& cell) {
  return row_sentence_of(trace, id, std::string(info(id.kind).title), dimension_text(cell.col), cell);
}

std::string with_hidden_reason(const Trace& trace, const StageId& id, const CellValue& cell,
                               const std::string& sentence) {
  const std::string reason = hidden_reason(trace, id, cell.row, cell.col);
  return reason.empty() ? sentence : sentence + ": hidden (" + reason + ")";
}

bool has_beside(const Trace& trace, const StageId& id, StageKind kind) {
  return trace.has(at_kind(id, kind));
}

std::string linear_formula(const Trace& trace, const StageId& id, const std::string& product,
                           StageKind bias) {
  return has_beside(trace, id, bias) ? product + " + " + std::string(info(bias).symbol) : product;
}

std::string norm_formula(const Trace& trace, const StageId& id, StageKind residual, StageKind output) {
  const StageKind summed = has_beside(trace, id, residual) ? residual : output;
  return norm_name(trace) + "(" + std::string(info(summed).symbol) + ")";
}

std::string residual_formula(const Trace& trace, const StageId& id) {
  return "x + " + std::string(info(computed_from(trace, id).back().kind).symbol);
}

std::string norm_name(const Trace& trace) {
  return trace.architecture().norm_kind == NormKind::rms ? "RMSNorm" : "LayerNorm";
}

std::string norm_before_formula(const Trace& trace, const StageId& /*id*/) {
  return norm_name(trace) + "(x)";
}

void derive_linear(Derivation& d, const LinearParts& parts) {
  const std::string w(info(parts.weight).symbol);
  const std::string input(parts.input);
  std::vector<float> numbers = d.row_of(parts.from, d.row);
  const std::string products = input + " × " + w;
  const int col = d.col - parts.first_col;
  const double sum =
      d.add_products({input + " " + d.quoted(d.row, info(d.id.kind).rows), std::move(numbers), {}},
                     {w + " column " + std::to_string(col), d.column_of(parts.weight, col), {}}, products);
  d.add_source(parts.from, d.row, std::nullopt);
  d.add_source(parts.weight, std::nullopt, col);
  d.finish_linear(products, sum, parts.bias, parts.first_col);
}

namespace {

void derive_layer_norm(Derivation& d, const std::vector<float>& row, double x, StageKind gain_kind,
                       StageKind bias_kind) {
  const Moments moments = moments_of(row);
  const double gain = d.number(gain_kind, 0, d.col);
  const double bias = d.number(bias_kind, 0, d.col);
  const float epsilon = d.trace.architecture().norm_epsilon;
  d.add_source(bias_kind, 0, d.col);
  d.add_step("mean of the row", moments.mean);
  d.add_step("variance of the row", moments.variance, "divided by n, not n − 1");
  const double unit = (x - moments.mean) / std::sqrt(moments.variance + static_cast<double>(epsilon));
  d.add_step("(x − mean) / √(variance + ε)", unit,
             "ε = " + number_text(epsilon) + " keeps the root from being 0");
  d.add_cell("γ", gain_kind, 0, d.col);
  d.add_cell("β", bias_kind, 0, d.col);
  d.add_step("LayerNorm(x) = that × γ + β", unit * gain + bias);
}

void derive_rms_norm(Derivation& d, const std::vector<float>& row, double x, StageKind gain_kind) {
  double squares = 0.0;
  for (const float number : row) squares += static_cast<double>(number) * static_cast<double>(number);
  squares /= static_cast<double>(row.size());
  const double gain = d.number(gain_kind, 0, d.col);
  const float epsilon = d.trace.architecture().norm_epsilon;
  const double root = std::sqrt(squares + static_cast<double>(epsilon));
  d.add_step("mean of x² over the row", squares, "the mean is not subtracted");
  d.add_step("√(mean(x²) + ε)", root, "ε = " + number_text(epsilon) + " keeps the root from being 0");
  d.add_step("x / √(mean(x²) + ε)", x / root);
  d.add_cell("γ", gain_kind, 0, d.col);
  d.add_step("RMSNorm(x) = that × γ", x / root * gain, "RMS norm has no bias");
}

}  // namespace

void derive_norm(Derivation& d, StageKind gain_kind, StageKind bias_kind) {
  const StageId from = inputs_of(d.trace, d.id).front();
  const std::vector<float> row = d.row_of(from, d.row);
  const double x = row[static_cast<std::size_t>(d.col)];
  d.add_strip({"x " + d.quoted(d.row), row, {}});
  d.add_source(from, d.row, std::nullopt);
  d.add_source(gain_kind, 0, d.col);
  d.add_cell("x[" + std::to_string(d.col) + "]", from, d.row, d.col);
  if (d.trace.architecture().norm_kind == NormKind::rms) {
    derive_rms_norm(d, row, x, gain_kind);
  } else {
    derive_layer_norm(d, row, x, gain_kind, bias_kind);
  }
}

void derive_attention_norm(Derivation& d) {
  derive_norm(d, StageKind::norm_gain, StageKind::norm_bias);
}

void derive_residual(Derivation& d) {
  const std::vector<StageId> parts = inputs_of(d.trace, d.id);
  double sum = 0.0;
  for (const StageId& part : parts) {
    d.add_source(part, d.row, d.col);
    d.add_cell(path(part), part, d.row, d.col);
    sum += d.number(part, d.row, d.col);
  }
  d.add_step(residual_formula(d.trace, d.id), sum,
             d.trace.architecture().is_parallel()
                 ? "the input of the block plus the outputs of both sublayers"
                 : "the input of the sublayer plus its output");
}

void derive_copy(Derivation& d) {
  const StageId origin = inputs_of(d.trace, d.id).front();
  d.add_source(origin, d.row, d.col);
  d.add_cell(std::string(info(d.id.kind).symbol) + " = " + std::string(info(origin.kind).symbol), origin,
             d.row, d.col, "a copy of " + path(origin));
}

}  // namespace headscope::stages
