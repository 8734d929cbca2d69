#include <algorithm>
#include <limits>

#include "core/model/interventions.h"
#include "core/model/pass_edits.h"
#include "core/trace/explain.h"
#include "core/trace/stage_parts.h"
#include "core/trace/stage_record.h"
#include "core/trace/trace.h"

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

}  // namespace

std::string group_text(const Architecture& a, int head) {
  const int first = a.first_of_group(head);
  const int last = first + a.group_size() - 1;
  if (last == first) return "head " + std::to_string(first);
  return "heads " + std::to_string(first) + (last == first + 1 ? " and " : "–") + std::to_string(last);
}

std::string formula(const Trace& trace, const StageId& requested) {
  const StageId id = normalized(requested);
  const StageRecord& record = record_of(id.kind);
  std::string text = trace.given(id) != nullptr             ? "given by hand"
                     : trace.graph().op(id) == Op::captured ? "read from the capture"
                     : record.formula != nullptr            ? record.formula(trace, id)
                                                            : stages::formula_by_operation(trace, id);
  if (text.empty()) text = record.info.formula;
  const Architecture& a = trace.architecture();
  if (record.info.of_group && a.shares_keys()) text += ", shared by " + group_text(a, id.head);
  if (!trace.uses(id)) text = "not used, because a later stage is given: " + text;
  const int replaced = replaced_rows(trace, id);
  if (replaced > 0) text += ", " + counted(replaced, "row") + " replaced (intervention)";
  return text;
}

std::string einsum_text(const Trace& trace, const StageId& id) {
  const bool is_compressed = trace.has(at_kind(id, StageKind::normed_latent));
  if (is_compressed && id.kind == StageKind::value) return "einsum sc,chv->shv";
  if (!is_compressed || id.kind != StageKind::key) return einsum_text(id.kind);
  return trace.has(at_kind(id, StageKind::shared_key)) ? "" : "einsum sc,chk->shk";
}

std::string sentence_for(const Trace& trace, const StageId& requested, int row, int col) {
  const StageId id = normalized(requested);
  const Extent size = trace.extent(id);
  if (row < 0 || row >= size.rows || col < 0 || col >= size.cols) return {};
  const CellValue cell{row, col, static_cast<double>(trace.number(id, row, col))};
  const auto own = record_of(id.kind).sentence;
  return own != nullptr ? own(trace, id, cell) : stages::sentence_by_operation(trace, id, cell);
}

float counted_below(const Trace& trace, const StageId& id) {
  const StageRecord& record = record_of(id.kind);
  return record.counted_below == nullptr ? std::numeric_limits<float>::infinity()
                                         : record.counted_below(trace, id);
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
  if (!line.is_parameter) text += std::to_string(trace.batch().n_sequences) + ", ";
  const Architecture& a = trace.architecture();
  const int n_heads = line.of_group ? a.kv_heads() : a.n_heads;
  if (line.scope == StageScope::head && a.n_heads > 1) text += std::to_string(n_heads) + ", ";
  if (line.rows != Axis::single) text += std::to_string(view.rows) + ", ";
  return text + std::to_string(view.cols) + "]";
}

}  // namespace headscope
