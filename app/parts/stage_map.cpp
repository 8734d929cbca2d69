#include "app/parts/stage_map.h"

#include <algorithm>
#include <cmath>

#include "app/ui/figure_painter.h"
#include "app/widgets/text.h"
#include "core/figure/pages.h"
#include "core/trace/summary.h"

namespace headscope {
namespace {

/// How much larger the cells of a section may be, so that it fills the place of the whole.
float zoomed_by(const CellWindow& window, const MatrixView& values) {
  if (window.n_rows <= 0 || window.n_cols <= 0) return 1.0F;
  const float rows = static_cast<float>(values.rows) / static_cast<float>(window.n_rows);
  const float cols = static_cast<float>(values.cols) / static_cast<float>(window.n_cols);
  return std::max({rows, cols, 1.0F});
}

void apply_look(const MapKey& key, HeatmapSpec& spec) {
  if (!key.look.title) {
    spec.title.clear();
    spec.shape.clear();
    spec.formula.clear();
  }
  if (!key.look.labels) {
    spec.row_labels.clear();
    spec.col_labels.clear();
    spec.row_axis.clear();
    spec.col_axis.clear();
  }
  spec.numbers = spec.numbers && key.look.numbers;
  spec.color_bar = key.look.color_bar;
  spec.max_cell = key.look.max_cell * zoomed_by(key.window, spec.values);
  spec.font_size = key.look.font_size;
  spec.window = key.window;
  spec.marked_row = key.marked_row;
  spec.marked_col = key.marked_col;
}

void rebuild(Frame& frame, MapCache& cache) {
  const MapKey& key = cache.key;
  cache.problem.clear();
  cache.figure = Figure{};
  if (!key.trace->has(key.stage)) {
    cache.problem = "This pass has no " + std::string(info(key.stage.kind).title) + ".";
    return;
  }
  if (key.before) {
    auto changed = difference(*key.trace, *key.before, key.stage);
    if (!changed) {
      cache.problem = "Nothing to compare: " + changed.error().message;
      return;
    }
    cache.difference = std::move(*changed);
    cache.spec = difference_spec(*key.trace, key.stage, cache.difference, key.picture,
                                 frame.screen.held_ranges[key.stage.kind]);
  } else {
    cache.spec = heatmap_of_stage(*key.trace, key.stage, key.picture);
  }
  apply_look(key, cache.spec);
  const MeasureText measure = frame.ui.measure();
  cache.layout = layout_heatmap(cache.spec, {0.0F, 0.0F, key.width, key.height}, measure);
  cache.figure = draw_heatmap(cache.spec, cache.layout, frame.ui.theme(), measure);
}

/// A zoomed map shows at least this many rows and columns.
constexpr int fewest = 4;

/// Zooms about the cell under the mouse, pans with the right button, resets with a double click.
void navigate(const Frame& frame, MapCache& cache, const CellIndex& cell, ImVec2 cell_pixels) {
  const MatrixView& values = cache.spec.values;
  const ImGuiIO& io = ImGui::GetIO();
  CellWindow& window = cache.window;
  const auto shown = [](int count, int all) { return count == 0 ? all : std::min(count, all); };
  int n_rows = shown(window.n_rows, values.rows);
  int n_cols = shown(window.n_cols, values.cols);
  // Where the view itself scrolls, the wheel is the view's unless Ctrl is held.
  const bool zooms = !frame.screen.view_scrolls || io.KeyCtrl;
  if (io.MouseWheel != 0.0F && zooms) {
    const float factor = io.MouseWheel > 0.0F ? 0.8F : 1.25F;
    const auto zoom = [&](int first, int& count, int all, int at) {
      const int scaled = static_cast<int>(std::lround(static_cast<float>(count) * factor));
      const int fewer =
          std::clamp(scaled == count ? count + (factor > 1.0F ? 1 : -1) : scaled, std::min(fewest, all), all);
      const int before = at - first;
      const int moved = at - before * fewer / std::max(count, 1);
      count = fewer;
      return std::clamp(moved, 0, all - fewer);
    };
    window.first_row = zoom(window.first_row, n_rows, values.rows, cell.row);
    window.first_col = zoom(window.first_col, n_cols, values.cols, cell.col);
  }
  for (const int button : {1, 2}) {
    if (!ImGui::IsMouseDragging(button, 0.0F)) continue;
    const ImVec2 moved = ImGui::GetMouseDragDelta(button, 0.0F);
    const int rows = static_cast<int>(moved.y / std::max(cell_pixels.y, 1.0F));
    const int cols = static_cast<int>(moved.x / std::max(cell_pixels.x, 1.0F));
    if (rows == 0 && cols == 0) continue;
    window.first_row = std::clamp(window.first_row - rows, 0, values.rows - n_rows);
    window.first_col = std::clamp(window.first_col - cols, 0, values.cols - n_cols);
    ImGui::ResetMouseDragDelta(button);
  }
  const bool all =
      (n_rows == values.rows && n_cols == values.cols) || ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left);
  window = all ? CellWindow{} : CellWindow{window.first_row, n_rows, window.first_col, n_cols};
}

std::string hover_text(const Frame& frame, const MapCache& cache, const Pin& at) {
  std::string said = sentence_for(*frame.trace, at.stage, at.row, at.col);
  if (cache.key.before) {
    const float change = cache.difference.at(at.row, at.col);
    said += std::isfinite(change)
                ? "\nChanged by " + number_text(change) + "."
                : "\nNothing to compare with: the cell is new, or was hidden before or is hidden now.";
  }
  if (cache.layout.pooled)
    said += "\nEach pixel covers several cells and shows the largest; zoom in with the wheel.";
  if (cache.key.window.n_rows > 0 || cache.key.window.n_cols > 0) {
    said += "\nThis is a part of the map; double-click to show all of it.";
  }
  return said;
}

/// A stroke hides cells if it began on a visible one, else it shows them. The mouse may have crossed several
/// cells since the last frame: all of them on the line are painted.
void paint(Frame& frame, const Cell& cell) {
  const Session& session = frame.session;
  const auto& painted = selected_mask(session, session.attention).painted;
  const auto is_painted = [&painted](const Cell& at) { return std::ranges::binary_search(painted, at); };
  ScreenState& screen = frame.screen;
  if (ImGui::IsMouseClicked(0)) {
    screen.paint_hides = !is_painted(cell);
    screen.paint_at.reset();
  }
  const Cell from = screen.paint_at.value_or(cell);
  const int steps = std::max({std::abs(cell.query - from.query), std::abs(cell.key - from.key), 1});
  for (int step = 0; step <= steps; ++step) {
    const float share = static_cast<float>(step) / static_cast<float>(steps);
    const Cell at{static_cast<int>(std::lround(std::lerp(from.query, cell.query, share))),
                  static_cast<int>(std::lround(std::lerp(from.key, cell.key, share)))};
    if (is_painted(at) != screen.paint_hides) frame.emit(PaintCell{at, screen.paint_hides});
  }
  screen.paint_at = cell;
}

bool answer_mouse(Frame& frame, MapCache& cache, const CellIndex& cell, bool clicked, bool held) {
  const Pin at{cache.key.stage, cell.row, cell.col};
  frame.screen.next_hovered = at;
  tooltip(frame.ui, hover_text(frame, cache, at));
  if (frame.screen.paint_mode && is_map(at.stage.kind)) {
    if (held || clicked) paint(frame, {cell.row, cell.col});
    return false;
  }
  if (!clicked || !cache.key.look.pins) return false;
  if (info(at.stage.kind).scope == StageScope::head) frame.emit(SelectHead{at.stage.head});
  if (info(at.stage.kind).rows == Axis::query_tokens) frame.emit(SelectToken{cell.row});
  frame.emit(PinCell{at});
  return true;
}

/// A frame around the rows and columns of this map that the inspected cell was computed from.
void paint_sources(Frame& frame, const MapCache& cache, ImVec2 origin) {
  const auto cell = inspected(frame);
  const Explanation* explanation = cell ? frame.screen.explanation_of(frame.trace, *cell) : nullptr;
  if (explanation == nullptr) return;
  const HeatmapLayout& at = cache.layout;
  Figure marks;
  for (const Explanation::Source& source : explanation->sources) {
    if (source.stage != cache.key.stage) continue;
    const auto visible = [](const std::optional<int>& index, int first, int n) {
      return !index || (*index >= first && *index < first + n);
    };
    if (!visible(source.row, at.first_row, at.n_rows) || !visible(source.col, at.first_col, at.n_cols))
      continue;
    Box box = at.cells;
    if (source.row) {
      box.y += static_cast<float>(*source.row - at.first_row) * at.cell_height;
      box.h = at.cell_height;
    }
    if (source.col) {
      box.x += static_cast<float>(*source.col - at.first_col) * at.cell_width;
      box.w = at.cell_width;
    }
    constexpr float around = 1.0F;
    marks.items.emplace_back(
        StrokedRect{{box.x - around, box.y - around, box.w + 2.0F * around, box.h + 2.0F * around},
                    frame.ui.theme().accent,
                    2.0F,
                    2.0F});
  }
  if (!marks.items.empty()) {
    paint_figure(frame.ui, *ImGui::GetWindowDrawList(), marks, origin, frame.ui.scale());
  }
}

void paint_marks(Frame& frame, MapCache& cache, ImVec2 origin) {
  HeatmapSpec& spec = cache.spec;
  const auto mark = [&](const std::optional<Pin>& pin) -> std::optional<CellIndex> {
    if (!pin || pin->stage != cache.key.stage) return std::nullopt;
    if (pin->row >= spec.values.rows || pin->col >= spec.values.cols) return std::nullopt;
    return CellIndex{pin->row, pin->col};
  };
  spec.pinned = mark(frame.session.selection.pin);
  spec.hovered = mark(frame.screen.hovered);
  if (spec.pinned || spec.hovered) {
    Figure marks;
    draw_heatmap_marks(spec, cache.layout, frame.ui.theme(), marks);
    paint_figure(frame.ui, *ImGui::GetWindowDrawList(), marks, origin, frame.ui.scale());
  }
  spec.pinned.reset();
  spec.hovered.reset();
}

}  // namespace

bool stage_map(Frame& frame, const char* slot, const StageId& stage, ImVec2 size, const MapLook& look) {
  if (!frame.trace || size.x < 8.0F || size.y < 8.0F) {
    ImGui::Dummy(size);
    return false;
  }
  const float scale = frame.ui.scale();
  MapCache& cache = frame.screen.maps[slot];
  const MatrixView values = frame.trace->value(stage);
  if (cache.key.stage != stage || cache.window.first_row + cache.window.n_rows > values.rows ||
      cache.window.first_col + cache.window.n_cols > values.cols) {
    cache.window = {};
  }
  const bool token_rows =
      info(stage.kind).rows == Axis::query_tokens ||
      (info(stage.kind).rows == Axis::key_tokens && stage.attention == AttentionKind::self);
  const auto& selection = frame.session.selection;
  MapKey key{frame.trace,
             frame.shows_difference() ? frame.before : nullptr,
             stage,
             frame.session.picture,
             look,
             size.x / scale,
             size.y / scale,
             cache.window,
             frame.shows_difference() ? frame.screen.held_ranges[stage.kind] : 0.0,
             token_rows ? selection.token : std::nullopt,
             std::nullopt,
             frame.ui.fonts.generation()};
  if (selection.pin && is_map(stage.kind) && is_map(selection.pin->stage.kind)) {
    key.marked_col = selection.pin->col;
  }
  if (!(key == cache.key)) {
    cache.key = std::move(key);
    rebuild(frame, cache);
  }
  const ImVec2 origin = ImGui::GetCursorScreenPos();
  ImGui::PushID(slot);
  invisible_button("map", size);
  const bool hovered = ImGui::IsItemHovered();
  const bool clicked = hovered && ImGui::IsMouseClicked(0);
  const bool held = hovered && ImGui::IsMouseDown(0);
  ImGui::PopID();
  if (!cache.problem.empty()) {
    ImGui::SetCursorScreenPos(origin);
    paragraph(frame.ui, cache.problem, frame.ui.theme().quiet);
    ImGui::SetCursorScreenPos(origin);
    ImGui::Dummy(size);
    return false;
  }
  paint_figure(frame.ui, *ImGui::GetWindowDrawList(), cache.figure, origin, scale);
  bool was_clicked = false;
  if (hovered) {
    const auto cell = cache.layout.cell_at(to_figure(ImGui::GetIO().MousePos, origin, scale));
    if (cell) {
      was_clicked = answer_mouse(frame, cache, *cell, clicked, held);
      const ImVec2 cell_pixels{cache.layout.cell_width * scale, cache.layout.cell_height * scale};
      if (look.zoomable) navigate(frame, cache, *cell, cell_pixels);
    }
  }
  paint_sources(frame, cache, origin);
  paint_marks(frame, cache, origin);
  return was_clicked;
}

}  // namespace headscope
