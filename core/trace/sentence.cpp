#include "core/trace/derivation.h"

namespace headscope {
namespace {

/// “it” (query 7)
std::string token_as(const Trace& trace, const StageId& id, Axis axis, const char* role, int index) {
  return "“" + trace.label(id, axis, index) + "” (" + role + " " + std::to_string(index) + ")";
}

std::string dimension(int index) {
  return "dimension " + std::to_string(index);
}

/// "Q of “it” (token 7), dimension 3, is −0.42"
std::string row_sentence(const Trace& trace, const StageId& id, const std::string& what, int row,
                         const std::string& place, double value) {
  return what + " of " + token_as(trace, id, info(id.kind).rows, "token", row) + ", " + place + ", is " +
         number_text(value);
}

std::string score_sentence(const Trace& trace, const StageId& id, int row, int col, double value) {
  const std::string query = token_as(trace, id, Axis::query_tokens, "query", row);
  const std::string key = token_as(trace, id, Axis::key_tokens, "key", col);
  const std::string number = number_text(value);
  if (id.kind == StageKind::position_bias) {
    return "The distance from " + query + " to " + key + " adds " + number + " to their score";
  }
  if (id.kind == StageKind::raw || id.kind == StageKind::scaled) {
    const std::string what = id.kind == StageKind::raw ? "The raw score of " : "The scaled score of ";
    return what + query + " and " + key + " is " + number;
  }
  const std::string reason = hidden_reason(trace, id, row, col);
  const std::string after = id.kind == StageKind::dropped ? " after dropout" : "";
  const std::string told = id.kind == StageKind::masked
                               ? "The masked score of " + query + " and " + key + " is " + number
                               : query + " gives " + number + " to " + key + after;
  return reason.empty() ? told : told + ": hidden (" + reason + ")";
}

/// The name of a parameter's row.
std::string parameter_row(Axis axis, int row) {
  const std::string index = std::to_string(row);
  switch (axis) {
    case Axis::concat:
      return "concatenated dimension " + index;
    case Axis::d_ff:
      return "hidden dimension " + index;
    default:
      return "input dimension " + index;
  }
}

std::string parameter_sentence(const Trace& trace, const StageId& id, int row, int col, double value) {
  const StageInfo& line = info(id.kind);
  const std::string number = number_text(value);
  const std::string place =
      line.cols == Axis::vocabulary ? "“" + trace.label(id, line.cols, col) + "”" : dimension(col);
  std::string what(line.symbol);
  if (line.scope == StageScope::head) what += " of head " + std::to_string(id.head);
  if (line.rows == Axis::single) return what + ", " + place + ", is " + number;
  if (line.rows == Axis::table_rows) {
    return "Row " + std::to_string(row) + " of the embedding table, " + place + ", is " + number;
  }
  if (line.rows == Axis::position_rows) {
    return trace.architecture().positions == Positions::relative
               ? "The bias of head " + std::to_string(row) + " at distance " +
                     trace.label(id, line.cols, col) + " is " + number
               : "Position " + std::to_string(row) + ", " + place + ", is " + number;
  }
  return what + ", from " + parameter_row(line.rows, row) + " to " + place + ", is " + number;
}

}  // namespace

std::string sentence_for(const Trace& trace, const StageId& requested, int row, int col) {
  const StageId id = normalized(requested);
  const MatrixView numbers = trace.value(id);
  if (row < 0 || row >= numbers.rows || col < 0 || col >= numbers.cols) return {};
  const double value = numbers(row, col);
  const StageInfo& line = info(id.kind);
  if (line.is_parameter) return parameter_sentence(trace, id, row, col, value);
  switch (id.kind) {
    case StageKind::raw:
    case StageKind::scaled:
    case StageKind::position_bias:
    case StageKind::masked:
    case StageKind::weights:
    case StageKind::dropped:
      return score_sentence(trace, id, row, col, value);
    case StageKind::query:
    case StageKind::key:
    case StageKind::value:
    case StageKind::rotated_query:
    case StageKind::rotated_key:
      return row_sentence(trace, id, std::string(line.symbol), row, dimension(col), value);
    case StageKind::logits:
    case StageKind::probabilities:
      return "After " + token_as(trace, id, Axis::query_tokens, "token", row) + " the " +
             (id.kind == StageKind::logits ? "logit" : "probability") + " of “" +
             trace.label(id, Axis::vocabulary, col) + "” is " + number_text(value);
    case StageKind::contribution:
      return "Head " + std::to_string(id.head) + " adds " + number_text(value) + " to " + dimension(col) +
             " of " + token_as(trace, id, Axis::query_tokens, "token", row);
    case StageKind::concat: {
      const int width = trace.architecture().value_width();
      return row_sentence(trace, id, "C", row,
                          "head " + std::to_string(col / width) + ", " + dimension(col % width), value);
    }
    default:
      return row_sentence(trace, id, std::string(line.title), row, dimension(col), value);
  }
}

}  // namespace headscope
