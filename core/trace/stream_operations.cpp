#include <algorithm>
#include <array>
#include <cmath>

#include "core/model/streams.h"
#include "core/tensor/random.h"
#include "core/text/number_text.h"
#include "core/trace/derivation.h"

namespace headscope {
namespace {

using enum StageKind;

void derive_slice(Derivation& d) {
  const StageId from = d.input(0);
  const int first = d.id.layer * d.trace.extent(d.id).cols;
  d.read_cell(
      symbol_of(from) + "[" + std::to_string(first + d.col) + "]", from, d.row, first + d.col,
      "layer " + std::to_string(d.id.layer) + " has the columns from " + std::to_string(first) + " on");
}

void derive_layer_scale(Derivation& d) {
  const StageId from = d.input(0), factor = d.input(1);
  const bool is_gain = d.trace.extent(factor).cols > 1;
  const double x = d.read_cell("x", from, d.row, d.col);
  d.add_step(symbol_of(d.id) + " = x × " + symbol_of(factor),
             x * d.read_cell(symbol_of(factor), factor, 0, is_gain ? d.col : 0),
             is_gain ? "" : "the same factor for the whole layer");
}

std::string at(const StageId& stage, int col) {
  return symbol_of(stage) + "[" + std::to_string(col) + "]";
}

/// The part of the row of a cell in which it lies, and its dimension there.
std::pair<int, int> part_of(const Derivation& d) {
  const int width = d.trace.architecture().d_model;
  return {d.col / width, d.col % width};
}

void derive_as_large(Derivation& d) {
  const auto width = static_cast<std::size_t>(d.trace.architecture().d_model);
  const StageId parts = d.input(0), model = d.input(1);
  const Explanation::Strip own = d.read_row({}, parts, d.row), first = d.read_row({}, model, d.row);
  const auto begin = static_cast<std::size_t>(part_of(d).first) * width;
  const double target = std::sqrt(mean_square(first.values.data(), width));
  const double now = std::sqrt(std::max(mean_square(own.values.data() + begin, width), min_mean_square));
  d.add_step("RMS of the first stream", target);
  d.add_step("RMS of this one", now, "of its part of the row, at least √0.00001");
  const double x = d.read_cell(at(parts, d.col), parts, d.row, d.col);
  d.add_step(symbol_of(d.id) + " = " + at(parts, d.col) + " × the first / the second", x * target / now);
}

void derive_predict(Derivation& d) {
  const StageId x = d.input(0), others = d.input(1), factors = d.input(2);
  const int n = d.trace.architecture().n_streams(), width = d.trace.architecture().d_model;
  const auto [part, dimension] = part_of(d);
  const int stream = d.id.kind == predicted_row ? 0 : part + 1;
  double sum = 0.0;
  for (int j = 0; j < n; ++j) {
    const std::string name = "stream " + std::to_string(j);
    const double from = j == 0 ? d.read_cell(name, x, d.row, dimension)
                               : d.read_cell(name, others, d.row, (j - 1) * width + dimension);
    const int col = stream * n + j;
    sum += (d.read_cell(at(factors, col), factors, d.row, col) + (j == stream ? 1.0 : 0.0)) * from;
  }
  d.add_step(symbol_of(d.id) + " = stream " + std::to_string(stream) + " + Σ c_P × stream", sum);
}

void derive_correct(Derivation& d) {
  const bool is_first = d.id.kind == corrected_row;
  const StageId predicted = d.input(0), first = is_first ? predicted : d.input(1);
  const StageId computed = d.input(d.n_inputs() - 2), factors = d.input(d.n_inputs() - 1);
  const auto [part, dimension] = part_of(d);
  const int stream = is_first ? 0 : part + 1;
  const double own = d.read_cell(at(predicted, d.col), predicted, d.row, d.col, "what was predicted");
  const double now = d.read_cell(at(computed, dimension), computed, d.row, dimension, "what was computed");
  const double before = is_first ? own : d.read_cell(at(first, dimension), first, d.row, dimension);
  const double factor = d.read_cell(at(factors, stream), factors, d.row, stream);
  d.add_step("what is new", now - before, "the computed number less the prediction of the first stream");
  d.add_step(symbol_of(d.id) + " = " + symbol_of(predicted) + " + (1 + " + symbol_of(factors) + ") × that",
             own + (1.0 + factor) * (now - before));
}

void derive_add_to_streams(Derivation& d) {
  const StageId parts = d.input(0), x = d.input(1);
  const int dimension = part_of(d).second;
  const double own = d.read_cell(at(parts, d.col), parts, d.row, d.col);
  d.add_step(symbol_of(d.id) + " = " + symbol_of(parts) + " + " + symbol_of(x),
             own + d.read_cell(at(x, dimension), x, d.row, dimension, "added to each of the other streams"));
}

void derive_mean(Derivation& d) {
  const StageId x = d.input(0), parts = d.input(1);
  const int n = d.trace.architecture().n_streams(), width = d.trace.architecture().d_model;
  double sum = d.read_cell("stream 0", x, d.row, d.col);
  for (int i = 1; i < n; ++i)
    sum += d.read_cell("stream " + std::to_string(i), parts, d.row, (i - 1) * width + d.col);
  d.add_step(symbol_of(d.id) + " = sum / " + std::to_string(n), sum / n);
}

/// Adds the products of a row, or of a part of it, with a column of weights. Returns their sum.
double add_products_of(Derivation& d, int first, const StageId& weights, float limit) {
  Explanation::Strip row = d.read_row(symbol_of(d.input(0)), d.input(0), d.row);
  Explanation::Strip column =
      d.read_column(symbol_of(weights) + " column " + std::to_string(d.col), weights, d.col);
  const auto begin = row.values.begin() + first;
  row.values = {begin, begin + static_cast<std::ptrdiff_t>(column.values.size())};
  row.names.clear();
  if (limit > 0.0F)
    for (float& number : column.values) number = std::clamp(number, -limit, limit);
  return d.add_products(std::move(row), std::move(column), "products");
}

void derive_stream_linear(Derivation& d) {
  const int first = part_of(d).first * d.trace.architecture().d_model;
  d.add_step(symbol_of(d.id) + " = Σ of the products", add_products_of(d, first, d.input(1), 0.0F),
             "of the stream's own part of the row and its own matrix");
}

void derive_tanh_linear(Derivation& d) {
  const double sum = add_products_of(d, 0, d.input(1), 0.0F);
  d.add_step("Σ of the products", sum);
  d.add_step(symbol_of(d.id) + " = tanh(that)", std::tanh(sum));
}

void derive_limited_linear(Derivation& d) {
  const float limit = d.trace.architecture().foreign.streams->limit;
  d.add_step(symbol_of(d.id) + " = Σ of the products", add_products_of(d, 0, d.input(1), limit),
             limit > 0.0F ? "the weights are kept within ±" + number_text(limit) : "");
}

void derive_lower(Derivation& d) {
  const StageId from = d.input(0);
  const Explanation::Strip row = d.read_row(symbol_of(from) + " " + d.quoted_row(), from, d.row);
  const auto share = static_cast<double>(d.trace.architecture().own(d.id.layer).sparsity);
  const auto n = static_cast<double>(row.values.size());
  double mean = 0.0, squares = 0.0;
  for (const float x : row.values) mean += static_cast<double>(x) / n;
  for (const float x : row.values)
    squares += (static_cast<double>(x) - mean) * (static_cast<double>(x) - mean);
  d.add_strip(row);
  const double deviation = std::sqrt(squares / n), quantile = normal_quantile(share);
  d.add_step("mean of the row", mean);
  d.add_step("standard deviation of the row", deviation, "divided by n, not n − 1");
  d.add_step("z", quantile, number_text(share) + " of a standard normal distribution lies below it");
  const double x = d.read_cell(at(from, d.col), from, d.row, d.col);
  const double above = x - (mean + deviation * quantile);
  d.add_step(symbol_of(d.id) + " = max(" + symbol_of(from) + " − (mean + z × deviation), 0)",
             std::max(above, 0.0), above > 0.0 ? "" : "below the quantile");
}

void derive_root_sum(Derivation& d) {
  const StageId a = d.input(0), b = d.input(1);
  const double sum = d.read_cell(path(a), a, d.row, d.col) + d.read_cell(path(b), b, d.row, d.col);
  d.add_step(symbol_of(d.id) + " = (" + symbol_of(a) + " + " + symbol_of(b) + ") / √2", sum * std::sqrt(0.5));
}

}  // namespace

std::span<const OpRecord> stream_operations() {
  static constexpr std::array records{
      OpRecord{Op::slice, derive_slice, "the columns of {0} for this layer"},
      OpRecord{Op::layer_scale, derive_layer_scale, "x · {1}"},
      OpRecord{Op::as_large, derive_as_large, "{0}, each stream as large as {1}"},
      OpRecord{Op::predict, derive_predict, "each stream plus what the others tell of it"},
      OpRecord{Op::correct, derive_correct, "{0} + (1 + c_K) · what is new"},
      OpRecord{Op::add_to_streams, derive_add_to_streams, "{0} + {1}, in each stream"},
      OpRecord{Op::mean_of_streams, derive_mean, "mean of {0} and {1}"},
      OpRecord{Op::stream_linear, derive_stream_linear, "each stream times its part of {1}"},
      OpRecord{Op::tanh_linear, derive_tanh_linear, "tanh({0} {1})"},
      OpRecord{Op::limited_linear, derive_limited_linear, "{0} {1}"},
      OpRecord{Op::lower, derive_lower, "max({0} − quantile of its row, 0)"},
      OpRecord{Op::root_sum, derive_root_sum, "({0} + {1}) / √2"},
  };
  return records;
}

}  // namespace headscope
