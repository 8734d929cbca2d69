#include "core/trace/stage_parts.h"

#include <cmath>
#include <utility>

#include "core/tensor/layer_norm.h"

namespace headscope::stages {
namespace {

struct Moments {
  double mean = 0.0;
  double variance = 0.0;  ///< population
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

Absence output_projection_is_absent(const Trace& trace, const StageId& /*id*/) {
  return unless(trace.architecture().output_projection, Absence::no_output_projection);
}

Absence feed_forward_is_absent(const Trace& trace, const StageId& /*id*/) {
  return unless(trace.architecture().d_ff > 0, Absence::no_feed_forward);
}

Absence output_layer_is_absent(const Trace& trace, const StageId& /*id*/) {
  return unless(trace.architecture().output_layer != OutputLayer::none, Absence::no_output_layer);
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
  return "LayerNorm(" + std::string(info(summed).symbol) + ")";
}

void derive_linear(Derivation& d, const LinearParts& parts) {
  const std::string w(info(parts.weight).symbol);
  const std::string input(parts.input);
  std::vector<float> numbers = d.row_of(parts.from, d.row);
  const std::string products = input + " × " + w;
  const double sum = d.add_products(
      {input + " " + d.quoted(d.row, info(d.id.kind).rows), std::move(numbers), {}},
      {w + " column " + std::to_string(d.col), d.column_of(parts.weight, d.col), {}}, products);
  d.add_source(parts.from, d.row, std::nullopt);
  d.add_source(parts.weight, std::nullopt, d.col);
  d.finish_linear(products, sum, parts.bias);
}

void derive_norm(Derivation& d, StageKind gain_kind, StageKind bias_kind) {
  const StageId from = inputs_of(d.trace, d.id).front();
  const std::vector<float> row = d.row_of(from, d.row);
  const Moments moments = moments_of(row);
  const double x = row[static_cast<std::size_t>(d.col)];
  const double gain = d.number(gain_kind, 0, d.col);
  const double bias = d.number(bias_kind, 0, d.col);
  d.add_strip({"x " + d.quoted(d.row), row, {}});
  d.add_source(from, d.row, std::nullopt);
  d.add_source(gain_kind, 0, d.col);
  d.add_source(bias_kind, 0, d.col);
  d.add_step("x[" + std::to_string(d.col) + "]", x);
  d.add_step("mean of the row", moments.mean);
  d.add_step("variance of the row", moments.variance, "divided by n, not n − 1");
  const double unit =
      (x - moments.mean) / std::sqrt(moments.variance + static_cast<double>(layer_norm_epsilon));
  d.add_step("(x − mean) / √(variance + ε)", unit, "ε = 0.00001 keeps the root from being 0");
  d.add_step("γ", gain);
  d.add_step("β", bias);
  d.add_step("LayerNorm(x) = that × γ + β", unit * gain + bias);
}

void derive_attention_norm(Derivation& d) {
  derive_norm(d, StageKind::norm_gain, StageKind::norm_bias);
}

void derive_residual(Derivation& d) {
  const std::vector<StageId> parts = inputs_of(d.trace, d.id);
  double sum = 0.0;
  for (const StageId& part : parts) {
    const double value = d.number(part, d.row, d.col);
    d.add_source(part, d.row, d.col);
    d.add_step(path(part), value);
    sum += value;
  }
  d.add_step(std::string(info(d.id.kind).symbol), sum, "the input of the sublayer plus its output");
}

void derive_copy(Derivation& d) {
  const StageId origin = inputs_of(d.trace, d.id).front();
  d.add_source(origin, d.row, d.col);
  d.add_step(std::string(info(d.id.kind).symbol) + " = " + std::string(info(origin.kind).symbol),
             d.number(origin, d.row, d.col), "a copy of " + path(origin));
}

}  // namespace headscope::stages
