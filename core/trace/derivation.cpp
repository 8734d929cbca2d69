#include "core/trace/derivation.h"

#include <cmath>
#include <utility>

namespace headscope {

StageId Derivation::sibling(StageKind kind) const {
  return at_kind(id, kind);
}

std::vector<float> Derivation::row_of(const StageId& stage, int index) const {
  const StageNumbers numbers = trace.read_row(stage, index);
  const auto line = numbers.view.row(0);
  return {line.begin(), line.end()};
}

std::vector<float> Derivation::column_of(StageKind kind, int index) const {
  const StageId stage = sibling(kind);
  const int n_rows = trace.extent(stage).rows;
  const StageNumbers numbers = trace.read(stage, {0, index, n_rows, 1});
  std::vector<float> column(static_cast<std::size_t>(n_rows));
  for (int r = 0; r < n_rows; ++r) column[static_cast<std::size_t>(r)] = numbers.view(r, 0);
  return column;
}

double Derivation::add_products(Factor a, Factor b, const std::string& product_label) {
  Explanation::Strip products{product_label, {}, a.names, true, true};
  products.values.reserve(a.values.size());
  double sum = 0.0;
  for (std::size_t i = 0; i < a.values.size(); ++i) {
    const double product = static_cast<double>(a.values[i]) * static_cast<double>(b.values[i]);
    products.values.push_back(static_cast<float>(product));
    sum += product;
  }
  add_strip(std::move(a));
  add_strip(std::move(b));
  sheet.strips.push_back(std::move(products));
  return sum;
}

void Derivation::add_strip(Factor strip) {
  sheet.strips.push_back(
      {std::move(strip.label), std::move(strip.values), std::move(strip.names), false, false});
}

void Derivation::add_computed_strip(Factor strip) {
  add_strip(std::move(strip));
  sheet.strips.back().is_computed = true;
}

void Derivation::add_step(std::string label, double value, std::string note) {
  // Beyond the range of float32, in which the pass computes, the stored number is infinite.
  const double stored = static_cast<double>(static_cast<float>(value));
  sheet.steps.push_back({std::move(label), std::isinf(stored) ? stored : value, std::move(note)});
}

void Derivation::add_cell(std::string label, const StageId& stage, int at_row, int at_col, std::string note) {
  add_step(std::move(label), number(stage, at_row, at_col), std::move(note));
  sheet.steps.back().cell = {canonical(trace.architecture(), stage), at_row, at_col};
}

void Derivation::add_cell(std::string label, StageKind kind, int at_row, int at_col, std::string note) {
  add_cell(std::move(label), sibling(kind), at_row, at_col, std::move(note));
}

void Derivation::add_source(StageKind kind, std::optional<int> source_row, std::optional<int> source_col) {
  add_source(sibling(kind), source_row, source_col);
}

void Derivation::add_source(const StageId& stage, std::optional<int> source_row,
                            std::optional<int> source_col) {
  sheet.sources.push_back({canonical(trace.architecture(), stage), source_row, source_col});
}

std::string Derivation::quoted(int token, Axis axis) const {
  return "“" + trace.label(id, axis, token) + "”";
}

std::vector<std::string> Derivation::token_names(Axis axis) const {
  std::vector<std::string> names;
  const std::vector<Token>& along = trace.tokens(id, axis);
  names.reserve(along.size());
  for (const Token& token : along) names.push_back(shown_word(token.text));
  return names;
}

void Derivation::finish_linear(const std::string& products, double sum, const std::optional<StageId>& bias_of,
                               int first_col) {
  const std::string result(info(id.kind).symbol);
  if (!bias_of) {
    add_step(result + " = Σ " + products, sum, "no bias");
    return;
  }
  const std::string bias_symbol(info(bias_of->kind).symbol);
  const int place = col - first_col;
  const double bias = number(*bias_of, 0, place);
  add_source(*bias_of, 0, place);
  add_step("Σ " + products, sum);
  add_cell(bias_symbol + "[" + std::to_string(place) + "]", *bias_of, 0, place);
  add_step(result + " = Σ " + products + " + " + bias_symbol, sum + bias);
}

}  // namespace headscope
