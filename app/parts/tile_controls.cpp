#include "app/parts/tile_controls.h"

#include <algorithm>
#include <string>

#include "app/parts/page_part.h"
#include "app/widgets/controls.h"
#include "app/widgets/slider.h"
#include "core/page/tiled_softmax_page.h"
#include "core/session/settings.h"

namespace headscope {
namespace {

constexpr float tile_control_height = 44.0F;
constexpr float tile_gap = 16.0F;
constexpr double seconds_a_tile = 0.6;

/// A child of the line, so that a slider is only so wide.
template <class Draw>
void in_column(const char* id, float width, float height, const Draw& draw) {
  constexpr bool padded = false;
  begin_child(id, {width, height}, padded, ImGuiWindowFlags_NoScrollbar);
  draw();
  ImGui::EndChild();
}

void size_sliders(Frame& frame, const TiledHead& head, Extent extent, float width) {
  const Ui& ui = frame.ui;
  int queries = head.queries;
  int keys = head.keys;
  const auto slide = [&](const char* id, const char* label, int& value, int most, std::string_view sentence) {
    in_column(id, width, ui.px(tile_control_height), [&] {
      if (!slider_int(frame.ui, label, value, {1, std::max(most, 2)}, std::string(sentence).c_str())) return;
      // The other size stays as it was set, also where the map is smaller.
      const TilesOptions& cut = frame.session.tiles;
      frame.emit(&value == &queries ? SetTiles{queries, cut.keys} : SetTiles{cut.queries, keys});
    });
    ImGui::SameLine(0.0F, ui.px(tile_gap));
  };
  slide("tile queries", "queries of a tile", queries, std::min(extent.rows, max_tile_side),
        setting("tiles.queries").sentence);
  slide("tile keys", "keys of a tile", keys, std::min(extent.cols, max_tile_side),
        setting("tiles.keys").sentence);
}

/// Goes on to the next tile when it is time, and stops at the last.
void play(Frame& frame, int step, int n_tiles) {
  TilePlay& playing = frame.screen.tile_play;
  const double now = ImGui::GetTime();
  const bool was_away = now > playing.next_at + seconds_a_tile;  // the page was not drawn for a while
  playing.on = playing.on && step < n_tiles && !was_away;
  if (!playing.on) return;
  if (now >= playing.next_at) {
    playing.next_at = now + seconds_a_tile;
    frame.emit(SelectTile{step + 1});
  }
  frame.ui.wake_in(std::max(playing.next_at - now, 0.0));
}

void play_button(Frame& frame, int step, int n_tiles) {
  TilePlay& playing = frame.screen.tile_play;
  if (!button(frame.ui, playing.on ? "Pause" : "Play", "Takes in one tile after the other")) return;
  playing = {!playing.on, ImGui::GetTime() + seconds_a_tile};
  if (!playing.on) return;
  if (step >= n_tiles) frame.emit(SelectTile{1});
  frame.ui.wake_in(seconds_a_tile);
}

}  // namespace

void tile_controls(Frame& frame) {
  const PageInputs& in = page_inputs(frame);
  const int n_tiles = n_tiles_of(in);
  if (n_tiles == 0) return;
  const Ui& ui = frame.ui;
  const TiledHead head = tiled_head_of(in);
  int step = std::clamp(frame.session.tiles.step, 1, n_tiles);
  const float button_room = ui.px(90.0F);
  const float width = (ImGui::GetContentRegionAvail().x - button_room - 3.0F * ui.px(tile_gap)) / 3.0F;
  size_sliders(frame, head, in.trace->extent(head.scores), width);
  in_column("tile step", width, ui.px(tile_control_height), [&] {
    if (slider_int(frame.ui, "tile", step, {1, std::max(n_tiles, 2)}, setting("tiles.step").sentence))
      frame.emit(SelectTile{std::min(step, n_tiles)});
  });
  ImGui::SameLine(0.0F, ui.px(tile_gap));
  play(frame, step, n_tiles);
  play_button(frame, step, n_tiles);
}

}  // namespace headscope
