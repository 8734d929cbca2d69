#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>

#include "core/text/number_text.h"
#include "core/trace/cover.h"
#include "core/trace/derivation.h"

namespace headscope {

namespace {

/// The number of rows of a stage that interventions replace.
int replaced_rows(const Trace& trace, const StageId& id) {
  if (trace.edits() == nullptr) return 0;
  const StageId stage = canonical(trace.architecture(), id);
  const std::vector<RowEdit>& rows = trace.edits()->rows;
  const auto is_every = [&](const RowEdit& edit) { return edit.stage == stage && edit.row == every_row; };
  return std::ranges::any_of(rows, is_every)
             ? trace.extent(stage).rows
             : static_cast<int>(std::ranges::count(rows, stage, &RowEdit::stage));
}

/// The number of a cell.
std::string value_text(const Trace& trace, const StageId& id, const StageCell& cell) {
  return rounded_text(static_cast<double>(trace.number(id, cell.row, cell.col)));
}

/// The token at an index with its role: “it” (query 7).
std::string token_as(const Trace& trace, const StageId& id, Axis axis, const char* role, int index) {
  return quoted_word(trace.label(id, axis, index)) + " (" + role + " " + std::to_string(index) + ")";
}

/// The name of an index along an axis without tokens: “it” for a word, "dimension 3" for anything else.
std::string dimension_text(const Trace& trace, const StageId& id, Axis axis, int index) {
  return axis == Axis::vocabulary ? quoted_word(trace.label(id, axis, index))
                                  : "dimension " + std::to_string(index);
}

/// The replacement of a placeholder in a sentence about a cell.
std::string placeholder_text(std::string_view mark, const Trace& trace, const StageId& id,
                             const StageCell& cell) {
  if (mark == "value") return value_text(trace, id, cell);
  if (mark == "row") return std::to_string(cell.row);
  if (mark == "column") return std::to_string(cell.col);
  if (mark == "head") return std::to_string(id.head);
  if (mark == "query") return token_as(trace, id, Axis::query_tokens, "query", cell.row);
  if (mark == "key") return token_as(trace, id, Axis::key_tokens, "key", cell.col);
  if (mark == "token") return token_as(trace, id, info(id.kind).rows, "token", cell.row);
  if (mark == "distance") return trace.label(id, Axis::distances, cell.row);
  if (mark == "expert") return expert_name(trace, cell.col);
  if (mark == "word") return dimension_text(trace, id, Axis::vocabulary, cell.col);
  // A trained encoder predicts the word itself.
  const bool fills_in = !trace.is_untrained() && trace.architecture().last_stack() == Stack::encoder;
  return fills_in ? "At" : "After";
}

/// A text with each placeholder in braces replaced.
template <class Replacement>
std::string filled(std::string_view text, const Replacement& replacement) {
  std::string all;
  for (std::size_t mark = text.find('{'); mark != std::string_view::npos; mark = text.find('{')) {
    const std::size_t end = text.find('}');
    all.append(text.substr(0, mark)).append(replacement(text.substr(mark + 1, end - mark - 1)));
    text.remove_prefix(end + 1);
  }
  return all.append(text);
}

/// Fills in the placeholders of a sentence template for a cell.
std::string fill_placeholders(std::string_view sentence, const Trace& trace, const StageId& id,
                              const StageCell& cell) {
  return filled(sentence, [&](std::string_view mark) { return placeholder_text(mark, trace, id, cell); });
}

std::string computed_formula(const Trace& trace, const StageId& id) {
  const OpRecord& record = record_of(trace.graph().op(id));
  const auto* text = std::get_if<std::string_view>(&record.formula);
  if (text == nullptr) return std::get<1>(record.formula)(trace, id);
  return filled(*text, [&](std::string_view mark) { return input_symbol(trace, id, mark == "0" ? 0 : 1); });
}

/// A sentence such as "The bias of head 0 at distance −1 is 0.3", or "Position 3, dimension 2, is 0.1".
std::string positions_sentence(const Trace& trace, const StageId& id, const StageCell& cell) {
  const Architecture& a = trace.architecture();
  if (!is_bias_table(a, id))
    return fill_placeholders("Position {row}, dimension {column}, is {value}", trace, id, cell);
  const std::string the = info(id.kind).scope == StageScope::model ? "The"
                          : id.stack == Stack::encoder             ? "In the encoder, the"
                                                                   : "In the decoder, the";
  return the + " bias of head " + std::to_string(cell.row) +
         (a.relative_buckets ? " in bucket " : " at distance ") +
         trace.label(id, Axis::position_cols, cell.col) + " is " + value_text(trace, id, cell);
}

/// A sentence such as "W_Q of head 0, from input dimension 2 to dimension 3, is 0.1", or the same without
/// rows for a bias.
std::string parameter_sentence(const Trace& trace, const StageId& id, const StageCell& cell) {
  const Architecture& a = trace.architecture();
  const StageInfo& line = info(id.kind);
  std::string text(line.symbol);
  if (line.scope == StageScope::head)
    text +=
        " of " + (line.is_per_group ? group_text(a, id.head, id.layer) : "head " + std::to_string(id.head));
  text += ", ";
  if (const Axis rows = axis_in(a, line.rows); rows != Axis::single) {
    const char* kind = rows == Axis::concat   ? "concatenated"
                       : rows == Axis::d_ff   ? "hidden"
                       : rows == Axis::latent ? "latent"
                                              : "input";
    text += std::string("from ") + kind + " " + dimension_text(trace, id, rows, cell.row) + " to ";
  }
  return text + dimension_text(trace, id, line.cols, cell.col) + ", is " + value_text(trace, id, cell);
}

/// A sentence about a number of a token's row: "Q of “it” (token 7), dimension 3, is −0.42".
std::string row_sentence(const Trace& trace, const StageId& id, const StageCell& cell) {
  const StageInfo& line = info(id.kind);
  const bool is_of_heads = line.cols == Axis::concat;
  const bool is_symbol = is_of_heads || line.section == PageSection::projections;
  const int width = trace.architecture().value_width(id.layer);
  const std::string place = is_of_heads ? "head " + std::to_string(cell.col / width) + ", dimension " +
                                              std::to_string(cell.col % width)
                                        : "dimension " + std::to_string(cell.col);
  return std::string(is_symbol ? line.symbol : line.title) +
         fill_placeholders(" of {token}, " + place + ", is {value}", trace, id, cell);
}

/// The letters of a stage, of all heads together.
std::string letters_of(const Trace& trace, const StageId& id) {
  const StageInfo& line = info(id.kind);
  const auto letters = [&](Axis axis) {
    return std::string(info(axis_in(trace.architecture(), axis)).letters);
  };
  const char* const head = line.scope == StageScope::head ? "h" : "";
  // The head comes first in maps and in stages without a row per token.
  const bool begins = !line.is_parameter() && (is_map(id.kind) || !is_token_axis(line.rows));
  return begins ? head + letters(line.rows) + letters(line.cols)
                : letters(line.rows) + head + letters(line.cols);
}

}  // namespace

std::string group_text(const Architecture& a, int head, int layer) {
  const int first = a.first_of_group(head, layer);
  const int last = first + a.group_size(layer) - 1;
  if (last == first) return "head " + std::to_string(first);
  return "heads " + std::to_string(first) + (last == first + 1 ? " and " : "–") + std::to_string(last);
}

const OpRecord& record_of(Op op) {
  static const std::array families{source_operations(), row_operations(),      stream_operations(),
                                   score_operations(),  position_operations(), output_operations()};
  const OpRecord* found = nullptr;
  for (const std::span<const OpRecord>& family : families) {
    for (const OpRecord& record : family)
      if (record.op == op) found = &record;
  }
  return *found;
}

std::string formula(const Trace& trace, const StageId& requested) {
  const StageId id = normalized(requested);
  std::string text = trace.given(id) != nullptr ? "given by hand" : computed_formula(trace, id);
  const Architecture& a = trace.architecture();
  if (info(id.kind).is_per_group && a.shares_keys(id.layer))
    text += ", shared by " + group_text(a, id.head, id.layer);
  if (!trace.uses(id)) text = "not used, because a later stage is given: " + text;
  const int replaced = replaced_rows(trace, id);
  if (replaced > 0) text += ", " + count_text(replaced, "row") + " replaced (intervention)";
  return text;
}

std::string einsum_text(const Trace& trace, const StageId& id) {
  std::vector<StageId> factors = trace.graph().inputs(id);
  const Op op = trace.graph().op(id);
  if (op == Op::linear) {
    // Ignores biases. A partly shared key is no single product.
    std::erase_if(factors, [](const StageId& input) {
      const StageInfo& line = info(input.kind);
      return line.is_parameter() && line.rows == Axis::single;
    });
  } else if (op != Op::scores && op != Op::average && op != Op::state && op != Op::contribution) {
    return {};
  }
  if (factors.size() != 2) return {};
  std::string first = letters_of(trace, factors[0]);
  // The inputs of keys and values are lettered as keys here.
  if (op == Op::linear) first.replace(0, 1, info(info(id.kind).rows).letters);
  const std::string text =
      "einsum " + first + "," + letters_of(trace, factors[1]) + "->" + letters_of(trace, id);
  // With the usual letters of annotated implementations: i query, j key, b batch, h head, d dimension.
  if (op == Op::scores) return text + ", with a batch ibhd,jbhd->ijbh";
  return op == Op::average ? text + ", with a batch ijbh,jbhd->ibhd" : text;
}

std::string describe_cell(const Trace& trace, const StageId& requested, int row, int col) {
  const StageId id = normalized(requested);
  const Extent size = trace.extent(id);
  if (row < 0 || row >= size.rows || col < 0 || col >= size.cols) return {};
  const StageCell cell{row, col};
  const StageInfo& line = info(id.kind);
  if (line.sentence.empty()) {
    if (line.rows == Axis::position_rows) return positions_sentence(trace, id, cell);
    return line.is_parameter() ? parameter_sentence(trace, id, cell) : row_sentence(trace, id, cell);
  }
  std::string text = fill_placeholders(line.sentence, trace, id, cell);
  if (id.kind == StageKind::weights && trace.options().has_dropout()) text += " before dropout";
  if (!line.is_share && trace.graph().op(id) != Op::mask) return text;
  const std::string reason = hidden_reason(trace, id, row, col);
  return reason.empty() ? text : text + ": hidden (" + reason + ")";
}

float visible_magnitude_limit(const Trace& trace, const StageId& id) {
  if (trace.graph().op(id) != Op::mask) return std::numeric_limits<float>::infinity();
  constexpr double far_beyond = 4.0;
  const float hidden = std::abs(trace.mask(id).value);
  const StageStats scores = trace.stats(trace.graph().inputs(normalized(id)).front()).value_or(StageStats{});
  const bool is_far = static_cast<double>(hidden) > far_beyond * scores.magnitude;
  return is_far ? std::min(hidden, hidden_magnitude) : hidden_magnitude;
}

std::string shape_text(const Extent& extent) {
  return "[" + std::to_string(extent.rows) + " × " + std::to_string(extent.cols) + "]";
}

std::string shape_text(const MatrixView& view) {
  return shape_text(Extent{view.rows, view.cols});
}

std::string full_shape_text(const Trace& trace, const StageId& id) {
  const Extent view = trace.extent(id);
  const StageInfo& line = info(id.kind);
  std::string text = "[";
  if (!line.is_parameter()) text += std::to_string(trace.batch().n_sequences) + ", ";
  const Architecture& a = trace.architecture();
  const int n_heads = line.is_per_group ? a.kv_heads(id.layer) : a.n_heads;
  if (line.scope == StageScope::head && a.n_heads > 1) text += std::to_string(n_heads) + ", ";
  if (line.rows != Axis::single) text += std::to_string(view.rows) + ", ";
  return text + std::to_string(view.cols) + "]";
}

}  // namespace headscope
