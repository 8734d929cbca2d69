#include "core/trace/derivation.h"

#include <cmath>
#include <utility>

#include "core/model/interventions.h"

namespace headscope {

std::vector<float> Derivation::row_of(const StageId& stage, int index) const {
  const StageNumbers numbers = trace.read_row(stage, index);
  const auto line = numbers.view.row(0);
  return {line.begin(), line.end()};
}

std::vector<float> Derivation::column_of(const StageId& stage, int index) const {
  const int n_rows = trace.extent(stage).rows;
  const StageNumbers numbers = trace.read(stage, {0, index, n_rows, 1});
  std::vector<float> column(static_cast<std::size_t>(n_rows));
  for (int r = 0; r < n_rows; ++r) column[static_cast<std::size_t>(r)] = numbers.view(r, 0);
  return column;
}

Derivation::Factor Derivation::read_row(std::string label, const StageId& stage, int index) {
  add_source(stage, index, std::nullopt);
  return {std::move(label), row_of(stage, index), names_along(stage, info(stage.kind).cols)};
}

Derivation::Factor Derivation::read_column(std::string label, const StageId& stage, int index) {
  add_source(stage, std::nullopt, index);
  return {std::move(label), column_of(stage, index), names_along(stage, info(stage.kind).rows)};
}

double Derivation::read_cell(std::string label, const StageId& stage, int at_row, int at_col,
                             std::string note) {
  add_source(stage, at_row, at_col);
  return add_cell(std::move(label), stage, at_row, at_col, std::move(note));
}

double Derivation::add_cell(std::string label, const StageId& stage, int at_row, int at_col,
                            std::string note) {
  add_step(std::move(label), number(stage, at_row, at_col), std::move(note));
  explanation.steps.back().cell = {canonical(trace.architecture(), stage), at_row, at_col};
  return explanation.steps.back().value;
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
  explanation.strips.push_back(std::move(products));
  return sum;
}

void Derivation::add_strip(Factor strip) {
  explanation.strips.push_back(
      {std::move(strip.label), std::move(strip.values), std::move(strip.names), false, false});
}

void Derivation::add_computed_strip(Factor strip) {
  add_strip(std::move(strip));
  explanation.strips.back().is_computed = true;
}

void Derivation::add_step(std::string label, double value, std::string note) {
  // The pass computes in float32, so the stored number may have overflowed.
  const double stored = static_cast<double>(static_cast<float>(value));
  explanation.steps.push_back({std::move(label), std::isinf(stored) ? stored : value, std::move(note)});
}

void Derivation::add_source(const StageId& stage, std::optional<int> source_row,
                            std::optional<int> source_col) {
  explanation.sources.push_back({canonical(trace.architecture(), stage), source_row, source_col});
}

std::string Derivation::quoted(int token, Axis axis) const {
  return "“" + trace.label(id, axis, token) + "”";
}

std::vector<std::string> Derivation::names_along(const StageId& stage, Axis axis) const {
  if (axis == Axis::vocabulary) return trace.vocabulary();
  std::vector<std::string> names;
  if (!is_token_axis(axis)) return names;
  const std::vector<Token>& along = trace.tokens(stage, axis);
  names.reserve(along.size());
  for (const Token& token : along) names.push_back(display_word(token.text));
  return names;
}

const HeadEdits* edits_of_head(const Trace& trace, const StageId& id) {
  return trace.edits() == nullptr ? nullptr : trace.edits()->of(head_of(id));
}

}  // namespace headscope
