#include "core/trace/stage_parts.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/trace/parameter_stages.h"

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

double mean_square(std::span<const float> row) {
  double sum = 0.0;
  for (const float x : row) sum += static_cast<double>(x) * static_cast<double>(x);
  return sum / static_cast<double>(row.size());
}

}  // namespace

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

std::string norm_name(const Trace& trace) {
  return trace.architecture().norm_kind == NormKind::rms ? "RMSNorm" : "LayerNorm";
}

std::string name_of_rows(const StageId& id, const StageId& rows) {
  const StageInfo& line = info(rows.kind);
  if (id.attention == AttentionKind::cross && rows.kind == StageKind::stack_output) return "memory";
  const bool flows =
      (line.scope == StageScope::layer || line.scope == StageScope::attention) && line.cols == Axis::d_model;
  return flows ? "x" : std::string(line.symbol);
}

std::string symbol_of_row(StageKind kind) {
  std::string symbol(info(kind).symbol);
  for (char& c : symbol) c = c == 'Q' ? 'q' : c == 'K' ? 'k' : c;
  return symbol;
}

namespace {

/// The inputs of x W + b. If heads share a part of their keys, that part is the first input of a key and the
/// rows x are the second, which counts here.
struct LinearInputs {
  StageId rows, weights;
  std::optional<StageId> bias;
};

LinearInputs linear_inputs(const Trace& trace, const StageId& id) {
  LinearInputs inputs;
  for (const StageId& input : trace.graph().inputs(id)) {
    const StageInfo& line = info(input.kind);
    if (!line.is_parameter) {
      inputs.rows = input;
    } else if (line.rows == Axis::single) {
      inputs.bias = input;
    } else {
      inputs.weights = input;
    }
  }
  return inputs;
}

std::string linear_formula(const Trace& trace, const StageId& id) {
  const LinearInputs inputs = linear_inputs(trace, id);
  std::string text = name_of_rows(id, inputs.rows) + " " + std::string(info(inputs.weights.kind).symbol);
  return inputs.bias ? text + " + " + std::string(info(inputs.bias->kind).symbol) : text;
}

std::string sum_formula(const Trace& trace, const StageId& id) {
  std::string text;
  for (const StageId& part : trace.graph().inputs(id))
    text += (text.empty() ? "" : " + ") + (text.empty() && info(id.kind).scope != StageScope::stack
                                               ? "x"
                                               : std::string(info(part.kind).symbol));
  return text;
}

/// The formula of the model's activation, applied to F.
std::string activation_formula(const Trace& trace) {
  switch (trace.architecture().activation) {
    case Activation::relu:
      return "ReLU(F)";
    case Activation::gelu:
      return "GELU(F) = F · Φ(F)";
    case Activation::gelu_tanh:
      return "GELU(F) ≈ F · ½ (1 + tanh(√(2/π) (F + 0.044715 F³)))";
    case Activation::silu:
      return "SiLU(F) = F · σ(F)";
  }
  return {};
}

/// Derives x / √(mean(x²) + ε) · γ of a row, whatever the model's norms are.
void derive_head_norm(Derivation& d) {
  const StageId origin = d.input(0);
  const StageKind gain_kind = d.input(1).kind;
  const std::string name = symbol_of_row(origin.kind);
  const float epsilon = d.trace.architecture().norm_epsilon;
  const std::vector<float> row = d.row_of(origin, d.row);
  const double square = mean_square(row);
  const double x = row[static_cast<std::size_t>(d.col)];
  const double gain = d.number(gain_kind, 0, d.col);
  const double unit = x / std::sqrt(square + static_cast<double>(epsilon));
  const bool is_of_heads = info(d.id.kind).scope == StageScope::head;
  d.add_strip({name + " " + d.quoted(d.row, info(d.id.kind).rows), row, {}});
  d.add_source(origin, d.row, std::nullopt);
  d.add_source(gain_kind, 0, d.col);
  d.add_cell(name + "[" + std::to_string(d.col) + "]", origin, d.row, d.col);
  d.add_step("mean of the squares", square, "the mean is not subtracted");
  d.add_step(name + " / √(mean of the squares + ε)", unit,
             "ε = " + number_text(epsilon) + " keeps the root from being 0");
  d.add_cell(std::string(info(gain_kind).symbol), gain_kind, 0, d.col,
             is_of_heads ? "the same in all heads" : "for each number of the row");
  d.add_step(std::string(info(d.id.kind).symbol) + " = that × " + std::string(info(gain_kind).symbol),
             unit * gain);
}

void derive_parameter(Derivation& d) {
  const StageInfo& line = info(d.id.kind);
  const std::string col = std::to_string(d.col);
  const std::string place =
      line.rows == Axis::single ? "[" + col + "]" : "[" + std::to_string(d.row) + ", " + col + "]";
  d.add_step(std::string(line.symbol) + place, d.number(d.id.kind, d.row, d.col),
             formula(d.trace, d.id) + "; it does not depend on the sentence");
}

void derive_relu(Derivation& d, double x) {
  d.add_step("ReLU(F) = max(F, 0)", std::max(x, 0.0), x > 0.0 ? "" : "negative, so nothing passes");
}

void derive_gelu(Derivation& d, double x) {
  const double share = 0.5 * (1.0 + std::erf(x / std::numbers::sqrt2));
  d.add_step("Φ(F)", share, "the share of the standard normal distribution below F");
  d.add_step("GELU(F) = F × Φ(F)", x * share);
}

void derive_gelu_tanh(Derivation& d, double x) {
  const double inner = std::sqrt(2.0 / std::numbers::pi) * (x + 0.044715 * x * x * x);
  d.add_step("u = √(2/π) (F + 0.044715 F³)", inner);
  d.add_step("½ (1 + tanh u)", 0.5 * (1.0 + std::tanh(inner)), "close to the share of N(0, 1) below F");
  d.add_step("GELU(F) ≈ F × ½ (1 + tanh u)", 0.5 * x * (1.0 + std::tanh(inner)));
}

void derive_silu(Derivation& d, double x) {
  const double share = 1.0 / (1.0 + std::exp(-x));
  d.add_step("σ(F) = 1 / (1 + e^−F)", share, "the logistic function, between 0 and 1");
  d.add_step("SiLU(F) = F × σ(F)", x * share);
}

void derive_activation(Derivation& d) {
  const StageId from = d.input(0);
  const double x = d.number(from, d.row, d.col);
  d.add_source(from, d.row, d.col);
  d.add_cell("F", from, d.row, d.col);
  switch (d.trace.architecture().activation) {
    case Activation::relu:
      return derive_relu(d, x);
    case Activation::gelu:
      return derive_gelu(d, x);
    case Activation::gelu_tanh:
      return derive_gelu_tanh(d, x);
    case Activation::silu:
      return derive_silu(d, x);
  }
}

void derive_product(Derivation& d) {
  const StageId one = d.input(0), other = d.input(1);
  const std::string a(info(one.kind).symbol), b(info(other.kind).symbol);
  const bool is_gated_layer = d.id.kind == StageKind::feed_forward_gated;
  d.add_source(one, d.row, d.col);
  d.add_source(other, d.row, d.col);
  d.add_cell(is_gated_layer ? a + ", the gate" : a, one, d.row, d.col);
  d.add_cell(b, other, d.row, d.col);
  d.add_step(std::string(info(d.id.kind).symbol) + " = " + a + " × " + b,
             d.number(one, d.row, d.col) * d.number(other, d.row, d.col));
}

}  // namespace

void derive_linear(Derivation& d, int first_col) {
  const LinearInputs inputs = linear_inputs(d.trace, d.id);
  const std::string w(info(inputs.weights.kind).symbol);
  const std::string x = name_of_rows(d.id, inputs.rows);
  const std::string products = x + " × " + w;
  const int col = d.col - first_col;
  const double sum = d.add_products(
      {x + " " + d.quoted(d.row, info(d.id.kind).rows), d.row_of(inputs.rows, d.row), {}},
      {w + " column " + std::to_string(col), d.column_of(inputs.weights.kind, col), {}}, products);
  d.add_source(inputs.rows, d.row, std::nullopt);
  d.add_source(inputs.weights, std::nullopt, col);
  d.finish_linear(products, sum, inputs.bias, first_col);
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
  const double squares = mean_square(row);
  const double gain = d.number(gain_kind, 0, d.col);
  const float epsilon = d.trace.architecture().norm_epsilon;
  const double root = std::sqrt(squares + static_cast<double>(epsilon));
  d.add_step("mean of x² over the row", squares, "the mean is not subtracted");
  d.add_step("√(mean(x²) + ε)", root, "ε = " + number_text(epsilon) + " keeps the root from being 0");
  d.add_step("x / √(mean(x²) + ε)", x / root);
  d.add_cell("γ", gain_kind, 0, d.col);
  d.add_step("RMSNorm(x) = that × γ", x / root * gain, "RMS norm has no bias");
}

void derive_norm(Derivation& d) {
  const StageId from = d.input(0), gain = d.input(1);
  const std::vector<float> row = d.row_of(from, d.row);
  const double x = row[static_cast<std::size_t>(d.col)];
  d.add_strip({"x " + d.quoted(d.row), row, {}});
  d.add_source(from, d.row, std::nullopt);
  d.add_source(gain, 0, d.col);
  d.add_cell("x[" + std::to_string(d.col) + "]", from, d.row, d.col);
  if (d.trace.architecture().norm_kind == NormKind::rms) {
    derive_rms_norm(d, row, x, gain.kind);
  } else {
    derive_layer_norm(d, row, x, gain.kind, d.input(2).kind);
  }
}

void derive_copy(Derivation& d) {
  const StageId origin = d.input(0);
  d.add_source(origin, d.row, d.col);
  d.add_cell(std::string(info(d.id.kind).symbol) + " = " + std::string(info(origin.kind).symbol), origin,
             d.row, d.col, "a copy of " + path(origin));
}

/// Derives the sum of what flows through the layers and what a sublayer adds.
void derive_residual(Derivation& d) {
  double sum = 0.0;
  for (const StageId& part : d.trace.graph().inputs(d.id)) {
    d.add_source(part, d.row, d.col);
    d.add_cell(path(part), part, d.row, d.col);
    sum += d.number(part, d.row, d.col);
  }
  d.add_step(sum_formula(d.trace, d.id), sum,
             d.trace.architecture().is_parallel()
                 ? "the input of the block plus the outputs of both sublayers"
                 : "the input of the sublayer plus its output");
}

}  // namespace

std::string formula_by_operation(const Trace& trace, const StageId& id) {
  switch (trace.graph().op(id)) {
    case Op::linear:
      return linear_formula(trace, id);
    case Op::sum:
      return sum_formula(trace, id);
    case Op::norm: {
      const bool comes_before = id.kind == StageKind::norm || id.kind == StageKind::feed_forward_norm;
      const StageKind rows = trace.graph().inputs(id).front().kind;
      return norm_name(trace) + "(" + (comes_before ? "x" : std::string(info(rows).symbol)) + ")";
    }
    case Op::activate:
      return activation_formula(trace);
    default:
      return {};
  }
}

std::string sentence_by_operation(const Trace& trace, const StageId& id, const CellValue& cell) {
  return info(id.kind).is_parameter ? parameter_sentence(trace, id, cell) : row_sentence(trace, id, cell);
}

void derive_by_operation(Derivation& d) {
  switch (d.trace.graph().op(d.id)) {
    case Op::parameter:
      return derive_parameter(d);
    case Op::linear:
      return derive_linear(d);
    case Op::sum:
      return derive_residual(d);
    case Op::copy:
      return derive_copy(d);
    case Op::norm:
      return derive_norm(d);
    case Op::head_norm:
      return derive_head_norm(d);
    case Op::activate:
      return derive_activation(d);
    case Op::multiply:
      return derive_product(d);
    default:
      return;
  }
}

}  // namespace headscope::stages
