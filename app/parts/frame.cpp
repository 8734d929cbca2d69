#include "app/parts/frame.h"

#include "core/page/inspector_page.h"

namespace headscope {

const Explanation* ScreenState::explanation_of(const std::shared_ptr<const Trace>& trace, const Pin& cell) {
  if (explained_trace_ != trace || !(explained_cell_ == cell)) {
    explained_trace_ = trace;
    explained_cell_ = cell;
    explanation_.reset();
    if (auto derived = explain(*trace, cell.stage, cell.row, cell.col)) explanation_ = std::move(*derived);
  }
  return explanation_ ? &*explanation_ : nullptr;
}

void ScreenState::forget_passes_but(const std::shared_ptr<const Trace>& trace,
                                    const std::shared_ptr<const Trace>& before) {
  std::erase_if(memo.maps, [&](const auto& slot) {
    const MapKey& key = slot.second.key;
    return key.trace != trace || (key.before && key.before != before);
  });
  if (memo.change_notes.trace != trace || memo.change_notes.before != before) memo.change_notes = {};
  if (memo.spread.trace != trace) memo.spread = {};
  if (page_inputs.trace != trace || page_inputs.before != before) {
    page_inputs.trace.reset();
    page_inputs.before.reset();
    pages.clear();
  }
  if (strip.trace != trace) strip = {};
  if (explained_trace_ != trace) explained_trace_.reset();
  if (empty_rows_trace_ != trace) empty_rows_trace_.reset();
}

const std::vector<int>& ScreenState::empty_rows_of(const std::shared_ptr<const Trace>& trace,
                                                   const StageId& head) {
  if (empty_rows_trace_ != trace || empty_rows_head_ != head) {
    empty_rows_trace_ = trace;
    empty_rows_head_ = head;
    empty_rows_ = rows_without_keys(trace->mask(head), head.head);
  }
  return empty_rows_;
}

StageId selected_stage(const Frame& frame, StageKind kind) {
  return frame.session.selection.at(kind);
}

std::optional<Pin> inspected(const Frame& frame) {
  if (!frame.trace) return std::nullopt;
  return inspected(*frame.trace, frame.session.selection.pin, frame.screen.hovered);
}

}  // namespace headscope
