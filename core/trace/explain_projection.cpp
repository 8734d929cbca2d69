#include "core/trace/derivation.h"

namespace headscope {
namespace {

struct LinearKinds {
  StageKind weight, bias;
  const char* input;  ///< what the formula calls the row
};

LinearKinds kinds_of_linear(StageKind result) {
  switch (result) {
    case StageKind::query:
      return {StageKind::w_query, StageKind::b_query, "x"};
    case StageKind::key:
      return {StageKind::w_key, StageKind::b_key, "x"};
    case StageKind::value:
      return {StageKind::w_value, StageKind::b_value, "x"};
    case StageKind::hidden:
      return {StageKind::w_1, StageKind::b_1, "x"};
    case StageKind::feed_forward_output:
      return {StageKind::w_2, StageKind::b_2, "F′"};
    default:
      return {StageKind::w_logits, StageKind::b_logits, "X′"};
  }
}

/// The row that a linear stage multiplies.
StageId multiplied_row(const Derivation& d) {
  if (d.id.kind == StageKind::feed_forward_output) return d.sibling(StageKind::activated);
  if (d.id.kind == StageKind::logits) {
    return {.kind = StageKind::stack_output, .stack = d.trace.architecture().last_stack()};
  }
  return projected_from(d.trace, d.id);
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

void derive_linear(Derivation& d) {
  const auto [weight, bias, input] = kinds_of_linear(d.id.kind);
  const std::string w(info(weight).symbol);
  const StageId from = multiplied_row(d);
  const auto numbers = d.trace.value(from).row(d.row);
  const std::string products = std::string(input) + " × " + w;
  const double sum =
      d.add_products({std::string(input) + " " + d.quoted(d.row, info(d.id.kind).rows),
                      {numbers.begin(), numbers.end()},
                      {}},
                     {w + " column " + std::to_string(d.col), d.column_of(weight, d.col), {}}, products);
  d.add_source(from, d.row, std::nullopt);
  d.add_source(weight, std::nullopt, d.col);
  d.finish_linear(products, sum, bias);
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
  d.finish_linear("C × W_O", sum, StageKind::b_output);
}

}  // namespace headscope
