#include "app/parts/frame.h"

#include <algorithm>

#include "core/page/inspector/inspector_page.h"

namespace headscope {

void ScreenState::forget_passes_but(const std::shared_ptr<const Trace>& trace,
                                    const std::vector<SubjectPass>& held) {
  const auto is_kept = [&](const std::shared_ptr<const Trace>& pass) {
    return !pass || pass == trace || std::ranges::find(held, pass, &SubjectPass::trace) != held.end();
  };
  std::erase_if(memo.maps, [&](const auto& slot) {
    const MapKey& key = slot.second.key;
    return !is_kept(key.trace) || !is_kept(key.against);
  });
  if (memo.change_notes.trace != trace || !is_kept(memo.change_notes.against)) memo.change_notes = {};
  if (memo.spread.trace != trace) memo.spread = {};
  memo.heads.forget_passes_but(trace, is_kept);
  if (memo.effects.key().trace != trace) memo.effects.forget();
  if (memo.score_parts.key().trace != trace) memo.score_parts.forget();
  if (memo.score_tiles.key().trace != trace) memo.score_tiles.forget();
  if (memo.tile_state.key().head.trace != trace) memo.tile_state.forget();
  if (memo.decodable.trace != trace) memo.decodable = {};
  if (memo.decoded.key() != trace) memo.decoded.forget();
  memo.lines.forget_passes_but(trace);
  if (memo.scale.heads.key().trace != trace) memo.scale.heads.forget();
  memo.small_pictures.forget_passes_but(trace, is_kept);
  std::erase_if(memo.compared, [&](const auto& cells) {
    return !is_kept(cells.second.trace) || !is_kept(cells.second.held_trace);
  });
  if (page_inputs.trace != trace || page_inputs.held != held) {
    page_inputs.trace.reset();
    page_inputs.held.clear();
    pages.clear();
  }
  if (memo.strip.trace != trace) memo.strip = {};
  if (memo.derivation.trace != trace) memo.derivation = {};
  if (number_editor.computed_of != trace) {
    number_editor.computed_of.reset();
    number_editor.computed.reset();
  }
  if (presented_fit.trace != trace || presented_fit.held != held) presented_fit = {};
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

PageSize room_of_view(const ScreenState& screen, PageName view) {
  const auto shown = screen.pages.find(view);
  return shown == screen.pages.end() ? PageSize{0.0F, 0.0F} : shown->second.size;
}

}  // namespace headscope
