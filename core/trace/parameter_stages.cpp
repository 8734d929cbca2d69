#include "core/trace/parameter_stages.h"

#include <cmath>

#include "core/model/model.h"
#include "core/trace/attention_parameter_stages.h"
#include "core/trace/derivation.h"
#include "core/trace/latent_stages.h"

namespace headscope::stages {
namespace {

/// The sizes of the matrix that a weight matrix was drawn as.
struct Fans {
  int in, out;
};

/// A note that PyTorch draws the matrices of all heads as a single one, which is wider by the number of
/// heads.
std::string pytorch_differs(const Architecture& a, Fans fans, int n_heads) {
  if (a.init != Init::xavier || n_heads == 1) return {};
  const int whole = n_heads * fans.out;
  return "; PyTorch's xavier_uniform_ counts the columns of all heads: ±" +
         number_text(std::sqrt(6.0 / (fans.in + whole))) + " = √(6 / (" + std::to_string(fans.in) + " + " +
         std::to_string(whole) + "))";
}

std::string drawn_weights(Init init, Fans fans) {
  const std::string in = std::to_string(fans.in);
  switch (init) {
    case Init::normal:
      return "drawn from N(0, 1)";
    case Init::scaled:
      return "drawn from N(0, 1/" + in + ")";
    case Init::xavier:
      break;
  }
  return "drawn uniformly from ±" + number_text(std::sqrt(6.0 / (fans.in + fans.out))) + " = √(6 / (" + in +
         " + " + std::to_string(fans.out) + "))";
}

std::string drawn_bias(int fan_in) {
  return "drawn uniformly from ±" + number_text(1.0 / std::sqrt(fan_in)) + " = 1 / √" +
         std::to_string(fan_in);
}

/// The origin of a parameter: how it was drawn, with the seed, or that it was read from a file.
std::string drawn(const Trace& trace, const std::string& how, const std::string& after = {}) {
  if (!trace.model().drawn) return "read from the model's file";
  return how + ", seed " + std::to_string(trace.architecture().seed) + after;
}

/// The same for a parameter whose initial number does not depend on the seed.
std::string untrained(const Trace& trace, const char* number) {
  return trace.model().drawn ? std::string(number) + " before any training" : "read from the model's file";
}

std::string matrix_origin(const Trace& trace, Fans fans) {
  return drawn(trace, drawn_weights(trace.architecture().init, fans));
}

/// The origin of a matrix that is drawn separately for each head.
std::string head_matrix_origin(const Trace& trace, const StageId& id, Fans fans) {
  const Architecture& a = trace.architecture();
  const int n_heads = info(id.kind).of_group ? a.kv_heads() : a.n_heads;
  return drawn(trace, drawn_weights(a.init, fans), pytorch_differs(a, fans, n_heads));
}

/// The symbol with its head or group: "W_Q of head 0".
std::string symbol_at(const Architecture& a, const StageId& id) {
  const StageInfo& line = info(id.kind);
  std::string what(line.symbol);
  if (line.scope == StageScope::head)
    what += " of " + (line.of_group ? group_text(a, id.head) : "head " + std::to_string(id.head));
  return what;
}

/// The name of a row of a matrix.
std::string row_name(Axis axis, int row) {
  const char* kind = axis == Axis::concat   ? "concatenated"
                     : axis == Axis::d_ff   ? "hidden"
                     : axis == Axis::latent ? "latent"
                                            : "input";
  return kind + (" " + dimension_text(row));
}

/// The name of a column: “it” for a word, "dimension 3" for anything else.
std::string column_name(const Trace& trace, const StageId& id, int col) {
  const Axis axis = info(id.kind).cols;
  return axis == Axis::vocabulary ? "“" + trace.label(id, axis, col) + "”" : dimension_text(col);
}

}  // namespace

std::string origin_of_table(const Trace& trace, const StageId& /*id*/) {
  return drawn(trace, "drawn from N(0, 1)");
}

std::string origin_of_gain(const Trace& trace, const StageId& /*id*/) {
  return untrained(trace, "1");
}

std::string origin_of_norm_bias(const Trace& trace, const StageId& /*id*/) {
  return untrained(trace, "0");
}

std::string origin_of_w_query(const Trace& trace, const StageId& id) {
  const Architecture& a = trace.architecture();
  return head_matrix_origin(trace, id, {a.d_model, a.head_width()});
}

std::string origin_of_w_key(const Trace& trace, const StageId& id) {
  const Architecture& a = trace.architecture();
  return head_matrix_origin(trace, id, {a.kv_input_width(), a.own_key_width(id.attention)});
}

std::string origin_of_w_value(const Trace& trace, const StageId& id) {
  const Architecture& a = trace.architecture();
  return head_matrix_origin(trace, id, {a.kv_input_width(), a.value_width()});
}

std::string origin_of_projection_bias(const Trace& trace, const StageId& id) {
  const Architecture& a = trace.architecture();
  return drawn(trace, drawn_bias(id.kind == b_query ? a.d_model : a.kv_input_width()));
}

std::string origin_of_w_output(const Trace& trace, const StageId& /*id*/) {
  const Architecture& a = trace.architecture();
  return matrix_origin(trace, {a.concat_width(), a.d_model});
}

std::string origin_of_b_output(const Trace& trace, const StageId& /*id*/) {
  return drawn(trace, drawn_bias(trace.architecture().concat_width()));
}

std::string origin_of_sink(const Trace& trace, const StageId& /*id*/) {
  return untrained(trace, "0");
}

std::string origin_of_w_gate(const Trace& trace, const StageId& /*id*/) {
  const Architecture& a = trace.architecture();
  return matrix_origin(trace, {a.d_model, a.concat_width()});
}

std::string origin_of_w_latent(const Trace& trace, const StageId& /*id*/) {
  const Architecture& a = trace.architecture();
  return matrix_origin(trace, {a.d_model, a.kv_latent.value_or(0)});
}

std::string origin_of_w_shared_key(const Trace& trace, const StageId& id) {
  const Architecture& a = trace.architecture();
  return matrix_origin(trace, {a.d_model, a.shared_key_width(id.attention)});
}

std::string origin_of_w_1(const Trace& trace, const StageId& /*id*/) {
  const Architecture& a = trace.architecture();
  return matrix_origin(trace, {a.d_model, a.d_ff});
}

std::string origin_of_b_1(const Trace& trace, const StageId& /*id*/) {
  return drawn(trace, drawn_bias(trace.architecture().d_model));
}

std::string origin_of_w_2(const Trace& trace, const StageId& /*id*/) {
  const Architecture& a = trace.architecture();
  return matrix_origin(trace, {a.d_ff, a.d_model});
}

std::string origin_of_b_2(const Trace& trace, const StageId& /*id*/) {
  return drawn(trace, drawn_bias(trace.architecture().d_ff));
}

std::string origin_of_w_logits(const Trace& trace, const StageId& /*id*/) {
  const Architecture& a = trace.architecture();
  if (trace.model().drawn && a.output_layer == OutputLayer::tied) {
    return "the embedding of each word, as a column";
  }
  if (a.output_layer == OutputLayer::tied && a.foreign.scales_output)
    return "the embedding of each word, as a column, divided by √" + std::to_string(a.d_model);
  return drawn(trace, "drawn from N(0, 1/" + std::to_string(a.d_model) + "), for each word by itself");
}

std::string origin_of_b_logits(const Trace& trace, const StageId& /*id*/) {
  return drawn(trace, drawn_bias(trace.architecture().d_model) + ", for each word by itself");
}

RowMaker rows_of_table(const Trace& trace, const StageId& /*id*/) {
  return [table = trace.model().embedding_table](int first, int n, float* out) {
    Matrix made;
    Eigen::Map<Matrix>(out, n, table.n_cols()) = eigen(table.rows(first, n, made));
  };
}

std::string embedding_table_sentence(const Trace& /*trace*/, const StageId& /*id*/, const CellValue& cell) {
  return "Row " + std::to_string(cell.row) + " of the embedding table, " + dimension_text(cell.col) +
         ", is " + number_text(cell.value);
}

std::string positions_table_sentence(const Trace& trace, const StageId& id, const CellValue& cell) {
  const std::string number = number_text(cell.value);
  const Architecture& a = trace.architecture();
  if (a.positions == Positions::relative) {
    const std::string stack = id.kind != stack_positions_table ? ""
                              : id.stack == Stack::encoder     ? "In the encoder, "
                                                               : "In the decoder, ";
    return stack + (stack.empty() ? "The" : "the") + " bias of head " + std::to_string(cell.row) +
           (a.relative_buckets ? " in bucket " : " at distance ") +
           trace.label(id, Axis::position_cols, cell.col) + " is " + number;
  }
  return "Position " + std::to_string(cell.row) + ", " + dimension_text(cell.col) + ", is " + number;
}

std::string parameter_sentence(const Trace& trace, const StageId& id, const CellValue& cell) {
  const Axis rows = axis_in(trace.architecture(), info(id.kind).rows);
  return symbol_at(trace.architecture(), id) + ", " +
         (rows == Axis::single ? "" : "from " + row_name(rows, cell.row) + " to ") +
         column_name(trace, id, cell.col) + ", is " + number_text(cell.value);
}

}  // namespace headscope::stages
