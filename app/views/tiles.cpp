#include <algorithm>

#include "app/parts/frame.h"
#include "app/parts/page_part.h"
#include "app/parts/place_picker.h"
#include "app/parts/step_player.h"
#include "app/views/page_views.h"
#include "app/widgets/panel.h"
#include "core/page/tiled_softmax/tiled_softmax_page.h"
#include "core/session/settings.h"

namespace headscope {
namespace {

constexpr float tile_gap = 16.0F;

struct TilesScreen {
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
  if (const auto next = step_player(frame, frame.screen.own.of<TilesScreen>().play, steps))
    frame.emit(set_to("tiles.step", *next));
}

}  // namespace

void tiles_view(Frame& frame) {
  const Panel panel(frame.ui, "tiles", ImGui::GetContentRegionAvail(), PanelScroll::vertical);
  if (!frame.trace) return;
  head_picker(frame);
  tile_controls(frame);
  page_part(frame, PageName::tiles, ImGui::GetContentRegionAvail());
}

}  // namespace headscope
