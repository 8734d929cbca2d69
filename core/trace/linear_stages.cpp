#include "core/trace/linear_stages.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "core/model/interventions.h"
#include "core/model/pass_edits.h"
#include "core/text/number_text.h"
#include "core/trace/derivation.h"
#include "core/trace/weight_stages.h"

namespace headscope::stages {
namespace {

/// The query whose keys the state sums.
int last_query(const Trace& trace, const StageId& id) {
  return trace.extent(at_kind(id, raw)).rows - 1;
}

/// 1 for each key that the last query sees, and 0 for the others.
std::vector<float> seen_by_last(const Trace& trace, const StageId& id) {
  const CombinedMask& mask = trace.mask(id);
  const Extent size = trace.extent(at_kind(id, raw));
  std::vector<float> seen;
  seen.reserve(static_cast<std::size_t>(size.cols));
  for (int key = 0; key < size.cols; ++key) {
    seen.push_back(mask.sees(id.head, size.rows - 1, key) ? 1.0F : 0.0F);
  }
  return seen;
}

/// [S, n] The n dimensions of the mapped keys from `first` on.
StageNumbers mapped_keys(const Trace& trace, const StageId& id, int first, int n) {
  const StageId keys = at_kind(id, mapped_key);
  return trace.read(keys, {0, first, trace.extent(keys).rows, n});
}

/// The masked scores of a row without those of hidden keys.
Derivation::Factor visible_scores(const Derivation& d) {
  Derivation::Factor seen{"scores visible to " + d.quoted(d.row), {}, {}};
  const std::vector<float> row = d.row_of(masked, d.row);
  const std::vector<std::string> keys = d.token_names(Axis::key_tokens);
  seen.values.reserve(row.size());
  seen.names.reserve(row.size());
  for (std::size_t key = 0; key < row.size(); ++key) {
    if (!std::isfinite(row[key])) continue;
    seen.values.push_back(row[key]);
    seen.names.push_back(keys[key]);
  }
  return seen;
}

/// The dimension of the mapped keys that a cell of the state sums, with 0 for the keys that the last query
/// does not see.
std::vector<float> seen_column(const Derivation& d, int dimension, const std::vector<float>& seen) {
  std::vector<float> column = d.column_of(mapped_key, dimension);
  for (std::size_t key = 0; key < column.size(); ++key) column[key] *= seen[key];
  return column;
}

std::string note_on_seen(const Derivation& d, const std::vector<float>& seen) {
  const auto n = static_cast<int>(std::ranges::count(seen, 1.0F));
  return "over the " + counted(n, "key") + " visible to " + d.quoted(last_query(d.trace, d.id)) +
         ", the last query";
}

}  // namespace

std::string mapped_formula(const Trace& trace, const StageId& id) {
  return "elu(" + std::string(info(trace.graph().inputs(id).front().kind).symbol) + ") + 1";
}

void derive_mapped(Derivation& d) {
  const StageKind origin = d.input(0).kind;
  const std::string name = std::string(info(origin).symbol) + "[" + std::to_string(d.col) + "]";
  const double x = d.number(origin, d.row, d.col);
  d.add_source(origin, d.row, d.col);
  d.add_cell(name, origin, d.row, d.col);
  const std::string mapped(info(d.id.kind).symbol);
  if (x > 0.0)
    return d.add_step(mapped + " = " + name + " + 1", x + 1.0, "above 0, elu leaves the number unchanged");
  d.add_step(mapped + " = exp(" + name + ")", std::exp(x),
             "up to 0, elu(x) = exp(x) − 1, and the 1 is added back");
}

std::string mapped_sentence(const Trace& trace, const StageId& id, const CellValue& cell) {
  return row_sentence_of(trace, id, std::string(info(id.kind).symbol), dimension_text(cell.col), cell);
}

RowMaker states(const Trace& trace, const StageId& id) {
  return [&trace, id, seen = seen_by_last(trace, id)](int first, int n, float* out) {
    const StageNumbers keys = mapped_keys(trace, id, first, n);
    const StageId value_id = at_kind(id, value);
    const Extent size = trace.extent(value_id);
    const StageNumbers values = trace.read(value_id, {0, 0, size.rows, size.cols});
    std::vector<double> sums(static_cast<std::size_t>(n) * static_cast<std::size_t>(size.cols));
    for (int token = 0; token < size.rows; ++token) {
      if (seen[static_cast<std::size_t>(token)] == 0.0F) continue;
      auto sum = sums.begin();
      for (const float k : keys.view.row(token)) {
        for (const float v : values.view.row(token))
          *sum++ += static_cast<double>(k) * static_cast<double>(v);
      }
    }
    std::ranges::transform(sums, out, [](double sum) { return static_cast<float>(sum); });
  };
}

RowMaker state_sums(const Trace& trace, const StageId& id) {
  return [&trace, id, seen = seen_by_last(trace, id)](int /*first*/, int n, float* out) {
    const int width = trace.architecture().head_width();
    const StageNumbers keys = mapped_keys(trace, id, 0, width);
    std::vector<double> sums(static_cast<std::size_t>(n > 0 ? width : 0));
    for (std::size_t token = 0; token < seen.size() && n > 0; ++token) {
      if (seen[token] == 0.0F) continue;
      auto sum = sums.begin();
      for (const float k : keys.view.row(static_cast<int>(token))) *sum++ += static_cast<double>(k);
    }
    std::ranges::transform(sums, out, [](double sum) { return static_cast<float>(sum); });
  };
}

std::string state_sentence(const Trace& /*trace*/, const StageId& id, const CellValue& cell) {
  return "The state of head " + std::to_string(id.head) + " holds " + number_text(cell.value) +
         " for dimension " + std::to_string(cell.row) + " of the keys and " + std::to_string(cell.col) +
         " of the values";
}

std::string state_sum_sentence(const Trace& /*trace*/, const StageId& id, const CellValue& cell) {
  return "The mapped keys of head " + std::to_string(id.head) + " add up to " + number_text(cell.value) +
         " in " + dimension_text(cell.col);
}

void derive_state(Derivation& d) {
  const std::vector<std::string> keys = d.token_names(Axis::key_tokens);
  const std::vector<float> seen = seen_by_last(d.trace, d.id);
  const double sum =
      d.add_products({"φ(K) column " + std::to_string(d.row), seen_column(d, d.row, seen), keys},
                     {"V column " + std::to_string(d.col), d.column_of(value, d.col), keys}, "φ(K) × V");
  d.add_source(mapped_key, std::nullopt, d.row);
  d.add_source(value, std::nullopt, d.col);
  d.add_step("S_φ = Σ φ(K) × V", sum, note_on_seen(d, seen));
}

void derive_state_sum(Derivation& d) {
  const std::vector<float> seen = seen_by_last(d.trace, d.id);
  const std::vector<float> column = seen_column(d, d.col, seen);
  double sum = 0.0;
  for (const float number : column) sum += static_cast<double>(number);
  d.add_strip({"φ(K) column " + std::to_string(d.col), column, d.token_names(Axis::key_tokens)});
  d.add_source(mapped_key, std::nullopt, d.col);
  d.add_step("z_φ = Σ φ(K)", sum, note_on_seen(d, seen));
}

bool gives_output(const Trace& trace, const StageId& state_id, int row) {
  if (!trace.has(state_id) || row != last_query(trace, state_id) || trace.options().drops()) return false;
  const HeadEdits* edits = trace.edits() == nullptr ? nullptr : trace.edits()->of(head_of(state_id));
  return edits == nullptr || (!edits->changes_weights() && edits->raw == nullptr);
}

void derive_from_state(Derivation& d) {
  const std::vector<float> asks = d.row_of(mapped_query, d.row);
  const std::vector<float> column = d.column_of(state, d.col);
  const std::vector<float> keys = d.row_of(state_sum, 0);
  double product = 0.0;
  double sum = 0.0;
  for (std::size_t i = 0; i < asks.size(); ++i) {
    product += static_cast<double>(asks[i]) * static_cast<double>(column[i]);
    sum += static_cast<double>(asks[i]) * static_cast<double>(keys[i]);
  }
  d.add_source(mapped_query, d.row, std::nullopt);
  d.add_source(state, std::nullopt, d.col);
  d.add_source(state_sum, 0, std::nullopt);
  d.add_step("from the state: φ(q) · S_φ column " + std::to_string(d.col), product);
  d.add_step("φ(q) · z_φ", sum, "the sum of the row's scores");
  d.add_step("their quotient", sum > 0.0 ? product / sum : 0.0,
             "the same up to rounding, without scores and weights");
}

void derive_share(Derivation& d, const std::vector<float>& scores, double sum, const std::string& note) {
  const auto score = static_cast<double>(scores[static_cast<std::size_t>(d.col)]);
  Derivation::Factor seen = visible_scores(d);
  if (!seen.values.empty()) d.add_strip(std::move(seen));
  d.add_source(masked, d.row, std::nullopt);
  d.add_step("Σ over keys", sum, "no softmax: φ makes no score negative, so no exponential is needed");
  if (sum == 0.0) {
    d.add_step("weight", 0.0,
               "every key is hidden from this query or has the score 0, so all its weights are 0");
    return;
  }
  d.add_step("weight = score / Σ over keys", score / sum, note);
}

}  // namespace headscope::stages
