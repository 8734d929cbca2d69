#include "core/trace/derivation.h"

namespace headscope {
namespace {

struct ProjectionKinds {
  StageKind weight, bias;
};

ProjectionKinds kinds_of_projection(StageKind result) {
  switch (result) {
    case StageKind::query:
      return {StageKind::w_query, StageKind::b_query};
    case StageKind::key:
      return {StageKind::w_key, StageKind::b_key};
    case StageKind::value:
      return {StageKind::w_value, StageKind::b_value};
    default:
      return {StageKind::w_output, StageKind::b_output};
  }
}

std::string symbol(StageKind kind) {
  return std::string(info(kind).symbol);
}

/// The last steps of y = x W + b from the products' sum on.
void finish_linear(Derivation& d, const std::string& products, double sum, StageKind bias_kind) {
  const std::string result = symbol(d.id.kind);
  if (!d.has(bias_kind)) {
    d.add_step(result + " = Σ " + products, sum, "no bias");
    return;
  }
  const double bias = d.view(bias_kind)(0, d.col);
  d.add_source(bias_kind, 0, d.col);
  d.add_step("Σ " + products, sum);
  d.add_step(symbol(bias_kind) + "[" + std::to_string(d.col) + "]", bias);
  d.add_step(result + " = Σ " + products + " + " + symbol(bias_kind), sum + bias);
}

/// The products of one row of `concat`, summed head by head: what each head contributes to the cell.
Derivation::Factor per_head(const Derivation& d, const std::vector<float>& products) {
  const auto width = static_cast<std::size_t>(d.trace.architecture().value_width());
  Derivation::Factor heads{"Σ per head", {}, {}};
  for (std::size_t first = 0; first < products.size(); first += width) {
    double sum = 0.0;
    for (std::size_t i = first; i < first + width; ++i) sum += products[i];
    heads.names.push_back("head " + std::to_string(heads.values.size()));
    heads.values.push_back(static_cast<float>(sum));
  }
  return heads;
}

}  // namespace

void derive_head_projection(Derivation& d) {
  const auto [weight, bias] = kinds_of_projection(d.id.kind);
  const std::string w = symbol(weight);
  const double sum =
      d.add_products({"x " + d.quoted(d.row), d.row_of(StageKind::layer_input, d.row), {}},
                     {w + " column " + std::to_string(d.col), d.column_of(weight, d.col), {}}, "x × " + w);
  d.add_source(StageKind::layer_input, d.row, std::nullopt);
  d.add_source(weight, std::nullopt, d.col);
  finish_linear(d, "x × " + w, sum, bias);
}

void derive_contribution(Derivation& d) {
  const int width = d.trace.architecture().value_width();
  const int first_row = d.id.head * width;
  const auto head = std::to_string(d.id.head);
  const auto all_rows = d.column_of(StageKind::w_output, d.col);
  const auto first = all_rows.begin() + first_row;
  const std::string w = "W_O[" + head + "]";
  const double sum =
      d.add_products({"O " + d.quoted(d.row), d.row_of(StageKind::output, d.row), {}},
                     {w + " column " + std::to_string(d.col), {first, first + width}, {}}, "O × " + w);
  d.add_source(StageKind::output, d.row, std::nullopt);
  d.add_source(StageKind::w_output, std::nullopt, d.col);
  d.add_step("contribution of head " + head + " = Σ O × " + w, sum,
             "the rows " + std::to_string(first_row) + " to " + std::to_string(first_row + width - 1) +
                 " of W_O belong to head " + head);
}

void derive_concat(Derivation& d) {
  const int width = d.trace.architecture().value_width();
  const int head = d.col / width;
  const int dimension = d.col % width;
  StageId origin = d.sibling(StageKind::output);
  origin.head = head;
  d.sheet.sources.push_back({origin, d.row, dimension});
  d.add_step("C = O_" + std::to_string(head) + "[" + std::to_string(dimension) + "]",
             d.trace.value(origin)(d.row, dimension),
             "column " + std::to_string(d.col) + " is dimension " + std::to_string(dimension) + " of head " +
                 std::to_string(head) + "'s output");
}

void derive_projected(Derivation& d) {
  d.add_source(StageKind::concat, d.row, d.has(StageKind::w_output) ? std::nullopt : std::optional(d.col));
  if (!d.has(StageKind::w_output)) {
    d.add_step("Y = C", d.view(StageKind::concat)(d.row, d.col), "there is no output projection");
    return;
  }
  d.add_source(StageKind::w_output, std::nullopt, d.col);
  const double sum = d.add_products(
      {"C " + d.quoted(d.row), d.row_of(StageKind::concat, d.row), {}},
      {"W_O column " + std::to_string(d.col), d.column_of(StageKind::w_output, d.col), {}}, "C × W_O");
  d.add_strip(per_head(d, d.sheet.strips.back().values));
  finish_linear(d, "C × W_O", sum, StageKind::b_output);
}

}  // namespace headscope
