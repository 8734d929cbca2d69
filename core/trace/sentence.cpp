#include "core/trace/derivation.h"

namespace headscope {
namespace {

/// “it” (query 7)
std::string token_as(const Trace& trace, const char* role, int index) {
  return "“" + trace.tokens()[static_cast<std::size_t>(index)].text + "” (" + role + " " +
         std::to_string(index) + ")";
}

std::string dimension(int index) {
  return "dimension " + std::to_string(index);
}

/// "Q of “it” (token 7), dimension 3, is −0.42"
std::string row_sentence(const Trace& trace, const std::string& what, int row, const std::string& place,
                         double value) {
  return what + " of " + token_as(trace, "token", row) + ", " + place + ", is " + number_text(value);
}

std::string score_sentence(const Trace& trace, const StageId& id, int row, int col, double value) {
  const std::string query = token_as(trace, "query", row);
  const std::string key = token_as(trace, "key", col);
  const std::string number = number_text(value);
  if (id.kind == StageKind::raw || id.kind == StageKind::scaled) {
    const std::string what = id.kind == StageKind::raw ? "The raw score of " : "The scaled score of ";
    return what + query + " and " + key + " is " + number;
  }
  const std::string reason = hidden_reason(trace, id.head, row, col);
  const bool is_weight = id.kind == StageKind::weights;
  const std::string told = is_weight ? query + " gives " + number + " to " + key
                                     : "The masked score of " + query + " and " + key + " is " + number;
  return reason.empty() ? told : told + ": hidden (" + reason + ")";
}

std::string parameter_sentence(const StageId& id, int row, int col, double value) {
  const StageInfo& line = info(id.kind);
  std::string what(line.symbol);
  if (line.scope == StageScope::head) what += " of head " + std::to_string(id.head);
  if (line.rows == Axis::single) return what + ", " + dimension(col) + ", is " + number_text(value);
  if (line.rows == Axis::vocabulary) {
    return "Row " + std::to_string(row) + " of the embedding table, " + dimension(col) + ", is " +
           number_text(value);
  }
  const std::string from = line.rows == Axis::concat ? "concatenated dimension " : "input dimension ";
  return what + ", from " + from + std::to_string(row) + " to " + dimension(col) + ", is " +
         number_text(value);
}

}  // namespace

std::string sentence_for(const Trace& trace, const StageId& wished, int row, int col) {
  const StageId id = normalized(wished);
  const MatrixView numbers = trace.value(id);
  if (row < 0 || row >= numbers.rows || col < 0 || col >= numbers.cols) return {};
  const double value = numbers(row, col);
  const StageInfo& line = info(id.kind);
  if (line.is_parameter) return parameter_sentence(id, row, col, value);
  switch (id.kind) {
    case StageKind::raw:
    case StageKind::scaled:
    case StageKind::masked:
    case StageKind::weights:
      return score_sentence(trace, id, row, col, value);
    case StageKind::query:
    case StageKind::key:
    case StageKind::value:
      return row_sentence(trace, std::string(line.symbol), row, dimension(col), value);
    case StageKind::contribution:
      return "Head " + std::to_string(id.head) + " adds " + number_text(value) + " to " + dimension(col) +
             " of " + token_as(trace, "token", row);
    case StageKind::concat: {
      const int width = trace.architecture().value_width();
      return row_sentence(trace, "C", row,
                          "head " + std::to_string(col / width) + ", " + dimension(col % width), value);
    }
    default:
      return row_sentence(trace, std::string(line.title), row, dimension(col), value);
  }
}

}  // namespace headscope
