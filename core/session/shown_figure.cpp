#include "core/session/shown_figure.h"

namespace headscope {
namespace {

StageKind stage_of_positions(Positions positions) {
  switch (positions) {
    case Positions::rotary:
      return StageKind::rotated_query;
    case Positions::relative:
    case Positions::alibi:
      return StageKind::position_bias;
    default:
      return StageKind::positions;
  }
}

/// Whether a pin is in the shown stage; if all heads are shown, in that of any head.
bool is_shown(const Pin& pin, StageId stage, bool all_heads) {
  if (all_heads) stage.head = pin.stage.head;
  return pin.stage == normalized(stage);
}

}  // namespace

StageId FigureChoice::main_stage() const {
  StageId id = place;
  id.kind = stage.value_or(StageKind::weights);
  id.head = head.value_or(0);
  return normalized(id);
}

FigureSize FigureChoice::default_size() const {
  constexpr int height_of_all_stages = 1360;
  FigureSize size;
  if (!stage && !diagram) size.height = height_of_all_stages;
  return size;
}

StageKind exported_stage(const Session& session) {
  const Selection& selection = session.selection;
  const Architecture& a = session.architecture;
  switch (session.view) {
    case PageName::words:
      if (a.output_layer == OutputLayer::none || selection.stage == StageKind::logits) return selection.stage;
      return StageKind::probabilities;
    case PageName::positions:
      return a.positions == Positions::none ? selection.stage : stage_of_positions(a.positions);
    case PageName::split:
      return StageKind::query;
    default:
      return selection.stage;
  }
}

FigureChoice shown_figure(const Session& session) {
  const Selection& selection = session.selection;
  FigureChoice figure;
  figure.stage = exported_stage(session);
  figure.head = selection.head;
  figure.place = selection.at(StageKind::weights);
  if (session.view == PageName::positions) figure.place.attention = AttentionKind::self;
  if (session.view == PageName::stages) figure.stage.reset();
  if (session.view == PageName::model) {
    figure.diagram = true;
    return figure;
  }
  const StageId shown = figure.main_stage();
  if (session.view == PageName::heads) figure.head.reset();
  if (selection.pin && is_shown(*selection.pin, shown, !figure.head)) {
    figure.row = selection.pin->row;
    figure.column = selection.pin->col;
  } else if (is_token_axis(info(shown.kind).rows)) {
    figure.row = selection.token;
  }
  return figure;
}

}  // namespace headscope
