#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <tuple>

#include "app/parts/frame.h"
#include "app/parts/intervention_controls.h"
#include "app/parts/number_editor.h"
#include "app/parts/page_part.h"
#include "app/parts/setting_control.h"
#include "app/parts/setting_groups.h"
#include "app/parts/stage_picker.h"
#include "app/parts/step_player.h"
#include "app/views/views.h"
#include "app/widgets/controls.h"
#include "app/widgets/panel.h"
#include "app/widgets/text.h"
#include "core/measures/tiled_head.h"
#include "core/model/trained_model.h"
#include "core/page/page_record.h"
#include "core/page/pages.h"
#include "core/page/parts/covered.h"
#include "core/page/scale/scale_page.h"
#include "core/session/settings.h"
#include "core/trace/explain.h"

// The views of one head or row that have few controls of their own: each shows its page and answers the mouse
// on it.

namespace headscope {
namespace {

/// Scrolls once to a newly selected stage, if it is out of sight.
void scroll_to_stage(Frame& frame, const PageMouse& page) {
  const StageId stage = selected_stage(frame, frame.session.selection.stage);
  if (frame.screen.presented == stage) return;
  frame.screen.presented = stage;
  const HitRegion* region =
      page.first<StageCells>([&](const StageCells& cells) { return cells.stage == stage; });
  if (region == nullptr) return;
  const float top = page.origin.y + region->box.y * frame.ui.page_scale() - ImGui::GetWindowPos().y;
  const float height = region->box.h * frame.ui.page_scale();
  const float title = frame.ui.px(72.0F);  // The title and the formula stand above the cells.
  if (top >= title && top + height <= ImGui::GetWindowHeight()) return;
  ImGui::SetScrollFromPosY(top - title + 0.5F * (height + title), 0.5F);
  frame.ui.wake_in(0.0);
}

/// A click on a head's line selects the head. A click on a number of its query or key pins that cell.
void handle_split_mouse(Frame& frame, const PageMouse& mouse) {
  if (const auto* head = mouse.on<HeadIndex>(); head != nullptr && mouse.clicked)
    frame.emit(select_head(head->head));
  const auto cell = mouse.table_cell();
  if (!cell) return;
  const auto pin = cell_of_head_rows(page_inputs(frame), mouse.on<TableCells>()->table, *cell);
  if (!pin) return;
  tooltip(frame.ui, "Head " + std::to_string(pin->stage.head) + ": " +
                        describe_cell(*frame.trace, pin->stage, pin->row, pin->col));
  frame.screen.next_hovered = pin;
  if (!mouse.clicked) return;
  frame.emit(select_head(pin->stage.head));
  frame.emit(PinCell{*pin});
}

constexpr float tile_gap = 16.0F;

/// The controls for the size of the tiles, for the tile processed last, and for playing them. Needs a pass.
void tile_controls(Frame& frame) {
  const PageInputs& in = page_inputs(frame);
  const int n_tiles = n_tiles_of(in);
  if (n_tiles == 0) return;
  const Ui& ui = frame.ui;
  const TiledHead head = tiled_head_of(in);
  const Extent extent = in.trace->extent(head.scores);
  const int step = std::clamp(frame.session.tiles.step, 1, n_tiles);
  const float width =
      (ImGui::GetContentRegionAvail().x - step_player_width(ui) - 3.0F * ui.px(tile_gap)) / 3.0F;
  slider_in_line(frame, "tiles.queries", "queries of a tile", head.queries,
                 std::min(extent.rows, max_tile_side), width);
  ImGui::SameLine(0.0F, ui.px(tile_gap));
  slider_in_line(frame, "tiles.keys", "keys of a tile", head.keys, std::min(extent.cols, max_tile_side),
                 width);
  ImGui::SameLine(0.0F, ui.px(tile_gap));
  slider_in_line(frame, "tiles.step", "tile", step, n_tiles, width);
  ImGui::SameLine(0.0F, ui.px(tile_gap));
  const Steps steps{step, n_tiles, "Processes one tile after another"};
  if (const auto next = step_player(frame, frame.screen.own.of<StepPlay>("tiles"), steps))
    frame.emit(set_to("tiles.step", *next));
}

/// Selects a head, or the layer of another part.
void select_part(Frame& frame, const ModelPart& part) {
  const HeadId& place = part.place;
  const bool is_head = part.kind == ModelPart::Kind::head;
  const AttentionKind attention = is_head ? place.attention : frame.session.selection.attention;
  frame.emit(select_place(place.stack, place.layer, attention));
  if (is_head) frame.emit(select_head(place.head));
}

void handle_scale_mouse(Frame& frame, const PageMouse& mouse) {
  if (const auto* chip = mouse.on<LineToken>(); chip != nullptr && mouse.clicked)
    frame.emit(SelectToken{chip->token});
  if (const auto* bar = mouse.on<ModelPart>()) {
    const HeadId& head = bar->place;
    tooltip(frame.ui, "Layer " + std::to_string(head.layer) + ", head " + std::to_string(head.head) +
                          "\nClick to show it above.");
    if (mouse.clicked) select_part(frame, *bar);
  }
  if (const auto cell = mouse.table_cell()) {
    PageTools tools = page_tools(frame);
    tooltip(frame.ui, describe_jacobian(page_inputs(frame), tools, mouse.on<TableCells>()->table, *cell));
  }
}

}  // namespace

void split_view(Frame& frame) {
  const Panel panel(frame.ui, "split", ImGui::GetContentRegionAvail(), PanelScroll::vertical);
  place_picker(frame);
  handle_split_mouse(frame, draw_page(frame, PageName::split, PageDependency::mouse));
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
  head_picker(frame);
  stage_player(frame);
  begin_child("all stages", ImGui::GetContentRegionAvail());
  const PageMouse mouse = draw_page(frame, PageName::stages);
  // The page opens at its top, whatever is selected.
  int& drawn = frame.screen.own.of<StagePlay>().frame;
  if (drawn < ImGui::GetFrameCount() - 1)
    frame.screen.presented = selected_stage(frame, frame.session.selection.stage);
  drawn = ImGui::GetFrameCount();
  scroll_to_stage(frame, mouse);
  end_child();
  const auto* cells = mouse.on<StageCells>();
  if (cells != nullptr && mouse.clicked && !frame.screen.marks_cells())
    frame.emit(select_stage(cells->stage.kind));
}

void watch_view(Frame& frame) {
  const Panel panel(frame.ui, "watch", ImGui::GetContentRegionAvail(), PanelScroll::vertical);
  head_picker(frame);
  watch_controls(frame);
  const PageMouse mouse = draw_page(frame, PageName::watch, PageDependency::step);
  const auto* token = mouse.on<TokenArea>();
  if (token == nullptr || frame.session.selection.attention != AttentionKind::self) return;
  tooltip(frame.ui, "Click to watch the row of this word");
  if (mouse.clicked) frame.emit(SelectToken{token->place});
}

void tiles_view(Frame& frame) {
  const Panel panel(frame.ui, "tiles", ImGui::GetContentRegionAvail(), PanelScroll::vertical);
  head_picker(frame);
  tile_controls(frame);
  draw_page(frame, PageName::tiles);
}

void experts_view(Frame& frame) {
  const Panel panel(frame.ui, "experts", ImGui::GetContentRegionAvail(), PanelScroll::vertical);
  place_picker(frame);
  const PageMouse mouse = draw_page(frame, PageName::experts);
  const auto cell = mouse.table_cell();
  PageTools tools = page_tools(frame);
  const auto routed = cell ? routed_cell(page_inputs(frame), tools, *cell) : std::nullopt;
  if (!routed) return;
  tooltip(frame.ui, routed->said + "\nClick to select this layer and word.");
  frame.screen.next_hovered = routed->in_pass;
  if (!mouse.clicked) return;
  frame.emit(select_place_of(routed->in_pass->stage, frame.session.selection));
  frame.emit(SelectToken{cell->row});
}

void scale_view(Frame& frame) {
  const Panel panel(frame.ui, "scale", ImGui::GetContentRegionAvail(), PanelScroll::vertical);
  head_picker(frame);
  handle_scale_mouse(frame, draw_page(frame, PageName::scale));
  const PageInputs& in = page_inputs(frame);
  if (!in.session.picture.details) {
    if (!frame.screen.presents &&
        link(frame.ui, "Show the gradient: in this row, in all heads, and in training", "Switches Details on",
             text_size::control))
      change_setting(frame, setting("picture.details"), true);
    return;
  }
  if (has_task_of_gradients(in)) return;
  command_button(frame, "Open a trained model", "The pronouns, trained", CommandId::open_pronouns);
}

void effects_view(Frame& frame) {
  const Panel panel(frame.ui, "effects", ImGui::GetContentRegionAvail(), PanelScroll::vertical);
  intervention_bar(frame);
  const PageMouse mouse = draw_page(frame, PageName::effects);
  const PageInputs& in = page_inputs(frame);
  if (const auto* bar = mouse.on<ModelPart>()) {
    PageTools tools = page_tools(frame);
    tooltip(frame.ui, describe_effect(in, tools, *bar));
    if (mouse.clicked) select_part(frame, *bar);
  }
  if (const auto cell = mouse.table_cell()) {
    PageTools tools = page_tools(frame);
    tooltip(frame.ui, describe_circuit(in, tools, mouse.on<TableCells>()->table, *cell));
  }
  if (const auto* word = mouse.on<WordArea>(); word != nullptr && mouse.clicked && word->word) {
    const std::string& clicked = in.trace->vocabulary()[static_cast<std::size_t>(*word->word)];
    // A second click makes the page follow the likeliest word again.
    frame.emit(set_selected(&Selection::word, clicked == frame.session.selection.word ? "" : clicked));
  }
}

namespace {

/// The link that releases the pin, at the right end of the number's line. The cursor stays where it is.
void unpin_link(Frame& frame) {
  if (!frame.session.selection.pin || frame.session.selection.pin != inspected(frame)) return;
  const ImVec2 start = ImGui::GetCursorPos();
  constexpr float width = 72.0F;
  ImGui::SetCursorPosX(start.x + ImGui::GetContentRegionAvail().x - frame.ui.px(width));
  {
    const InlineChild part("unpin", {frame.ui.px(width), frame.ui.px(24.0F)});
    if (link(frame.ui, frame.with_keys("unpin", CommandId::unpin).c_str(),
             "Let the inspector follow the mouse again"))
      frame.emit(CommandId::unpin);
  }
  ImGui::SetCursorPos(start);
}

/// Begins the numbers of another cell at their top.
void scroll_to_new_cell(Frame& frame) {
  std::optional<Pin>& shown = frame.screen.own.of<std::optional<Pin>>("inspected");
  if (shown == inspected(frame)) return;
  shown = inspected(frame);
  ImGui::SetScrollY(0.0F);
}

/// Says what a product of two parts means. A click goes to the head that wrote one of them.
void handle_pair_mouse(Frame& frame, const PageMouse& mouse) {
  const auto cell = mouse.table_cell();
  if (!cell || mouse.on<TableCells>()->table != score_pairs_slot) return;
  tooltip(frame.ui, describe_pair(page_inputs(frame), frame.screen.memo, *cell));
  if (!mouse.clicked) return;
  if (const auto head = head_of_pair(frame.screen.memo, *cell)) {
    frame.emit(select_place(head->stack, head->layer, head->attention));
    frame.emit(select_head(head->head));
  }
}

}  // namespace

/// The link that plays how the row was computed, at the foot of the inspector.
void watch_link(Frame& frame) {
  if (!frame.session.selection.token || frame.session.view == PageName::watch) return;
  if (!link(frame.ui, "Watch it",
            frame.with_keys("Plays how this row was computed, step by step", PageName::watch).c_str()))
    return;
  start_watching(frame);
}

void inspector_view(Frame& frame) {
  if (!frame.trace) return;
  scroll_to_new_cell(frame);
  unpin_link(frame);
  const PageMouse mouse = draw_page(frame, PageName::inspector, PageDependency::mouse);
  if (mouse.on<AllNumbersArea>() != nullptr) {
    ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
    if (mouse.clicked) frame.emit(set_to("picture.all_numbers", !frame.session.picture.all_numbers));
  }
  handle_pair_mouse(frame, mouse);
  watch_link(frame);
  // The slider of a weight would reveal a number that an exercise hides.
  const auto cell = inspected(frame);
  if (!cell || !is_hidden(page_inputs(frame), *cell)) cell_interventions(frame);
  if (const auto pin = inspected(frame)) edit_numbers_link(frame, pin->stage, {pin->row, pin->col});
}

namespace {

/// The cost of another choice for trained weights. The line is always there, so that the page does not move
/// under the mouse.
void cost_of_choice(Frame& frame) {
  const Session& session = frame.session;
  if (session.task.empty()) return;
  const bool is_trained = session.model && session.model->steps > 0;
  text(frame.ui,
       is_trained ? "With another choice, the model starts again from random weights. Undo brings these "
                    "weights back."
                  : " ",
       Font::sans, text_size::control, frame.ui.theme().quiet);
}

/// Buttons for the alternatives that encode the order of words.
void other_positions(Frame& frame) {
  constexpr std::array alternatives{
      std::tuple("Add waves", Positions::sinusoidal, "a row for each position"),
      std::tuple("Rotate pairs", Positions::rotary, "of queries and keys, by position"),
      std::tuple("Bias scores", Positions::alibi, "by the distance between two words")};
  for (const auto& [label, kind, what] : alternatives) {
    const ButtonStyle style = kind == Positions::sinusoidal ? ButtonStyle::primary : ButtonStyle::plain;
    if (button(frame.ui, label, what, "", style, frame.ui.px(96.0F))) choose_positions(frame, kind);
    ImGui::SameLine(0.0F, frame.ui.px(12.0F));
    ImGui::SetCursorPosY(ImGui::GetCursorPosY() + frame.ui.px(6.0F));
    text_line(frame.ui, {{what, Font::sans, text_size::control, frame.ui.theme().quiet}});
  }
}

}  // namespace

void positions_view(Frame& frame) {
  const ImVec2 room = ImGui::GetContentRegionAvail();
  const Panel panel(frame.ui, "positions", room, PanelScroll::vertical);
  position_choice(frame);
  cost_of_choice(frame);
  const Architecture& a = frame.trace->architecture();
  if (a.positions != Positions::none) {
    position_sizes(frame, a.positions);
  } else if (!a.foreign.disentangled) {
    other_positions(frame);
  }
  const float above = ImGui::GetCursorPosY();
  const ImVec2 size{ImGui::GetContentRegionAvail().x, room.y - above};
  const PageMouse mouse = draw_page(frame, PageName::positions, PageDependency::selection, size);
  const auto cell = mouse.table_cell();
  if (!cell) return;
  const std::string& table = mouse.on<TableCells>()->table;
  const auto position = position_cell(page_inputs(frame), frame.screen.memo, table, *cell);
  if (!position) return;
  tooltip(frame.ui, position->said);
  if (!position->in_pass) return;
  frame.screen.next_hovered = position->in_pass;
  if (mouse.clicked) frame.emit(PinCell{*position->in_pass});
}

namespace {

/// Shrinks a page that is slightly too wide or, on Compare, too high; one that is much larger scrolls at its
/// size. On other pages, large letters matter more than seeing all at once.
void fit(Frame& frame, const PageMouse& page, ImVec2 room) {
  // The size of the window is used, because it does not depend on whether there is a scroll bar.
  const ImVec2 window = ImGui::GetWindowSize();
  PresentedFit& fit = frame.screen.presented_fit;
  const bool is_same = fit.view == frame.session.view && fit.trace == frame.trace &&
                       fit.compared == frame.compared && fit.width == window.x && fit.height == window.y;
  if (!is_same) fit = {frame.session.view, frame.trace, frame.compared, window.x, window.y};
  constexpr float rounded = 1.005F;
  const Figure& figure = page.page->figure;
  const float too_wide = figure.width * frame.ui.page_scale() / (rounded * room.x);
  const float too_high =
      frame.session.view == PageName::compare ? figure.height * frame.ui.page_scale() / room.y : 0.0F;
  const float too_large = std::max(too_wide, too_high);
  if (fit.scrolls || too_large <= 1.0F) return;
  constexpr float least = 0.6F;
  constexpr float steps = 20.0F;
  const float share = std::floor(steps * fit.share / too_large) / steps;
  fit.scrolls = share < least;
  fit.share = fit.scrolls ? 1.0F : share;
  frame.ui.wake_in(0.0);
}

}  // namespace

void presented_view(Frame& frame) {
  const Panel panel(frame.ui, "presented", ImGui::GetContentRegionAvail(), PanelScroll::vertical);
  const ImVec2 room = ImGui::GetContentRegionAvail();
  const PageMouse page =
      draw_page(frame, frame.session.view,
                frame.session.view == PageName::watch ? PageDependency::step : PageDependency::mouse, room);
  fit(frame, page, room);
  scroll_to_stage(frame, page);
}

}  // namespace headscope
