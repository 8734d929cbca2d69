#include "core/trace/explain.h"

#include <utility>

#include "core/model/pass_edits.h"
#include "core/trace/derivation.h"
#include "core/trace/number_text.h"
#include "core/trace/patch_stage.h"
#include "core/trace/stage_record.h"

namespace headscope {
namespace {

Result<void> check_cell(const Trace& trace, const StageId& id, int row, int col) {
  if (const Absence absence = trace.absence(id); absence != Absence::none) {
    return usage_error("this pass has no stage " + path(id) + ": " + absence_text(trace, absence));
  }
  const Extent numbers = trace.extent(id);
  const auto outside = [&id](const char* what, int index, int size) {
    return usage_error(std::string(what) + " " + std::to_string(index) + " is not in " + path(id) +
                       ": it has " + counted(size, what) +
                       (size == 0 ? "" : ", 0 to " + std::to_string(size - 1)));
  };
  if (row < 0 || row >= numbers.rows) return outside("row", row, numbers.rows);
  if (col < 0 || col >= numbers.cols) return outside("column", col, numbers.cols);
  return {};
}

/// Derives the cell, or states that its number was given by hand or read from a capture.
void derive(Derivation& d) {
  const auto given = d.trace.given(d.id);
  const bool is_read = is_read_from_capture(d.trace.architecture(), d.id.kind);
  if (given == nullptr && !is_read) return record_of(d.id.kind).derive(d);
  const std::string cell = "[" + std::to_string(d.row) + ", " + std::to_string(d.col) + "]";
  const std::string name = std::string(info(d.id.kind).symbol) + cell;
  if (given != nullptr) {
    d.add_step(name, static_cast<double>(given->at(d.row, d.col)), "given by hand, not computed");
  } else {
    d.add_step(name, d.number(d.id.kind, d.row, d.col), "read from the capture, not computed");
  }
}

/// Adds the number with which a patch replaces the computed one.
void replace(Derivation& d) {
  const std::optional<Patch> patch = patch_of(d.id, d.row, PatchSource::zero);
  if (!patch || d.trace.edits() == nullptr) return;
  const HeadId place = head_of(canonical(d.trace.architecture(), d.id));
  const RowEdit* edit = d.trace.edits()->of(patch->site, place, d.row);
  if (edit == nullptr) return;
  const auto number = static_cast<double>(edit->numbers[static_cast<std::size_t>(d.col)]);
  const bool is_held = edit->source == PatchSource::held;
  d.add_step(is_held ? "replaced by the held pass's number" : "replaced by 0", number,
             "an intervention replaces the row of " + d.quoted(d.row));
}

}  // namespace

Result<Explanation> explain(const Trace& trace, const StageId& id, int row, int col) {
  const StageId stage = canonical(trace.architecture(), normalized(id));
  if (auto ok = check_cell(trace, stage, row, col); !ok) return tl::unexpected(ok.error());
  Derivation derivation{trace, stage, row, col, {}};
  derive(derivation);
  replace(derivation);
  Explanation& sheet = derivation.sheet;
  sheet.stage = stage;
  sheet.row = row;
  sheet.col = col;
  sheet.headline = sentence_for(trace, stage, row, col);
  sheet.formula = formula(trace, stage);
  sheet.value = sheet.steps.back().value;
  sheet.stored = static_cast<double>(trace.number(stage, row, col));
  return std::move(sheet);
}

}  // namespace headscope
