#include "core/page/page_inputs.h"

#include "core/text/number_text.h"

namespace headscope {

std::string share_text(const PictureOptions& picture, double value) {
  constexpr int digits = 3;
  return picture.details ? number_text(value, digits) : share_text(value);
}

Result<void> PageInputs::check_files() const {
  Result<void> ok = trace->check_files();
  for (const SubjectPass& pass : compared) {
    if (ok && pass.trace) ok = pass.trace->check_files();
  }
  return ok;
}

StageId PageInputs::counterpart(const StageId& stage) const {
  if (session.compared.empty()) return stage;
  const Selection& mine = session.selection;
  const Selection& other = session.compared.front().selection;
  StageId id = stage;
  if (stage.stack == mine.stack) id.stack = other.stack;
  if (stage.layer == mine.layer) id.layer = other.layer;
  if (stage.attention == mine.attention) id.attention = other.attention;
  if (stage.head == mine.head) id.head = other.head;
  return normalized(id);
}

StageId shown_weights(const PageInputs& in) {
  const StageId dropped = in.at(StageKind::dropped);
  const bool is_selected = in.session.selection.stage == StageKind::dropped && in.trace->has(dropped);
  return is_selected ? dropped : in.at(StageKind::weights);
}

std::string_view dropout_text(const Trace& trace, StageKind kind) {
  if (!trace.options().has_dropout()) return {};
  if (kind == StageKind::weights) return "before dropout";
  return kind == StageKind::dropped || kind == StageKind::effective_weights ? "after dropout" : "";
}

void PageMemo::forget_passes() {
  comparison.clear();
  shared_cell_sizes.clear();
  requested_patches.reset();
  strip = {};
}

}  // namespace headscope
