#include "core/trace/foreign_stages.h"

#include "core/model/model.h"
#include "core/trace/derivation.h"

namespace headscope::stages {

std::string segments_sentence(const Trace& /*trace*/, const StageId& /*id*/, const CellValue& cell) {
  return "Segment " + std::to_string(cell.row) + ", " + dimension_text(cell.col) + ", is " +
         number_text(cell.value);
}

std::string origin_of_foreign(const Trace& /*trace*/, const StageId& /*id*/) {
  return "read from the model's file";
}

void derive_segments(Derivation& d) {
  const Token& token = d.trace.tokens(d.id.stack)[static_cast<std::size_t>(d.row)];
  const std::string name = std::to_string(token.segment);
  d.add_cell("segments.table: S[" + name + ", " + std::to_string(d.col) + "]", StageKind::segments_table,
             token.segment, d.col,
             "the token belongs to segment " + name + ", which is row " + name +
                 " of the table: 0 up to the first separator, and 1 after it in models of pairs");
  d.add_source(StageKind::segments_table, token.segment, d.col);
}

void derive_embedding_sum(Derivation& d) {
  double sum = 0.0;
  for (const StageId& part : d.trace.graph().inputs(d.id)) {
    d.add_source(part, d.row, d.col);
    d.add_cell(std::string(info(part.kind).symbol) + " " + d.quoted(d.row), part, d.row, d.col);
    sum += d.number(part, d.row, d.col);
  }
  d.add_step("X₀ = " + formula_by_operation(d.trace, d.id), sum);
}

}  // namespace headscope::stages
