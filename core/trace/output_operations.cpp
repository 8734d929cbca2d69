#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <span>
#include <utility>

#include "core/model/attention.h"
#include "core/tensor/packed_product.h"
#include "core/text/number_text.h"
#include "core/trace/derivation.h"

namespace headscope {
namespace {

using enum StageKind;

/// The factor of the output of a head from an intervention, or 1.
float scale_of_head(const Trace& trace, const StageId& id) {
  const HeadEdits* edits = edits_of_head(trace, id);
  return edits == nullptr ? 1.0F : edits->scale;
}

// Effective weights follow Kobayashi, Kuribayashi, Yokoi and Inui 2020, "Attention is Not Only a Weight:
// Analyzing Transformers with Vector Norms". The output of a head for a query is Σ α f(x) over keys, with
// f(x) = (x W_V + b_V) W_O, and ‖α f(x)‖ is the part of a key in it. The stage holds this length as a share
// of the row's sum. With dropout, α are the weights that the values are averaged with. A row without any
// weight is 0. The stage is absent without W_O, since there is no f(x), and with an output gate, since f(x)
// is then different for each query.

/// ‖V W_O[h]‖ of each key, computed from the Gram matrix of W_O's rows, which is far smaller than V W_O. An
/// intervention may scale them.
std::vector<double> projected_lengths(const Trace& trace, const StageId& id) {
  const std::vector<StageId> inputs = trace.graph().inputs(id);
  const int width = trace.architecture().value_width(id.layer);
  const StageNumbers rows = trace.read(inputs[2], {id.head * width, 0, width, trace.extent(inputs[2]).cols});
  const Eigen::MatrixXd projection = eigen(rows.view).cast<double>();
  const Eigen::MatrixXd products = projection * projection.transpose();
  const Extent size = trace.extent(inputs[1]);
  const StageNumbers stored = trace.read(inputs[1], {0, 0, size.rows, size.cols});
  const Eigen::MatrixXd values = eigen(stored.view).cast<double>();
  const Eigen::VectorXd squares = (values * products).cwiseProduct(values).rowwise().sum();
  const auto scale = static_cast<double>(scale_of_head(trace, id));
  std::vector<double> lengths;
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

std::string length_text(const StageId& id) {
  return "‖V W_O[" + std::to_string(id.head) + "]‖";
}

std::string effective_formula(const Trace& trace, const StageId& id) {
  return input_symbol(trace, id) + " " + length_text(id) + " / Σ over keys";
}

RowFunction effective_weights_of(const Trace& trace, const StageId& id) {
  const StageId averaged = trace.graph().inputs(id).front();
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

void derive_effective(Derivation& d) {
  const StageId averaged = d.input(0), value_id = d.input(1);
  const std::string symbol = symbol_of(averaged), length = length_text(d.id), key = d.quoted_key();
  const std::string products = symbol + " × " + length;
  const std::vector<double> lengths = projected_lengths(d.trace, d.id);
  Explanation::Strip weights = d.read_row(symbol + " " + d.quoted_row(), averaged, d.row);
  Explanation::Strip of_key = d.read_row("V " + key, value_id, d.col);
  const auto at = static_cast<std::size_t>(d.col);
  const double weight = weights.values[at];
  const double own = weight * lengths[at];
  const double total = total_length(weights.values, lengths);
  d.add_strip(std::move(of_key));
  Explanation::Strip all{length, {lengths.begin(), lengths.end()}, weights.names};
  d.add_products(std::move(weights), std::move(all), products);
  d.add_step(symbol, weight);
  d.add_step(length + " of " + key, lengths[at],
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

// The state of linear attention (Katharopoulos et al. 2020, section 3.4).

/// The query whose keys the state sums.
int last_query(const Trace& trace, const StageId& id) {
  return trace.extent(with_kind(id, raw)).rows - 1;
}

/// 1 for each key that the last query sees, and 0 for the others.
std::vector<float> seen_by_last(const Trace& trace, const StageId& id) {
  const CombinedMask& mask = trace.mask(id);
  const Extent size = trace.extent(with_kind(id, raw));
  std::vector<float> seen;
  seen.reserve(static_cast<std::size_t>(size.cols));
  for (int key = 0; key < size.cols; ++key) {
    seen.push_back(mask.sees(id.head, size.rows - 1, key) ? 1.0F : 0.0F);
  }
  return seen;
}

/// The n dimensions of the mapped keys from `first` on, each with the value of its token, summed over the
/// keys that the last query sees: Σ φ(k) vᵀ, or Σ φ(k) if there are no values.
RowFunction states(const Trace& trace, const StageId& id) {
  return [&trace, id, seen = seen_by_last(trace, id)](int first, int n, float* out) {
    const std::vector<StageId> inputs = trace.graph().inputs(id);
    const bool has_values = inputs.size() > 1;
    const Extent size = trace.extent(inputs.front());
    const StageNumbers keys =
        trace.read(inputs.front(), {0, has_values ? first : 0, size.rows, has_values ? n : n * size.cols});
    const int width = has_values ? trace.extent(inputs.back()).cols : 1;
    const StageNumbers values =
        has_values ? trace.read(inputs.back(), {0, 0, size.rows, width}) : StageNumbers{};
    constexpr std::array one{1.0F};
    std::vector<double> sums(static_cast<std::size_t>(keys.view.cols) * static_cast<std::size_t>(width));
    for (int token = 0; token < size.rows; ++token) {
      if (seen[static_cast<std::size_t>(token)] == 0.0F) continue;
      auto sum = sums.begin();
      for (const float k : keys.view.row(token)) {
        for (const float v : has_values ? values.view.row(token) : std::span<const float>(one))
          *sum++ += static_cast<double>(k) * static_cast<double>(v);
      }
    }
    std::ranges::transform(sums, out, [](double sum) { return static_cast<float>(sum); });
  };
}

/// The dimension of the mapped keys that a cell of the state sums, with 0 for the keys that the last query
/// does not see.
Explanation::Strip seen_column(Derivation& d, int dimension, const std::vector<float>& seen) {
  const StageId keys = d.input(0);
  Explanation::Strip column =
      d.read_column(symbol_of(keys) + " column " + std::to_string(dimension), keys, dimension);
  for (std::size_t key = 0; key < seen.size(); ++key) column.values[key] *= seen[key];
  return column;
}

std::string note_on_seen(const Derivation& d, const std::vector<float>& seen) {
  const auto n = static_cast<int>(std::ranges::count(seen, 1.0F));
  return "over the " + count_text(n, "key") + " visible to " +
         d.quoted(last_query(d.trace, d.id), Axis::query_tokens) + ", the last query";
}

void derive_state(Derivation& d) {
  const std::vector<float> seen = seen_by_last(d.trace, d.id);
  Explanation::Strip keys = seen_column(d, d.row, seen);
  Explanation::Strip values = d.read_column("V column " + std::to_string(d.col), d.input(1), d.col);
  const double sum = d.add_products(std::move(keys), std::move(values), "φ(K) × V");
  d.add_step("S_φ = Σ φ(K) × V", sum, note_on_seen(d, seen));
}

void derive_state_sum(Derivation& d) {
  const std::vector<float> seen = seen_by_last(d.trace, d.id);
  Explanation::Strip keys = seen_column(d, d.col, seen);
  double sum = 0.0;
  for (const float number : keys.values) sum += static_cast<double>(number);
  d.add_strip(std::move(keys));
  d.add_step("z_φ = Σ φ(K)", sum, note_on_seen(d, seen));
}

/// Whether the state determines the output of this row: the last one, unless the head's scores or weights are
/// edited.
bool gives_output(const Trace& trace, const StageId& state_id, int row) {
  if (!trace.has(state_id) || row != last_query(trace, state_id) || trace.options().has_dropout())
    return false;
  const HeadEdits* edits = edits_of_head(trace, state_id);
  return edits == nullptr || (!edits->changes_weights() && edits->raw == nullptr);
}

/// Adds steps that compute the same cell of the output from the state.
void derive_from_state(Derivation& d) {
  const std::vector<float> asks = d.read_row({}, with_kind(d.id, mapped_query), d.row).values;
  const auto product_with = [&asks](const Explanation::Strip& other) {
    double sum = 0.0;
    for (std::size_t i = 0; i < asks.size(); ++i)
      sum += static_cast<double>(asks[i]) * static_cast<double>(other.values[i]);
    return sum;
  };
  const double product = product_with(d.read_column({}, with_kind(d.id, state), d.col));
  const double sum = product_with(d.read_row({}, with_kind(d.id, state_sum), 0));
  d.add_step("from the state: φ(q) · S_φ column " + std::to_string(d.col), product);
  d.add_step("φ(q) · z_φ", sum, "the sum of the row's scores");
  d.add_step("their quotient", sum > 0.0 ? product / sum : 0.0,
             "the same up to rounding, without scores and weights");
}

// Head outputs and their concatenation.

std::string average_formula(const Trace& trace, const StageId& id) {
  const std::string averaged = input_symbol(trace, id) + " V";
  const float scale = scale_of_head(trace, id);
  return scale == 1.0F ? averaged : number_text(scale) + " · " + averaged + " (intervention)";
}

void derive_average(Derivation& d) {
  const std::string symbol = symbol_of(d.input(0));
  Explanation::Strip weights = d.read_row(symbol + " " + d.quoted_row(), d.input(0), d.row);
  Explanation::Strip values = d.read_column("V column " + std::to_string(d.col), d.input(1), d.col);
  const double sum = d.add_products(std::move(weights), std::move(values), symbol + " × V");
  if (gives_output(d.trace, with_kind(d.id, state), d.row)) derive_from_state(d);
  d.add_step("O = Σ " + symbol + " × V", sum);
  const float scale = scale_of_head(d.trace, d.id);
  if (scale == 1.0F) return;
  d.add_step(
      "× " + number_text(scale), sum * static_cast<double>(scale),
      scale == 0.0F ? "an intervention switches this head off" : "an intervention scales this head's output");
}

/// The number of a head in subscript digits; “O_0” is easily read as two letters.
std::string lowered(int number) {
  constexpr std::array digits{"₀", "₁", "₂", "₃", "₄", "₅", "₆", "₇", "₈", "₉"};
  std::string text;
  for (const char digit : std::to_string(number)) text += digits.at(static_cast<std::size_t>(digit - '0'));
  return text;
}

std::string concat_formula(const Trace& trace, const StageId& /*id*/) {
  const int n_heads = trace.architecture().n_heads;
  if (n_heads == 1) return "[O" + lowered(0) + "]";
  return "[O" + lowered(0) + (n_heads == 2 ? ", O" : " … O") + lowered(n_heads - 1) + "]";
}

void derive_concat(Derivation& d) {
  const int width = d.trace.architecture().value_width(d.id.layer);
  const int head = d.col / width;
  const int dimension = d.col % width;
  d.read_cell(symbol_of(d.id) + " = O" + lowered(head) + "[" + std::to_string(dimension) + "]",
              d.input(static_cast<std::size_t>(head)), d.row, dimension,
              "column " + std::to_string(d.col) + " is dimension " + std::to_string(dimension) + " of head " +
                  std::to_string(head) + "'s output");
}

std::string contribution_formula(const Trace& trace, const StageId& id) {
  const StageId from = trace.graph().inputs(id).front();
  const std::string head = "[" + std::to_string(id.head) + "]";
  const bool is_of_all = info(from.kind).scope == StageScope::attention;
  return (is_of_all ? symbol_of(from) + head : symbol_of(from) + lowered(id.head)) + " W_O" + head;
}

void derive_contribution(Derivation& d) {
  const int width = d.trace.architecture().value_width(d.id.layer);
  const int first_row = d.id.head * width;
  const auto head = std::to_string(d.id.head);
  const StageId from = d.input(0);
  const bool is_gated = from.kind == gated_heads;
  const auto part = [&](std::vector<float>& all) {
    const auto first = all.begin() + first_row;
    all = {first, first + width};
  };
  const std::string w = "W_O[" + head + "]", o = is_gated ? "gated O" : "O";
  Explanation::Strip outputs = d.read_row(o + " " + d.quoted_row(), from, d.row);
  Explanation::Strip column = d.read_column(w + " column " + std::to_string(d.col), d.input(1), d.col);
  if (is_gated) part(outputs.values);
  part(column.values);
  const double sum = d.add_products(std::move(outputs), std::move(column), o + " × " + w);
  d.add_step("contribution of head " + head + " = Σ " + o + " × " + w, sum,
             "rows " + std::to_string(first_row) + " to " + std::to_string(first_row + width - 1) +
                 " of W_O belong to head " + head);
}

/// The output of a head multiplied by its rows of W_O.
RowFunction contributions(const Trace& trace, const StageId& id) {
  const std::vector<StageId> inputs = trace.graph().inputs(id);
  const StageId own = inputs[0];
  const Extent projection = trace.extent(inputs[1]);
  const int n = trace.architecture().value_width(id.layer);
  const int first_row = id.head * n;
  const int first_col = own.kind == gated_heads ? first_row : 0;
  const auto rows_of_head = std::make_shared<PackedMatrix>();
  rows_of_head->pack(trace.read(inputs[1], {first_row, 0, n, projection.cols}).view);
  return
      [&trace, own, rows_of_head, n, first_col, width = projection.cols](int first, int n_rows, float* out) {
        const StageNumbers outputs = trace.read(own, {first, first_col, n_rows, n});
        rows_of_head->multiply(outputs.view, nullptr, out, width);
      };
}

}  // namespace

std::span<const OpRecord> output_operations() {
  static constexpr std::array records{
      OpRecord{Op::effective, derive_effective, effective_formula, effective_weights_of},
      OpRecord{Op::state, derive_state, "{0}ᵀ {1} of the last query's keys", states},
      OpRecord{Op::state_sum, derive_state_sum, "Σ φ(k) of the last query's keys", states},
      OpRecord{Op::average, derive_average, average_formula},
      OpRecord{Op::concat, derive_concat, concat_formula},
      OpRecord{Op::contribution, derive_contribution, contribution_formula, contributions},
  };
  return records;
}

}  // namespace headscope
