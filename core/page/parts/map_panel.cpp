#include "core/page/parts/map_panel.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/caught.h"
#include "core/figure/heatmap_metrics.h"
#include "core/figure/pages.h"
#include "core/page/page.h"
#include "core/page/pages.h"
#include "core/page/parts/covered.h"
#include "core/page/parts/page_builder.h"
#include "core/trace/number_source.h"

namespace headscope {
namespace {

/// How much larger the cells may become when a section fills the place of the whole map.
float zoomed_by(const StageWindow& window, const Extent& values) {
  if (window.n_rows <= 0 || window.n_cols <= 0) return 1.0F;
  const float rows = static_cast<float>(values.rows) / static_cast<float>(window.n_rows);
  const float cols = static_cast<float>(values.cols) / static_cast<float>(window.n_cols);
  return std::max({rows, cols, 1.0F});
}

void apply_look(const MapKey& key, HeatmapSpec& spec) {
  if (!key.look.title) spec.drop_header();
  if (!key.picture.details) spec.formula.clear();
  if (!key.look.labels || !key.look.row_labels) spec.row_labels.clear();
  if (!key.look.labels) spec.col_labels.clear();
  if (!key.look.labels || !key.look.axes) spec.drop_axes();
  spec.numbers = spec.numbers && key.look.numbers;
  spec.color_bar = key.look.color_bar;
  spec.color_bar_label = spec.color_bar_label && key.look.color_bar_label;
  const float zoomed = zoomed_by(key.window, spec.extent());
  spec.max_cell = key.look.max_cell * zoomed;
  spec.max_cell_height = key.look.max_cell_height * zoomed;
  spec.font_size = key.look.font_size;
  spec.thin_share = key.look.thin_share;
  spec.window = key.window;
  spec.marked_row = key.marked_row;
  spec.marked_col = key.marked_col;
  spec.frames_row = key.look.frames_row;
  spec.cover = key.cover;
  spec.min_number = key.min_number;
}

/// Opens the source of the requested numbers. Returns the problem, or an empty string if they are available.
std::string take_source(MapPanel& panel) {
  const MapKey& key = panel.key;
  panel.source.reset();
  panel.cells = {};
  panel.knows_range = false;
  panel.extent = key.trace->extent(key.stage);
  if (!key.trace->has(key.stage)) return "This pass has no " + std::string(info(key.stage.kind).title) + ".";
  if (!key.against) {
    panel.source = stage_source(*key.trace, key.stage);
    return {};
  }
  auto changed = difference_source({*key.trace, key.stage, *key.against, key.against_stage});
  if (!changed) return "Nothing to compare: " + changed.error().message;
  panel.source = std::move(*changed);
  return {};
}

bool is_small(const MapPanel& panel, int n_rows) {
  return panel.source->is_quick_to_read() && is_cheap_to_read(std::int64_t{n_rows} * panel.extent.cols);
}

/// Runs a part of the work here if it is small; otherwise passes it to a thread. `work` must not refer to the
/// panel, which may change meanwhile, but the panel's traces and source stay alive.
template <class Work>
void begin(const PageTools& tools, MapPanel& panel, bool at_once, const Work& work) {
  const auto job = std::make_shared<MapJob>();
  panel.job = {job.get(), [job](MapJob* unwanted) { unwanted->stop = true; }};
  const auto run_job = [work, job, key = panel.key, source = panel.source] {
    try {
      if (!job->stop) work(key, *source, *job);
    } catch (...) {
      job->problem = current_exception_message("shorten the sentence, or close other programs");
    }
    job->done = true;
    return false;
  };
  if (at_once) {
    run_job();
  } else {
    tools.run_job(run_job);
  }
}

/// Adopts the result of a job. Returns false if the job is still running.
bool take_job(MapPanel& panel) {
  if (!panel.job) return true;
  if (!panel.job->done) return false;
  const std::shared_ptr<MapJob> job = std::exchange(panel.job, nullptr);
  if (!job->problem.empty()) panel.problem = "This map cannot be drawn: " + job->problem;
  if (job->cells.cells) {
    panel.cells = job->cells;
  } else {
    panel.knows_range = true;
  }
  return true;
}

/// Whether the statistics that the colour scale needs have been computed. True if it needs none.
bool knows_range(const MapPanel& panel) {
  const MapKey& key = panel.key;
  if (panel.knows_range || key.against) return panel.knows_range;
  const auto stages = stages_sharing_range(*key.trace, key.stage, key.picture.range);
  return std::ranges::all_of(stages,
                             [&](const StageId& id) { return key.trace->cached_stats(id).has_value(); });
}

void begin_range(const PageTools& tools, MapPanel& panel) {
  begin(tools, panel, is_small(panel, panel.extent.rows),
        [](const MapKey& key, const NumberSource& source, MapJob& job) {
          if (key.against) {
            source.stats(&job.stop);
            return;
          }
          for (const StageId& id : stages_sharing_range(*key.trace, key.stage, key.picture.range))
            key.trace->stats(id, &job.stop);
        });
}

void begin_cells(const PageTools& tools, MapPanel& panel, const HeatmapLayout& layout,
                 const DrawnCells& requested) {
  begin(tools, panel, is_small(panel, layout.n_rows),
        [layout, requested, scale = panel.spec.scale, kept = panel.source](const MapKey&, const NumberSource&,
                                                                           MapJob& job) {
          HeatmapSpec spec;
          spec.source = kept;
          spec.scale = scale;
          job.cells = requested;
          job.cells.cells = read_cells(spec, layout, &job.stop);
        });
}

void make_spec(const PageTools& tools, MapPanel& panel) {
  const MapKey& key = panel.key;
  panel.spec = unscaled_heatmap(*key.trace, key.stage, key.picture);
  if (key.against) {
    show_difference(panel.source, panel.spec);
    name_both({*key.trace, key.stage, *key.against, key.against_stage}, panel.spec);
  }
  apply_look(key, panel.spec);
  if (!panel.knows_range) {
    panel.spec.color_bar = false;  // Its numbers are not known yet.
  } else if (key.against) {
    double own = 0.0;
    double& range = key.look.uses_own_range ? own : tools.memo.difference_ranges[key.stage.kind];
    panel.spec.scale = scale_of_difference(*panel.source, key.picture, range);
  } else {
    panel.spec.scale = scale_of_stage(*key.trace, key.stage, key.picture);
  }
}

void draw(const PageTools& tools, MapPanel& panel, const HeatmapLayout& layout, const HeatmapCells* cells) {
  panel.layout = layout;
  panel.figure = draw_heatmap(panel.spec, layout, cells, theme_of(panel.key.picture.theme), tools.measure);
  panel.shown = panel.extent;
  panel.is_empty = cells == nullptr;
}

/// Continues drawing the map as far as its numbers are available.
void go_on(const PageTools& tools, MapPanel& panel) {
  const auto frame = [&tools, &panel] {
    return layout_heatmap(panel.spec, {0.0F, 0.0F, panel.key.width, panel.key.height}, tools.measure);
  };
  while (take_job(panel) && panel.problem.empty()) {
    panel.knows_range = knows_range(panel);
    if (!panel.knows_range) {
      begin_range(tools, panel);
      if (panel.job->done) continue;
      make_spec(tools, panel);
      if (panel.is_empty) draw(tools, panel, frame(), nullptr);
      return;
    }
    make_spec(tools, panel);
    const HeatmapLayout layout = frame();
    DrawnCells requested{nullptr, panel.key.picture, panel.key.window, panel.spec.scale.high(),
                         layout.raster};
    if (layout.raster) requested.width = static_cast<int>(layout.cells.w);
    if (layout.raster) requested.height = static_cast<int>(layout.cells.h);
    // Equal in content. The size in pixels may differ.
    const DrawnCells& kept = panel.cells;
    const bool same = kept.cells && kept.picture == requested.picture && kept.window == requested.window &&
                      kept.high == requested.high && kept.raster == requested.raster;
    if (same && panel.cells.width == requested.width && panel.cells.height == requested.height)
      return draw(tools, panel, layout, panel.cells.cells.get());
    begin_cells(tools, panel, layout, requested);
    if (panel.job->done) continue;
    if (same || panel.is_empty) draw(tools, panel, layout, same ? panel.cells.cells.get() : nullptr);
    return;
  }
}

void start(const PageTools& tools, MapPanel& panel, MapKey key) {
  panel.job.reset();
  const bool has_numbers = panel.source && panel.key.trace == key.trace && panel.key.stage == key.stage &&
                           panel.key.against == key.against && panel.key.against_stage == key.against_stage;
  // Whether the previous picture may be shown until the new one is ready.
  const MapKey& before = panel.key;
  const bool may_stand_in =
      before.stage == key.stage && (before.against != nullptr) == (key.against != nullptr) &&
      before.look == key.look && before.width == key.width && before.height == key.height &&
      before.picture.theme == key.picture.theme && before.fonts == key.fonts;
  panel.is_empty = panel.is_empty || !may_stand_in;
  panel.key = std::move(key);
  if (!has_numbers) {
    panel.problem = take_source(panel);
  } else {
    panel.problem.clear();
    if (!panel.key.against)
      panel.knows_range = false;  // The known range may belong to another choice of range.
  }
  if (panel.problem.empty()) go_on(tools, panel);
}

MapKey key_of(const PageInputs& in, PageTools& tools, const StageId& stage, const MapLook& look) {
  const Selection& selection = in.session.selection;
  MapKey key;
  key.trace = in.trace;
  key.stage = stage;
  if (!look.present) key.against = in.against();
  if (key.against) key.against_stage = in.counterpart(stage);
  key.picture = in.session.picture;
  // The range of the map would need all of its rows.
  if (look.only_row >= 0) key.picture.range = RangeMode::row;
  key.look = look;
  if (key.against && !look.uses_own_range) key.difference_range = tools.memo.difference_ranges[stage.kind];
  if (has_query_rows(stage)) key.marked_row = selection.token;
  if (selection.pin && is_map(stage.kind) && is_map(selection.pin->stage.kind)) {
    key.marked_col = selection.pin->col;
  } else if (key.marked_row && look.labels && !key.against) {
    key.marked_col = strongest_column(in, tools, stage, *key.marked_row);
  }
  key.cover = cover_of(in, stage);
  key.min_number = in.min_number;
  key.fonts = tools.fonts;
  return key;
}

/// Records the smallest and the largest cells of the maps of one shape. Zoomed maps do not count, nor do
/// thumbnails, which have no labels and are smaller on purpose.
void note_cells(SharedCellSizes& maps, const MapPanel& panel) {
  const HeatmapLayout& layout = panel.layout;
  const bool is_whole = layout.n_rows == panel.extent.rows && layout.n_cols == panel.extent.cols;
  if (panel.is_empty || layout.pooled || !is_whole || !panel.key.look.labels) return;
  const Size cell{layout.cell_width, layout.cell_height};
  auto& [least, greatest] = maps.found.try_emplace({layout.n_rows, layout.n_cols}, cell, cell).first->second;
  least = {std::min(least.width, cell.width), std::min(least.height, cell.height)};
  greatest = {std::max(greatest.width, cell.width), std::max(greatest.height, cell.height)};
}

std::vector<Box> boxes_of_head(const Page& page, HeadIndex head) {
  std::vector<Box> boxes;
  for (const HitRegion& region : page.regions) {
    const auto* tile = std::get_if<HeadIndex>(&region.meaning);
    if (tile != nullptr && *tile == head) boxes.push_back(region.box);
  }
  return boxes;
}

/// Moves a page so that `part`, the only area with content, is centred in a space of this size. Along an axis
/// where it does not fit, it starts at the left or upper edge.
Page centered(const Page& page, const Box& part, float width, float height) {
  Page moved_page;
  moved_page.figure.background = page.figure.background;
  const float x = std::floor(std::max(0.0F, 0.5F * (width - part.w)) - part.x);
  const float y = std::floor(std::max(0.0F, 0.5F * (height - part.h)) - part.y);
  append(moved_page, page, x, y);
  return moved_page;
}

}  // namespace

std::optional<int> strongest_column(const PageInputs& in, PageTools& tools, const StageId& stage, int row) {
  const Trace& trace = *in.trace;
  const Extent size = trace.extent(stage);
  const bool is_told = !cover_of(in, stage).stage;
  const bool are_shares = info(stage.kind).is_share || stage.kind == StageKind::probabilities;
  if (!are_shares || size.empty() || row >= size.rows || !is_told || !can_read(in, tools, stage))
    return std::nullopt;
  const StageNumbers numbers = trace.read_row(stage, row);
  const auto weights = numbers.view.row(0);
  const auto greatest = std::ranges::max_element(
      weights, std::less<>(), [](float weight) { return std::isfinite(weight) ? weight : -1.0F; });
  // If a row sees nothing, or several keys share the greatest weight, none is the strongest.
  const bool is_strongest = *greatest > 0.0F && std::ranges::count(weights, *greatest) == 1;
  return is_strongest ? std::optional(static_cast<int>(greatest - weights.begin())) : std::nullopt;
}

MapPanel& map_panel(const PageInputs& in, PageTools& tools, const std::string& slot, const StageId& stage,
                    float width, float height, const MapLook& look) {
  MapPanel& panel = tools.memo.maps[slot];
  const Extent values = in.trace->extent(stage);
  const StageWindow& window = panel.window;
  if (panel.key.stage != stage || window.first_row + window.n_rows > values.rows ||
      window.first_col + window.n_cols > values.cols) {
    panel.window = {};
  }
  if (look.only_row >= 0) panel.window = {look.only_row, 0, 1, 0};
  MapKey key = key_of(in, tools, stage, look);
  key.width = width;
  key.height = height;
  key.window = panel.window;
  if (!(key == panel.key)) {
    start(tools, panel, std::move(key));
  } else if (panel.job) {
    go_on(tools, panel);
  }
  return panel;
}

Page map_page(const PageInputs& in, PageTools& tools, const std::string& slot, const StageId& stage,
              float width, float height, const MapLook& requested) {
  SharedCellSizes& equal = tools.memo.shared_cell_sizes[tools.memo.page];
  MapLook look = requested;
  const Extent shape = in.trace->extent(stage);
  const auto most = equal.most.find({shape.rows, shape.cols});
  if (most != equal.most.end() && requested.labels) {
    look.max_cell = std::min(look.max_cell, most->second.width);
    look.max_cell_height = std::min(requested.max_cell, most->second.height);
  }
  const MapPanel& panel = map_panel(in, tools, slot, stage, width, height, look);
  Page page;
  if (!panel.problem.empty()) {
    PageBuilder text(in, tools, width);
    text.paragraph(panel.problem);
    return text.take();
  }
  note_cells(equal, panel);
  page.figure = panel.figure;
  // While the figure stands in for another map, its cells stand for those of the requested one if the sizes
  // match.
  if (!panel.is_empty && panel.shown == panel.extent) {
    const HeatmapLayout& layout = panel.layout;
    page.regions.push_back({layout.cells, StageCells{stage, slot, layout.grid()}});
    const bool may_select = look.pins && (look.compared < 0 || look.selects_rows) && has_query_rows(stage);
    if (may_select && layout.row_label_width > 0.0F) {
      const float width = layout.row_label_width + heatmap_metrics::label_distance;
      const Box labels{layout.cells.x - width, layout.cells.y, width, layout.cells.h};
      page.regions.push_back({labels, RowLabels{layout.grid()}});
    }
  }
  if (look.centered) page = centered(page, panel.layout.content, width, height);
  page.figure.width = width;
  const float bottom = panel.layout.content.bottom();
  page.figure.height = look.is_cut && panel.layout.content.h > 0.0F ? std::min(height, bottom) : height;
  return page;
}

HeatmapSpec table_spec(const OwnedMatrix& numbers, ColorScale scale, AxisTexts rows, std::string row_axis,
                       AxisTexts columns, std::string col_axis) {
  HeatmapSpec spec;
  spec.source = source_of(numbers.view());
  spec.row_labels = std::move(rows);
  spec.col_labels = std::move(columns);
  spec.row_axis = std::move(row_axis);
  spec.col_axis = std::move(col_axis);
  spec.scale = std::move(scale);
  spec.color_bar_label = false;
  spec.font_size = 12.0F;
  return spec;
}

HeatmapSpec small_table(const PictureOptions& picture, const OwnedMatrix& numbers, AxisTexts rows,
                        AxisTexts columns, bool is_signed, const OwnedMatrix& range) {
  PictureOptions options = picture;
  options.range = RangeMode::map;
  HeatmapSpec spec = table_spec(numbers, ColorScale(options, is_signed, range.view()), std::move(rows), "",
                                std::move(columns), "");
  spec.font_size = 11.0F;
  return spec;
}

void show_shares(HeatmapSpec& spec, const PictureOptions& picture, const MatrixView& numbers) {
  PictureOptions options = picture;
  options.range = RangeMode::fixed;
  options.fixed_low = 0.0;
  options.fixed_high = 1.0;
  constexpr bool is_signed = false;
  spec.scale = ColorScale(options, is_signed, numbers);
  spec.color_bar = false;
  if (!picture.details) spec.leaves_out_below = small_share;
  spec.numbers = picture.numbers;
}

TableSpec table_of_pass(const PageInputs& in, std::string name, float max_cell) {
  return {.name = std::move(name),
          .trace = in.trace,
          .picture = in.session.picture,
          .max_cell = max_cell,
          .min_number = in.min_number};
}

Page table_page(PageTools& tools, const std::string& slot, const TableSpec& table,
                const std::function<HeatmapSpec(OwnedMatrix& numbers)>& make, float width, float height) {
  TablePanel& panel = tools.memo.tables[slot];
  const bool is_same_pass = !panel.trace.owner_before(table.trace) && !table.trace.owner_before(panel.trace);
  const bool has_numbers =
      is_same_pass && panel.drawn.name == table.name && panel.drawn.picture == table.picture;
  TableSpec wanted = table;
  wanted.trace.reset();
  if (!has_numbers) panel.spec = make(panel.numbers);
  if (!has_numbers || panel.drawn != wanted || panel.width != width || panel.height != height ||
      panel.fonts != tools.fonts) {
    panel.drawn = std::move(wanted);
    panel.trace = table.trace;
    panel.width = width;
    panel.height = height;
    panel.fonts = tools.fonts;
    panel.spec.max_cell = table.max_cell;
    panel.spec.min_number = table.min_number;
    panel.spec.window = table.window;
    panel.spec.marked_row = table.marked_row;
    panel.spec.marked_col = table.marked_col;
    const Box area{0.0F, table.above, width, std::max(height - table.above, 1.0F)};
    panel.layout = layout_heatmap(panel.spec, area, tools.measure);
    panel.figure = draw_heatmap(panel.spec, panel.layout, theme_of(table.picture.theme), tools.measure);
  }
  Page page{panel.figure, {}};
  page.figure.width = width;
  page.figure.height = std::min(height, std::ceil(panel.layout.content.bottom()));
  page.regions.push_back({panel.layout.cells, TableCells{slot, panel.layout.grid()}});
  return page;
}

std::optional<CellIndex> cell_of_map(const PageMemo& memo, const MapPanel& panel, const Pin& pin) {
  CellIndex cell{pin.row, pin.col};
  if (panel.key.look.compared < 0) {
    if (pin.stage != panel.key.stage) return std::nullopt;
  } else {
    const auto found = memo.comparison.find(panel.key.look.compared);
    if (found == memo.comparison.end() || found->second.stage != pin.stage) return std::nullopt;
    const Counterparts& cells = found->second.cells;
    const auto row = static_cast<std::size_t>(pin.row);
    const auto col = static_cast<std::size_t>(pin.col);
    if (row >= cells.rows.size() || col >= cells.cols.size()) return std::nullopt;
    cell = {cells.rows[row], cells.cols[col]};
  }
  const bool is_there =
      cell.row >= 0 && cell.col >= 0 && cell.row < panel.shown.rows && cell.col < panel.shown.cols;
  return is_there ? std::optional(cell) : std::nullopt;
}

const Explanation* derivation_of(const PageInputs& in, PageTools& tools, const Pin& cell) {
  if (!can_read(in, tools, cell.stage)) return nullptr;
  const auto& derived = tools.memo.results.now(Asked<explain>{{in.trace, cell.stage, cell.row, cell.col}});
  return derived ? &*derived : nullptr;
}

Figure source_marks(const Explanation& explanation, const MapPanel& panel, const Theme& theme) {
  Figure marks;
  for (const Explanation::Source& source : explanation.sources) {
    if (source.stage != panel.key.stage) continue;
    const auto box = panel.layout.box_of_part(source.row, source.col);
    if (!box) continue;
    add_frame(marks, box->grown(1.0F), theme.accent, 2.0F, 2.0F);
  }
  return marks;
}

Figure cell_marks(const std::optional<CellIndex>& pinned, const std::optional<CellIndex>& hovered,
                  const MapPanel& panel, const Theme& theme) {
  HeatmapSpec spec;
  spec.pinned = pinned;
  spec.hovered = hovered;
  Figure marks;
  draw_heatmap_marks(spec, panel.layout, theme, marks);
  return marks;
}

Point corner_of(const StageCells& cells, const MapPanel& panel) {
  return {cells.grid.cells.x - panel.layout.cells.x, cells.grid.cells.y - panel.layout.cells.y};
}

void append_marks(Page& page, const PageInputs& in, PageTools& tools) {
  const auto& pin = in.session.selection.pin;
  if (!pin) return;
  const Theme& theme = in.theme();
  const bool is_known = inspected(*in.trace, pin, std::nullopt).has_value();
  const Explanation* explanation = is_known ? derivation_of(in, tools, *pin) : nullptr;
  for (const HitRegion& region : page.regions) {
    const auto* cells = std::get_if<StageCells>(&region.meaning);
    if (cells == nullptr) continue;
    const MapPanel& panel = tools.memo.maps[cells->slot];
    const Point corner = corner_of(*cells, panel);
    if (explanation != nullptr && panel.key.look.compared < 0)
      append(page.figure, source_marks(*explanation, panel, theme), corner.x, corner.y);
    append(page.figure, cell_marks(cell_of_map(tools.memo, panel, *pin), std::nullopt, panel, theme),
           corner.x, corner.y);
  }
}

std::vector<Box> focused_boxes(const Page& page, const LessonFocus& focus, const Session& session,
                               const Trace& trace) {
  if (focus.kind == LessonFocus::Kind::control) return {};
  if (focus.kind == LessonFocus::Kind::head) return boxes_of_head(page, focus.head);
  std::vector<Box> boxes;
  const StageId stage = canonical(session.architecture, focus.stage.in(session));
  for (const HitRegion& region : page.regions) {
    const auto* cells = std::get_if<StageCells>(&region.meaning);
    if (cells == nullptr || cells->stage != stage || !trace.has(stage)) continue;
    const auto row = focus.row.empty() ? std::nullopt : row_named(trace, stage, focus.row);
    const auto col = focus.column.empty() ? std::nullopt : column_named(trace, stage, focus.column);
    const bool is_missing = (!row && !focus.row.empty()) || (!col && !focus.column.empty());
    const auto box = is_missing ? std::nullopt : cells->grid.box_of_part(row, col);
    if (!box) continue;
    const bool is_largest = boxes.empty() || box->w * box->h > boxes.front().w * boxes.front().h;
    if (is_largest) boxes = {*box};
  }
  return boxes;
}

}  // namespace headscope
