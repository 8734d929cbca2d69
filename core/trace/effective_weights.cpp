#include <algorithm>
#include <cmath>
#include <span>

#include "core/model/interventions.h"
#include "core/model/pass_edits.h"
#include "core/tensor/matrix.h"
#include "core/text/number_text.h"
#include "core/trace/derivation.h"
#include "core/trace/weight_stages.h"

// The stage of the effective weights: attention weights multiplied by the lengths of the vectors that they
// weight.

namespace headscope::stages {
namespace {

/// The factor by which an intervention scales a head's output. 1 if there is none.
double scale_of_head(const Trace& trace, const StageId& id) {
  const HeadEdits* edits = trace.edits() == nullptr ? nullptr : trace.edits()->of(head_of(id));
  return edits == nullptr ? 1.0 : static_cast<double>(edits->scale);
}

/// The rows of W_O that belong to a head.
StageNumbers projection_of_head(const Trace& trace, const StageId& id) {
  const int width = trace.architecture().value_width();
  const StageId all = at_kind(id, w_output);
  return trace.read(all, {id.head * width, 0, width, trace.extent(all).cols});
}

/// ‖V W_O[h]‖ of each key, computed from the products of W_O's rows with each other, which are far fewer than
/// the numbers of V W_O.
std::vector<double> projected_lengths(const Trace& trace, const StageId& id) {
  const StageNumbers rows = projection_of_head(trace, id);
  const Eigen::MatrixXd projection = eigen(rows.view).cast<double>();
  const Eigen::MatrixXd products = projection * projection.transpose();
  const StageId own = at_kind(id, value);
  const Extent size = trace.extent(own);
  const StageNumbers stored = trace.read(own, {0, 0, size.rows, size.cols});
  const Eigen::MatrixXd values = eigen(stored.view).cast<double>();
  const Eigen::VectorXd squares = (values * products).cwiseProduct(values).rowwise().sum();
  std::vector<double> lengths;
  const double scale = scale_of_head(trace, id);
  for (const double square : squares) lengths.push_back(scale * std::sqrt(std::max(square, 0.0)));
  return lengths;
}

/// Σ weight × length over a row. 0 if no key has any weight.
double total_length(std::span<const float> weights, const std::vector<double>& lengths) {
  double total = 0.0;
  for (std::size_t key = 0; key < lengths.size(); ++key) {
    total += static_cast<double>(weights[key]) * lengths[key];
  }
  return total;
}

}  // namespace

std::string effective_weights_formula(const Trace& trace, const StageId& id) {
  return std::string(info(weights_in_use(trace, id).kind).symbol) + " ‖V W_O[" + std::to_string(id.head) +
         "]‖ / Σ over keys";
}

std::string effective_weights_sentence(const Trace& trace, const StageId& id, const CellValue& cell) {
  const std::string said = token_as(trace, id, Axis::key_tokens, "key", cell.col) + " accounts for " +
                           number_text(cell.value) + " of what head " + std::to_string(id.head) +
                           " adds to " + token_as(trace, id, Axis::query_tokens, "query", cell.row);
  return with_hidden_reason(trace, id, cell, said);
}

RowMaker effective_weights_of(const Trace& trace, const StageId& id) {
  const StageId averaged = weights_in_use(trace, id);
  return [&trace, averaged, lengths = projected_lengths(trace, id)](int first, int n, float* out) {
    const StageNumbers weights = trace.read(averaged, {first, 0, n, trace.extent(averaged).cols});
    for (int row = 0; row < n; ++row) {
      const auto line = weights.view.row(row);
      const double total = total_length(line, lengths);
      for (std::size_t key = 0; key < lengths.size(); ++key) {
        const double length = static_cast<double>(line[key]) * lengths[key];
        *out++ = total == 0.0 ? 0.0F : static_cast<float>(length / total);
      }
    }
  };
}

void derive_effective_weights(Derivation& d) {
  const StageKind averaged = weights_in_use(d.trace, d.id).kind;
  const std::string symbol(info(averaged).symbol);
  const std::string length = "‖V W_O[" + std::to_string(d.id.head) + "]‖";
  const std::vector<double> lengths = projected_lengths(d.trace, d.id);
  const std::vector<std::string> keys = d.token_names(Axis::key_tokens);
  const std::string products = symbol + " × " + length;
  const std::vector<float> weights = d.row_of(averaged, d.row);
  d.add_strip({"V " + d.quoted(d.col, Axis::key_tokens), d.row_of(value, d.col), {}});
  d.add_products({symbol + " " + d.quoted(d.row), weights, keys},
                 {length, {lengths.begin(), lengths.end()}, keys}, products);
  d.add_source(averaged, d.row, std::nullopt);
  d.add_source(value, d.col, std::nullopt);
  const auto at = static_cast<std::size_t>(d.col);
  const double own = static_cast<double>(weights[at]) * lengths[at];
  const double total = total_length(weights, lengths);
  d.add_step(symbol, static_cast<double>(weights[at]));
  d.add_step(length + " of " + d.quoted(d.col, Axis::key_tokens), lengths[at],
             "the length of its value times W_O[" + std::to_string(d.id.head) +
                 "], the rows of W_O that belong to head " + std::to_string(d.id.head));
  d.add_step(products, own);
  d.add_step("Σ " + products + " over keys", total);
  if (total == 0.0) {
    d.add_step("effective weight", 0.0,
               "no key has any weight in this row, so all its effective weights are 0");
  } else {
    d.add_step("effective weight = that / Σ over keys", own / total);
  }
}

}  // namespace headscope::stages
