#include "core/trace/output_stages.h"

#include <cmath>
#include <memory>
#include <utility>

#include "core/model/attention.h"
#include "core/model/interventions.h"
#include "core/model/pass_edits.h"
#include "core/tensor/packed_product.h"
#include "core/text/number_text.h"
#include "core/trace/derivation.h"
#include "core/trace/linear_stages.h"

namespace headscope::stages {
namespace {

/// The number of a head in subscript digits, because “O_0” is easily read as two letters.
std::string lowered(int number) {
  constexpr std::array digits{"₀", "₁", "₂", "₃", "₄", "₅", "₆", "₇", "₈", "₉"};
  std::string text;
  for (const char digit : std::to_string(number)) text += digits.at(static_cast<std::size_t>(digit - '0'));
  return text;
}

/// The products for one row of `concat`, summed for each head: the contribution of each head to the cell.
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

std::string output_formula(const Trace& trace, const StageId& id) {
  std::string averaged = std::string(info(weights_in_use(trace, id).kind).symbol) + " V";
  const HeadEdits* edits = trace.edits() == nullptr ? nullptr : trace.edits()->of(head_of(id));
  if (edits == nullptr || edits->scale == 1.0F) return averaged;
  return number_text(edits->scale) + " · " + averaged + " (intervention)";
}

std::string contribution_formula(const Trace& trace, const StageId& id) {
  const std::string head = std::to_string(id.head);
  const std::string own = trace.architecture().output_gate
                              ? std::string(info(gated_heads).symbol) + "[" + head + "]"
                              : "O" + lowered(id.head);
  return own + " W_O[" + head + "]";
}

std::string concat_formula(const Trace& trace, const StageId& /*id*/) {
  const int n_heads = trace.architecture().n_heads;
  if (n_heads == 1) return "[O" + lowered(0) + "]";
  const char* between = n_heads == 2 ? ", O" : " … O";
  return "[O" + lowered(0) + between + lowered(n_heads - 1) + "]";
}

std::string projected_formula(const Trace& trace, const StageId& id) {
  if (trace.architecture().output_projection) return formula_by_operation(trace, id);
  return std::string(info(trace.graph().inputs(id).front().kind).symbol) + " (no output projection)";
}

std::string contribution_sentence(const Trace& trace, const StageId& id, const CellValue& cell) {
  return "Head " + std::to_string(id.head) + " adds " + number_text(cell.value) + " to " +
         dimension_text(cell.col) + " of " + token_as(trace, id, Axis::query_tokens, "token", cell.row);
}

std::string concat_sentence(const Trace& trace, const StageId& id, const CellValue& cell) {
  const int width = trace.architecture().value_width();
  const std::string place =
      "head " + std::to_string(cell.col / width) + ", " + dimension_text(cell.col % width);
  return row_sentence_of(trace, id, std::string(info(id.kind).symbol), place, cell);
}

RowMaker contributions(const Trace& trace, const StageId& id) {
  const bool has_gate = trace.architecture().output_gate;
  const StageId own = at_kind(id, has_gate ? gated_heads : output);
  const StageId whole_projection = at_kind(id, w_output);
  const Extent size = trace.extent(at_kind(id, output));
  const int width = trace.extent(whole_projection).cols;
  const int first_col = has_gate ? id.head * size.cols : 0;
  const auto rows_of_head = std::make_shared<PackedMatrix>();
  rows_of_head->pack(trace.read(whole_projection, {id.head * size.cols, 0, size.cols, width}).view);
  return [&trace, own, rows_of_head, size, first_col, width](int first, int n, float* out) {
    const StageNumbers outputs = trace.read(own, {first, first_col, n, size.cols});
    rows_of_head->multiply(outputs.view, nullptr, out, width);
  };
}

void derive_output(Derivation& d) {
  const StageKind averaged = d.has(StageKind::dropped) ? StageKind::dropped : StageKind::weights;
  const std::vector<std::string> keys = d.token_names(Axis::key_tokens);
  const std::string symbol(info(averaged).symbol);
  const double sum = d.add_products(
      {symbol + " " + d.quoted(d.row), d.row_of(averaged, d.row), keys},
      {"V column " + std::to_string(d.col), d.column_of(StageKind::value, d.col), keys}, symbol + " × V");
  d.add_source(averaged, d.row, std::nullopt);
  d.add_source(StageKind::value, std::nullopt, d.col);
  if (gives_output(d.trace, at_kind(d.id, state), d.row)) derive_from_state(d);
  d.add_step("O = Σ " + symbol + " × V", sum);
  const HeadEdits* edits = d.trace.edits() == nullptr ? nullptr : d.trace.edits()->of(head_of(d.id));
  if (edits == nullptr || edits->scale == 1.0F) return;
  d.add_step("× " + number_text(edits->scale), sum * static_cast<double>(edits->scale),
             edits->scale == 0.0F ? "an intervention switches this head off"
                                  : "an intervention scales this head's output");
}

void derive_contribution(Derivation& d) {
  const int width = d.trace.architecture().value_width();
  const int first_row = d.id.head * width;
  const auto head = std::to_string(d.id.head);
  const auto all_rows = d.column_of(StageKind::w_output, d.col);
  const auto first = all_rows.begin() + first_row;
  const std::string w = "W_O[" + head + "]";
  const StageId from = d.input(0);
  std::vector<float> outputs = d.row_of(from, d.row);
  if (from.kind == gated_heads) outputs = {outputs.begin() + first_row, outputs.begin() + first_row + width};
  const std::string o = from.kind == gated_heads ? "gated O" : "O";
  const double sum =
      d.add_products({o + " " + d.quoted(d.row), std::move(outputs), {}},
                     {w + " column " + std::to_string(d.col), {first, first + width}, {}}, o + " × " + w);
  d.add_source(from, d.row, std::nullopt);
  d.add_source(StageKind::w_output, std::nullopt, d.col);
  d.add_step("contribution of head " + head + " = Σ " + o + " × " + w, sum,
             "rows " + std::to_string(first_row) + " to " + std::to_string(first_row + width - 1) +
                 " of W_O belong to head " + head);
}

void derive_concat(Derivation& d) {
  const int width = d.trace.architecture().value_width();
  const int head = d.col / width;
  const int dimension = d.col % width;
  StageId origin = d.sibling(StageKind::output);
  origin.head = head;
  d.sheet.sources.push_back({origin, d.row, dimension});
  d.add_cell("C = O" + lowered(head) + "[" + std::to_string(dimension) + "]", origin, d.row, dimension,
             "column " + std::to_string(d.col) + " is dimension " + std::to_string(dimension) + " of head " +
                 std::to_string(head) + "'s output");
}

void derive_head_gate(Derivation& d) {
  const StageId from = d.input(0);
  const double sum = d.add_products(
      {"x " + d.quoted(d.row), d.row_of(from, d.row), {}},
      {"W_G column " + std::to_string(d.col), d.column_of(StageKind::w_gate, d.col), {}}, "x × W_G");
  d.add_source(from, d.row, std::nullopt);
  d.add_source(StageKind::w_gate, std::nullopt, d.col);
  d.add_step("Σ x × W_G", sum);
  d.add_step("G = 1 / (1 + exp(−that))", 1.0 / (1.0 + std::exp(-sum)),
             "between 0, where nothing passes through, and 1");
}

void derive_projected(Derivation& d) {
  if (d.has(StageKind::w_output)) {
    derive_linear(d);
    d.add_computed_strip(per_head(d, d.sheet.strips.back().values));
    return;
  }
  const StageId from = d.input(0);
  d.add_source(from, d.row, d.col);
  d.add_cell("Y = " + std::string(info(from.kind).symbol), from, d.row, d.col,
             "there is no output projection");
}

}  // namespace headscope::stages
