// The views of one head or row that have few controls of their own: each shows its page and answers the mouse
// on it.
#include <algorithm>
#include <string>

#include "app/parts/frame.h"
#include "app/parts/intervention_controls.h"
#include "app/parts/page_part.h"
#include "app/parts/place_picker.h"
#include "app/parts/setting_control.h"
#include "app/parts/step_player.h"
#include "app/views/page_views.h"
#include "app/widgets/controls.h"
#include "app/widgets/panel.h"
#include "app/widgets/text.h"
#include "core/measures/tiled_head.h"
#include "core/page/effects/effects_page.h"
#include "core/page/page_record.h"
#include "core/page/scale/scale_page.h"
#include "core/page/split/split_page.h"
#include "core/page/tiled_softmax/tiled_softmax_page.h"
#include "core/session/settings.h"
#include "core/trace/explain.h"

namespace headscope {
namespace {

/// A click on a head's line selects the head. A click on a number of its query or key pins that cell.
void handle_split_mouse(Frame& frame, const PageMouse& mouse) {
  if (const auto* area = mouse.on<HeadArea>(); area != nullptr && mouse.clicked) {
    frame.emit(SelectHead{area->head});
  }
  const auto cell = mouse.table_cell();
  if (!cell) return;
  const auto pin = cell_of_head_rows(page_inputs(frame), mouse.on<TableCells>()->table, *cell);
  if (!pin) return;
  tooltip(frame.ui, "Head " + std::to_string(pin->stage.head) + ": " +
                        describe_cell(*frame.trace, pin->stage, pin->row, pin->col));
  frame.screen.next_hovered = pin;
  if (!mouse.clicked) return;
  frame.emit(SelectHead{pin->stage.head});
  frame.emit(PinCell{*pin});
}

constexpr float tile_gap = 16.0F;

struct TilesViewState {
  StepPlay play;
};

/// The controls for the size of the tiles, for the tile processed last, and for playing them. Needs a pass.
void tile_controls(Frame& frame) {
  const PageInputs& in = page_inputs(frame);
  const int n_tiles = n_tiles_of(in);
  if (n_tiles == 0) return;
  const Ui& ui = frame.ui;
  const TiledHead head = tiled_head_of(in);
  const Extent extent = in.trace->extent(head.scores);
  int queries = head.queries;
  int keys = head.keys;
  int step = std::clamp(frame.session.tiles.step, 1, n_tiles);
  const float width =
      (ImGui::GetContentRegionAvail().x - step_player_width(ui) - 3.0F * ui.px(tile_gap)) / 3.0F;
  if (slider_in_line(frame, "queries of a tile", queries, 1, std::min(extent.rows, max_tile_side),
                     setting("tiles.queries").sentence, width))
    frame.emit(set_to("tiles.queries", queries));
  ImGui::SameLine(0.0F, ui.px(tile_gap));
  if (slider_in_line(frame, "keys of a tile", keys, 1, std::min(extent.cols, max_tile_side),
                     setting("tiles.keys").sentence, width))
    frame.emit(set_to("tiles.keys", keys));
  ImGui::SameLine(0.0F, ui.px(tile_gap));
  if (slider_in_line(frame, "tile", step, 1, n_tiles, setting("tiles.step").sentence, width))
    frame.emit(set_to("tiles.step", step));
  ImGui::SameLine(0.0F, ui.px(tile_gap));
  const Steps steps{std::clamp(frame.session.tiles.step, 1, n_tiles), n_tiles,
                    "Processes one tile after another"};
  if (const auto next = step_player(frame, frame.screen.own.of<TilesViewState>().play, steps))
    frame.emit(set_to("tiles.step", *next));
}

/// Selects a head, or the layer of another part.
void select_part(Frame& frame, const ModelPart& part) {
  const HeadId& place = part.place;
  const bool is_head = part.kind == ModelPart::Kind::head;
  const AttentionKind attention = is_head ? place.attention : frame.session.selection.attention;
  frame.emit(SelectPlace{place.stack, place.layer, attention});
  if (is_head) frame.emit(SelectHead{place.head});
}

void handle_scale_mouse(Frame& frame, const PageMouse& mouse) {
  if (const auto* chip = mouse.on<LineToken>(); chip != nullptr && mouse.clicked)
    frame.emit(SelectToken{chip->token});
  if (const auto* bar = mouse.on<PartBar>()) {
    const HeadId& head = bar->part.place;
    tooltip(frame.ui, "Layer " + std::to_string(head.layer) + ", head " + std::to_string(head.head) +
                          "\nClick to show it above.");
    if (mouse.clicked) select_part(frame, bar->part);
  }
  if (const auto cell = mouse.table_cell()) {
    PageTools tools = page_tools(frame);
    const std::string message =
        describe_jacobian(page_inputs(frame), tools, mouse.on<TableCells>()->table, *cell);
    if (!message.empty()) tooltip(frame.ui, message);
  }
}

}  // namespace

void split_view(Frame& frame) {
  const Panel panel(frame.ui, "split", ImGui::GetContentRegionAvail(), PanelScroll::vertical);
  place_picker(frame);
  handle_split_mouse(
      frame, draw_page(frame, PageName::split, ImGui::GetContentRegionAvail(), PageDependency::mouse));
}

namespace {

struct StagePlay {
  StepPlay play;
  int frame = -1;  ///< The frame in which the page was drawn last, as ImGui counts.
};

/// The buttons that go from stage to stage.
void stage_player(Frame& frame) {
  constexpr double seconds = 2.5;
  constexpr double slow_seconds = 6.0;
  const PageSteps& all = page_record(PageName::stages).steps;
  const PageInputs& in = page_inputs(frame);
  const Steps steps{all.now(in, frame.screen.memo), all.n(in, frame.screen.memo),
                    "Goes from stage to stage of this page", seconds, slow_seconds};
  if (const auto next = step_player(frame, frame.screen.own.of<StagePlay>().play, steps); next && steps.n > 0)
    frame.emit(all.to(in, *next));
}

}  // namespace

void stages_view(Frame& frame) {
  const Panel panel(frame.ui, "stages", ImGui::GetContentRegionAvail());
  if (!frame.trace) return;
  head_picker(frame);
  stage_player(frame);
  constexpr bool padded = false;
  begin_child("all stages", ImGui::GetContentRegionAvail(), padded, ImGuiWindowFlags_None);
  const PageMouse mouse = draw_page(frame, PageName::stages, ImGui::GetContentRegionAvail());
  // The page opens at its top, whatever is selected.
  int& drawn = frame.screen.own.of<StagePlay>().frame;
  if (drawn < ImGui::GetFrameCount() - 1)
    frame.screen.presented = selected_stage(frame, frame.session.selection.stage);
  drawn = ImGui::GetFrameCount();
  scroll_to_stage(frame, mouse);
  end_child();
  const auto* cells = mouse.on<StageCells>();
  if (cells != nullptr && mouse.clicked && !frame.screen.marks_cells())
    frame.emit(SelectStage{cells->stage.kind});
}

void watch_view(Frame& frame) {
  const Panel panel(frame.ui, "watch", ImGui::GetContentRegionAvail(), PanelScroll::vertical);
  head_picker(frame);
  watch_controls(frame);
  const PageMouse mouse =
      draw_page(frame, PageName::watch, ImGui::GetContentRegionAvail(), PageDependency::step);
  const auto* token = mouse.on<TokenArea>();
  if (token == nullptr || frame.session.selection.attention != AttentionKind::self) return;
  tooltip(frame.ui, "Click to watch the row of this word");
  if (mouse.clicked) frame.emit(SelectToken{token->place});
}

void tiles_view(Frame& frame) {
  const Panel panel(frame.ui, "tiles", ImGui::GetContentRegionAvail(), PanelScroll::vertical);
  if (!frame.trace) return;
  head_picker(frame);
  tile_controls(frame);
  draw_page(frame, PageName::tiles, ImGui::GetContentRegionAvail());
}

void scale_view(Frame& frame) {
  const Panel panel(frame.ui, "scale", ImGui::GetContentRegionAvail(), PanelScroll::vertical);
  if (!frame.trace) return;
  head_picker(frame);
  handle_scale_mouse(frame, draw_page(frame, PageName::scale, ImGui::GetContentRegionAvail()));
  const PageInputs& in = page_inputs(frame);
  if (!in.session.picture.details) {
    if (!frame.screen.presents &&
        link(frame.ui, "Show the gradient: in this row, in all heads, and in training", "Switches Details on",
             text_size::control))
      change_setting(frame, setting("picture.details"), true);
    return;
  }
  if (has_task_of_gradients(in)) return;
  if (button(frame.ui, "Open a trained model",
             frame.with_keys("The pronouns, trained", CommandId::open_pronouns).c_str()))
    frame.emit(CommandId::open_pronouns);
}

void effects_view(Frame& frame) {
  const Panel panel(frame.ui, "effects", ImGui::GetContentRegionAvail(), PanelScroll::vertical);
  if (!frame.trace) return;
  intervention_bar(frame);
  const PageMouse mouse = draw_page(frame, PageName::effects, ImGui::GetContentRegionAvail());
  const PageInputs& in = page_inputs(frame);
  if (const auto* bar = mouse.on<PartBar>()) {
    PageTools tools = page_tools(frame);
    const std::string message = describe_effect(in, tools, bar->part);
    if (!message.empty()) tooltip(frame.ui, message);
    if (mouse.clicked) select_part(frame, bar->part);
  }
  if (const auto cell = mouse.table_cell()) {
    PageTools tools = page_tools(frame);
    const std::string message = describe_circuit(in, tools, mouse.on<TableCells>()->table, *cell);
    if (!message.empty()) tooltip(frame.ui, message);
  }
  if (const auto* word = mouse.on<WordArea>(); word != nullptr && mouse.clicked && word->word) {
    const std::string& clicked = in.trace->vocabulary()[static_cast<std::size_t>(*word->word)];
    // A second click makes the page follow the likeliest word again.
    frame.emit(SelectWord{clicked == frame.session.selection.word ? "" : clicked});
  }
}

}  // namespace headscope
