#include <algorithm>
#include <array>
#include <cstdlib>
#include <span>
#include <utility>
#include <vector>

#include "core/model/attention.h"
#include "core/model/pass.h"
#include "core/model/positions.h"
#include "core/split_text.h"
#include "core/text/number_text.h"
#include "core/trace/derivation.h"

namespace headscope {
namespace {

std::string bias_formula(const Trace& trace, const StageId& id) {
  const Architecture& a = trace.architecture();
  return a.positions == Positions::alibi ? "−" + number_text(alibi_slope(a, id.head)) + " · |key − query|"
                                         : "P[" + std::to_string(id.head) + ", key − query]";
}

void derive_bias(Derivation& d) {
  const Architecture& a = d.trace.architecture();
  const int distance = d.col - d.row;
  d.add_step("distance = key − query", distance);
  if (a.positions == Positions::alibi) {
    const double slope = alibi_slope(a, d.id.head);
    d.add_step("slope of head " + std::to_string(d.id.head), slope,
               a.foreign.slope_factor == 1.0F ? "a power of 2, different for each head"
                                              : "a power of 2, different for each head, / √d_head");
    d.add_step("bias = −slope × |distance|", -slope * std::abs(distance));
    return;
  }
  const int column = relative_column(a, d.id.stack, distance);
  const int shared = column - max_relative_distance;
  const std::string head = "bias = P[head " + std::to_string(d.id.head);
  const std::string place = a.relative_buckets ? ", bucket " + std::to_string(column) + "]"
                                               : ", distance " + std::to_string(shared) + "]";
  d.read_cell(head + place, d.input(0), d.id.head, column,
              a.relative_buckets   ? "the larger the distances, the more of them share a bucket"
              : shared == distance ? ""
                                   : "all longer distances share this bias");
}

/// Position biases, constant along each diagonal.
RowFunction position_biases(const Trace& trace, const StageId& id) {
  const auto n = static_cast<int>(trace.tokens(id.stack).size());
  const auto biases = distance_biases(trace.architecture(), trace.model().position_biases(id.stack, id.layer),
                                      id.stack, id.head, n);
  return [n, biases](int first, int n_rows, float* out) {
    for (int query = first; query < first + n_rows; ++query) {
      out = std::copy_n(biases.data() + (n - 1 - query), n, out);
    }
  };
}

/// Disentangled attention: the products of the rows of tokens, queries or else keys, with the row of the
/// distance from query to key.
bool multiplies_queries(const StageId& id) {
  return id.kind == StageKind::content_to_position;
}

std::string position_products_formula(const Trace& trace, const StageId& id) {
  return input_symbol(trace, id) + " · " + input_symbol(trace, id, 1) + "[key − query]";
}

void derive_position_product(Derivation& d) {
  const bool of_query = multiplies_queries(d.id);
  const std::string x = symbol_of_row(d.input(0)), p = symbol_of(d.input(1));
  const int distance = d.trace.extent(d.id).cols - 1 + d.col - d.row;
  Explanation::Strip own = d.read_row(x + " " + (of_query ? d.quoted_row() : d.quoted_key()), d.input(0),
                                      of_query ? d.row : d.col);
  Explanation::Strip of_distance = d.read_row(
      p + " of distance " + d.trace.label(d.input(1), Axis::distances, distance), d.input(1), distance);
  const double sum = d.add_products(std::move(own), std::move(of_distance), x + " × " + p);
  d.add_step(symbol_of(d.id) + " = Σ " + x + " × " + p, sum);
}

RowFunction position_products(const Trace& trace, const StageId& id) {
  return [&trace, id](int first, int n_rows, float* out) {
    const std::vector<StageId> inputs = trace.graph().inputs(id);
    const Extent of_tokens = trace.extent(inputs[0]), of_distances = trace.extent(inputs[1]);
    const StageNumbers rows = trace.read(inputs[0], {0, 0, of_tokens.rows, of_tokens.cols});
    const StageNumbers distances = trace.read(inputs[1], {0, 0, of_distances.rows, of_distances.cols});
    const int n = of_tokens.rows;
    for (int query = first; query < first + n_rows; ++query) {
      for (int key = 0; key < n; ++key)
        *out++ = eigen(rows.view)
                     .row(multiplies_queries(id) ? query : key)
                     .dot(eigen(distances.view).row(n - 1 + key - query));
    }
  };
}

/// The factor of the raw scores, and of the products with positions.
float factor_of(const Trace& trace, const StageId& id) {
  return score_factor(attention_plan(trace.pass_inputs(), {id.stack, id.attention, id.layer, 0}),
                      trace.kept().shape.attention(id.stack, id.attention, id.layer));
}

std::string position_sum_formula(const Trace& trace, const StageId& id) {
  const auto symbol = [](const StageId& input) { return symbol_of(input); };
  return "(" + join_texts(trace.graph().inputs(id), " + ", symbol) + ")" + score_scaling_text(trace, id);
}

void derive_position_sum(Derivation& d) {
  double sum = 0.0;
  for (std::size_t i = 0; i < d.n_inputs(); ++i)
    sum += d.read_cell(symbol_of(d.input(i)), d.input(i), d.row, d.col);
  d.add_step("position bias = " + position_sum_formula(d.trace, d.id),
             sum * static_cast<double>(factor_of(d.trace, d.id)), "scaled as the raw scores are");
}

RowFunction position_sums(const Trace& trace, const StageId& id) {
  return [&trace, id, factor = factor_of(trace, id)](int first, int n_rows, float* out) {
    const int n = trace.extent(id).cols;
    Eigen::Map<Matrix> sum(out, n_rows, n);
    sum.setZero();
    for (const StageId& input : trace.graph().inputs(id))
      sum += eigen(trace.read(input, {first, 0, n_rows, n}).view);
    sum *= factor;
  };
}

}  // namespace

std::span<const OpRecord> position_operations() {
  static constexpr std::array records{
      OpRecord{Op::distance_bias, derive_bias, bias_formula, position_biases},
      OpRecord{Op::position_products, derive_position_product, position_products_formula, position_products},
      OpRecord{Op::position_sum, derive_position_sum, position_sum_formula, position_sums},
  };
  return records;
}

}  // namespace headscope
