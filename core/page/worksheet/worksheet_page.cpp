#include "core/page/worksheet/worksheet_page.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <functional>
#include <iterator>
#include <span>
#include <string_view>
#include <tuple>
#include <utility>

#include "core/figure/pages.h"
#include "core/figure/text_fit.h"
#include "core/page/parts/covered.h"
#include "core/page/parts/page_builder.h"
#include "core/split_text.h"
#include "core/text/number_text.h"
#include "core/trace/guess.h"
#include "core/trace/place_text.h"
#include "core/trace/summary.h"

namespace headscope {
namespace {

constexpr float cell_width = 46.0F;
constexpr float cell_height = 22.0F;
constexpr float names_height = 12.0F;
constexpr float names_size = 9.0F;
constexpr float numbers_size = 10.0F;
constexpr int usual_decimals = 3;

/// Draws a frame to write into. It contains the number unless `hides` is set.
void framed_number(PageBuilder& page, const Box& box, double value, bool hides) {
  Figure& figure = page.figure();
  add_frame(figure, box, page.theme().quiet, 1.0F);
  if (hides) return;
  add_text(figure, decimals_text(value, usual_decimals), box.center(), page.theme().text, numbers_size,
           Font::mono, HorizontalAnchor::center);
}

/// Whether a sheet leaves a number of a row empty. In a given row, this is the number asked for.
using IsEmpty = std::function<bool(std::size_t)>;

void one_row_of_numbers(PageBuilder& page, const Explanation::Strip& strip, const IsEmpty& is_empty) {
  page.line({{strip.label, Font::sans, page_size::small, page.theme().text}});
  page.space(-4.0F);
  const auto per_line = std::max<std::size_t>(1, static_cast<std::size_t>(page.width() / cell_width));
  for (std::size_t first = 0; first < strip.values.size(); first += per_line) {
    const std::size_t end = std::min(first + per_line, strip.values.size());
    for (std::size_t i = first; i < end; ++i) {
      const float x = static_cast<float>(i - first) * cell_width;
      const std::string name = i < strip.names.size() ? strip.names[i] : std::to_string(i);
      page.figure().write(elided_text(name, cell_width - 4.0F, Font::sans, names_size, page.measure()),
                          {x + 0.5F * cell_width, page.y()}, page.theme().quiet, names_size, Font::sans,
                          HorizontalAnchor::center);
      framed_number(page, {x, page.y() + names_height, cell_width, cell_height},
                    static_cast<double>(strip.values[i]), is_empty(i));
    }
    page.space(names_height + cell_height + 6.0F);
  }
  page.space(4.0F);
}

/// Whether a strip of a derivation consists of numbers from this line in the same order. The strip may leave
/// out some numbers or set them to 0.
bool is_of_line(const Explanation::Strip& strip, const std::vector<float>& line) {
  if (strip.is_computed || strip.is_product || strip.values.empty()) return false;
  auto next = line.begin();
  for (const float value : strip.values) {
    if (value == 0.0F) continue;
    next = std::find(next, line.end(), value);
    if (next == line.end()) return false;
    ++next;
  }
  return next != line.begin() || strip.values.size() == line.size();
}

/// The row or column that numbers of a derivation come from.
std::vector<float> line_of(const Trace& trace, const Explanation::Source& source) {
  const Extent size = trace.extent(source.stage);
  const bool is_row = source.row.has_value();
  const int n = is_row ? size.cols : size.rows;
  std::vector<float> line;
  line.reserve(static_cast<std::size_t>(n));
  for (int i = 0; i < n; ++i)
    line.push_back(trace.number(source.stage, is_row ? *source.row : i, is_row ? i : *source.col));
  return line;
}

/// The rows and columns that a derivation uses but does not show.
std::vector<Explanation::Strip> lines_left_out(const Trace& trace, const Explanation& explanation) {
  std::vector<Explanation::Strip> found;
  for (const Explanation::Source& source : explanation.sources) {
    if (source.row.has_value() == source.col.has_value()) continue;
    const StageInfo& about = info(source.stage.kind);
    const bool is_row = source.row.has_value();
    std::vector<float> line = line_of(trace, source);
    const auto n = static_cast<int>(line.size());
    const auto shows = [&](const Explanation::Strip& strip) { return is_of_line(strip, line); };
    if (std::ranges::any_of(explanation.strips, shows) || std::ranges::any_of(found, shows)) continue;
    Explanation::Strip strip{std::string(about.symbol), std::move(line), {}};
    const bool is_alone = (is_row ? about.rows : about.cols) == Axis::single;
    const Axis across = is_row ? about.rows : about.cols;
    const std::string name = trace.label(source.stage, across, is_row ? *source.row : *source.col);
    if (!is_alone)
      strip.label += is_token_axis(across) ? " " + quoted_word(name) : (is_row ? " row " : " column ") + name;
    const Axis along = is_row ? about.cols : about.rows;
    for (int i = 0; is_token_axis(along) && i < n; ++i)
      strip.names.push_back(trace.label(source.stage, along, i));
    found.push_back(std::move(strip));
  }
  return found;
}

/// Adds the way to a cell's number for paper: rows of given numbers, and a frame for each result. It is empty
/// if `hides` is set or if another page asks for the number.
void worksheet_derivation(PageBuilder& page, const PageInputs& in, const Explanation& explanation,
                          bool hides) {
  const Trace& trace = *in.trace;
  std::vector<Explanation::Source> asked_sources = explanation.sources;
  std::erase_if(asked_sources, [&](const auto& source) { return !is_asked_elsewhere(in, source); });
  const auto is_asked_line = [&](const Explanation::Strip& strip) {
    return std::ranges::any_of(asked_sources, [&](const Explanation::Source& source) {
      return source.row.has_value() != source.col.has_value() && is_of_line(strip, line_of(trace, source));
    });
  };
  for (const Explanation::Strip& strip : explanation.strips) {
    const auto asked = asked_in_strip(trace, explanation, strip);
    const bool is_asked = is_asked_line(strip);
    one_row_of_numbers(
        page, strip, [&](std::size_t i) { return is_asked || (hides && (strip.is_computed || asked == i)); });
  }
  for (const Explanation::Strip& strip : lines_left_out(trace, explanation)) {
    const bool is_asked = is_asked_line(strip);
    one_row_of_numbers(page, strip, [is_asked](std::size_t) { return is_asked; });
  }
  for (const Explanation::Step& step : explanation.steps) {
    const bool is_result = &step == &explanation.steps.back();
    const bool is_to_find = hides && (is_result || !step.cell);
    const bool is_asked = step.cell && is_asked_elsewhere(in, *step.cell);
    constexpr float box_width = 96.0F;
    const float left = std::min(0.52F * page.width(), page.width() - box_width);
    add_text(page.figure(), elided_text(step.label, left - 8.0F, Font::mono, numbers_size, page.measure()),
             {0.0F, page.y() + 0.5F * cell_height}, page.theme().text, numbers_size, Font::mono);
    framed_number(page, {left, page.y(), box_width, cell_height}, step.value, is_to_find || is_asked);
    page.space(cell_height + 5.0F);
  }
  if (!asked_sources.empty() && hides)
    page.paragraph(
        "Empty cells of given rows are found on another page, or follow from what is found there.");
}

constexpr float paper_margin = 36.0F;
/// The heights of rows to try, from the usual ones to the lowest in which one can still write.
constexpr std::array heights_of_rows{SheetRows{}, SheetRows{18.0F, 26.0F}, SheetRows{13.0F, 20.0F}};
/// The least widths of a cell to write a number into, and of a cell whose number is only read.
constexpr float min_written_width = 28.0F;
constexpr float min_read_width = 34.0F;  ///< Fits "−12.34" in small letters.
constexpr float widest_cell = 60.0F;

/// A drawn map. If it is narrower than `width_needed`, its numbers cannot be read or its empty cells cannot
/// be filled in.
struct SheetMap {
  Figure figure;
  float width = 0.0F, height = 0.0F;
  float cells_x = 0.0F, cell_width = 0.0F;
  float width_needed = 0.0F;  ///< 0 if the map is wide enough.
  int decimals = 0;
  bool has_hatch = false;  ///< A cell that is not covered is infinite.
};

HeatmapSpec as_on_sheet(HeatmapSpec spec) {
  spec.formula.clear();
  spec.color_bar = false;
  spec.numbers = true;
  spec.font_size = 11.0F;
  spec.max_cell = widest_cell;
  return spec;
}

/// \param of_head The end of the title, which tells the maps of several heads apart.
HeatmapSpec spec_of_sheet(const PageInputs& in, const StageId& stage, const std::string& of_head = "") {
  HeatmapSpec spec = as_on_sheet(heatmap_of_stage(*in.trace, stage, in.session.picture));
  const StageInfo& about = info(stage.kind);
  const bool is_whole = stage.kind == StageKind::masked && in.trace->mask_spec(stage) == MaskSpec{} &&
                        !in.trace->architecture().sliding_window && in.trace->batch().n_padded == 0;
  spec.title = (is_whole ? "Scores" : std::string(about.title)) + " " + std::string(about.symbol) + of_head;
  return spec;
}

SheetMap sheet_map(HeatmapSpec spec, float width, const PageTools& tools, const SheetRows& rows,
                   bool is_written) {
  const Extent size = spec.extent();
  constexpr float around = 240.0F;
  spec.max_cell_height = is_written ? rows.written : rows.read;
  const float least = is_written ? std::max(min_written_width, min_read_width) : min_read_width;
  SheetMap map;
  map.width = static_cast<float>(size.cols) * least;
  map.height = static_cast<float>(size.rows) * spec.max_cell_height;
  // A sheet that no paper could hold is not drawn.
  if (map.width > rows.longest) map.width_needed = map.width;
  if (map.width > rows.longest || map.height > rows.longest) return map;
  const Box area{0.0F, 0.0F, width, static_cast<float>(size.rows) * spec.max_cell_height + around};
  const HeatmapLayout layout = layout_heatmap(spec, area, tools.measure);
  map.width_needed = std::ceil(static_cast<float>(size.cols) * least + layout.beside_cells);
  if (layout.raster) return map;
  const auto cells = read_cells(spec, layout);
  map.has_hatch = shows_hatch(spec, layout, *cells);
  const bool can_write = !is_written || layout.cell_width >= min_written_width;
  for (const int decimals : {3, 2}) {
    spec.decimals = decimals;
    if (!can_write || fit_numbers(spec, layout, *cells, tools.measure).size <= 0.0F) continue;
    map.figure = draw_heatmap(spec, layout, cells.get(), light_theme(), tools.measure);
    map.decimals = decimals;
    map.width_needed = 0.0F;
    break;
  }
  map.cells_x = layout.cells.x;
  map.cell_width = layout.cell_width;
  map.width = layout.content.w;
  map.height = layout.content.h;
  return map;
}

/// Adds a name followed by a line to write on.
void line_to_write_on(PageBuilder& page, const char* name, float from, float to) {
  constexpr float size = page_size::small;
  const float width = page.measure()(name, Font::sans, size).width;
  const float below = page.y() + 15.0F;
  Figure& figure = page.figure();
  figure.write(name, {from, page.y() + 2.0F}, page.theme().quiet, size);
  add_line(figure, {from + width + 6.0F, below}, {to, below}, page.theme().quiet, 1.0F);
}

/// The text of the task. `is_way` if the exercise is a derivation alone, whose frames are filled in.
std::string task_text(const PageInputs& in, const StageId& stage, int decimals, bool is_way) {
  const Cover& cover = in.session.cover;
  if (cover.solution) return "Solution.";
  // A result computed from printed, rounded numbers may differ this much from the result computed from exact
  // ones.
  const std::string last = "; the last digit may differ by 1.";
  if (is_way) return "Fill in the empty frames, with 3 decimals" + last;
  const Extent size = in.trace->extent(stage);
  const auto count = count_covered(cover, size.rows, size.cols);
  const int n = count ? count->covered - count->right : 0;
  // Given maps may have empty cells as well, which another page asks for.
  return "Fill in the " + (n == 1 ? "empty cell" : grouped(n) + " empty cells") + " of " +
         std::string(info(stage.kind).symbol) + ", with " + grouped(decimals) + " decimals" + last;
}

void head_of_sheet(PageBuilder& page, const PageInputs& in, const StageId& stage, const std::string& task) {
  const float middle = page.width() * 0.62F;
  line_to_write_on(page, "Name", 0.0F, middle - 16.0F);
  line_to_write_on(page, "Date", middle, page.width());
  page.space(30.0F);
  const StageInfo& about = info(stage.kind);
  page.line(
      {{about.title, Font::sans_bold, 16.0F, page.theme().text}, page.muted(place_text(*in.trace, stage))},
      10.0F);
  const std::string how = std::string(about.symbol) + " = " + formula_in_symbols(*in.trace, stage);
  page.line({{how, Font::mono, page_size::control, page.theme().text}});
  page.line({page.bold(task)});
}

/// Places maps side by side as far as they fit.
void flow(PageBuilder& page, const std::vector<SheetMap>& maps) {
  constexpr float between = 24.0F;
  float x = 0.0F;
  float height = 0.0F;
  for (const SheetMap& map : maps) {
    if (x > 0.0F && x + map.width > page.width()) {
      page.space(height + 10.0F);
      x = 0.0F;
      height = 0.0F;
    }
    append(page.page(), Page{map.figure, {}}, x, page.y());
    x += map.width + between;
    height = std::max(height, map.height);
  }
  page.space(height + 10.0F);
}

/// Describes what hatched cells of scores, or of shares of attention, contain.
std::string hatch_text(bool are_shares) {
  return are_shares ? "hatched: 0, hidden by the mask" : "hatched: −∞, hidden by the mask";
}

/// Records the size of a map in `sheet`. Returns false if the map cannot be read or filled in.
bool is_usable(const SheetMap& map, std::string_view name, Worksheet& sheet) {
  if (map.width_needed <= 0.0F) return true;
  if (sheet.problem.empty())
    sheet.problem = "the numbers of " + std::string(name) + " do not fit in its width";
  sheet.width_needed = std::max(sheet.width_needed, map.width_needed);
  return false;
}

/// Adds what is needed to compute the empty cells of a given stage from what another page asks for.
void add_given_on_way(const PageInputs& in, const std::vector<StageId>& way, SheetGivens& given) {
  for (std::size_t i = 1; i < way.size(); ++i) {
    SheetGivens more = sheet_givens(*in.trace, way[i], in.session.picture);
    for (const StageId& stage : more.stages) {
      const bool is_new =
          info(stage.kind).is_parameter() && std::ranges::find(given.stages, stage) == given.stages.end();
      if (is_new) given.stages.push_back(stage);
    }
    std::ranges::move(more.tables, std::back_inserter(given.tables));
    std::ranges::move(more.notes, std::back_inserter(given.notes));
  }
  const auto symbol = [](const StageId& each) { return std::string(info(each.kind).symbol); };
  const auto rule = [&](const StageId& each) {
    return symbol(each) + " = " + formula_in_symbols(*in.trace, each);
  };
  // For example, "Empty cells of M follow from S, which another page asks for: S′ = S / √d, M = …".
  given.notes.push_back(
      "Empty cells of " + symbol(way.back()) + " follow from " + symbol(way.front()) +
      ", which another page asks for: " + join_texts(std::span(way).subspan(1), ", ", rule) + ".");
}

void maps_of_sheet(PageBuilder& page, const PageInputs& in, const StageId& stage, const PageTools& tools,
                   const SheetRows& rows, Worksheet& sheet, const SheetMap& wanted) {
  std::vector<SheetMap> maps;
  bool has_scores = false;
  bool has_shares = false;
  bool has_asked = false;
  SheetGivens given = sheet_givens(*in.trace, stage, in.session.picture);
  const std::vector<StageId> inputs = given.stages;
  for (const StageId& input : inputs) {
    const std::vector<StageId> way = asked_elsewhere(in, input).way;
    has_asked |= way.size() == 1;
    if (way.size() > 1) add_given_on_way(in, way, given);
  }
  const int wanted_cols = in.trace->extent(stage).cols;
  const auto give = [&](HeatmapSpec spec, std::string_view name, bool is_share) {
    const bool is_asked = spec.cover.stage.has_value();
    // A map with the columns of the wanted one stands above it on the same grid.
    const bool is_above = spec.extent().cols == wanted_cols && wanted.cell_width > 0.0F;
    if (is_above) spec.max_cell = wanted.cell_width;
    SheetMap map = sheet_map(std::move(spec), page.width(), tools, rows, is_asked);
    if (is_above && map.cells_x < wanted.cells_x) {
      Figure moved{map.figure.width, map.figure.height, map.figure.background, {}};
      append(moved, map.figure, wanted.cells_x - map.cells_x, 0.0F);
      map.width += wanted.cells_x - map.cells_x;
      map.figure = std::move(moved);
    }
    (is_share ? has_shares : has_scores) |= map.has_hatch;
    if (is_usable(map, name, sheet)) maps.push_back(std::move(map));
  };
  for (const StageId& input : given.stages) {
    const bool names_head =
        info(stage.kind).scope != StageScope::head && info(input.kind).scope == StageScope::head;
    const std::string of_head = names_head ? " of head " + std::to_string(input.head) : "";
    HeatmapSpec spec = spec_of_sheet(in, input, of_head);
    spec.cover = asked_elsewhere(in, input).cover;
    give(std::move(spec), info(input.kind).name, info(input.kind).is_share);
  }
  for (const HeatmapSpec& table : given.tables) give(as_on_sheet(table), "“" + table.title + "”", false);
  if (!maps.empty()) page.section("Given");
  flow(page, maps);
  if (has_scores) page.paragraph(hatch_text(false));
  if (has_shares) page.paragraph(hatch_text(true));
  if (has_asked)
    page.paragraph("Empty cells of what is given are found on another page: take their numbers from there.",
                   page.theme().text, page_size::small);
  for (const std::string& note : given.notes) page.paragraph(note, page.theme().text, page_size::small);
  page.section(in.session.cover.solution ? "Solution" : "To be found");
  if (!is_usable(wanted, info(stage.kind).name, sheet)) return;
  flow(page, {wanted});
  if (wanted.has_hatch) page.paragraph(hatch_text(info(stage.kind).is_share));
}

/// Whether the exercise consists only of the way to the pinned cell.
bool is_way_alone(const Cover& cover, const std::optional<Pin>& pin) {
  const bool has_rule =
      cover.all || !cover.rows.empty() || !cover.columns.empty() || cover.every > 0 || cover.share > 0.0F;
  return pin && !has_rule && cover.cells == std::vector{StageCell{pin->row, pin->col}};
}

/// The largest paper that is suggested, in points.
constexpr int long_side_of_a2 = 1684;
constexpr int short_side_of_a2 = 1191;

/// Why a worksheet does not fit on its paper, and what would help. `width` and `height` are those that it
/// needs, including its margins.
std::string does_not_fit_text(const PageInputs& in, const StageId& stage, const FigureSize& paper,
                              const std::string& problem, float width, float height) {
  const int fitting_width = std::max(static_cast<int>(std::ceil(width)), paper.width);
  const int fitting_height = std::max(static_cast<int>(std::ceil(height)), paper.height);
  std::string said = "the worksheet of " + std::string(info(stage.kind).name) +
                     " does not fit on a page of " + std::to_string(paper.width) + " × " +
                     std::to_string(paper.height) + " points, because " + problem;
  const bool is_poster = std::max(fitting_width, fitting_height) > long_side_of_a2 ||
                         std::min(fitting_width, fitting_height) > short_side_of_a2;
  const bool has_words =
      info(stage.kind).rows == Axis::vocabulary || info(stage.kind).cols == Axis::vocabulary;
  if (is_poster && has_words)
    return said +
           ": it has a row or column for each word of the vocabulary, so choose another stage (--stage)";
  constexpr int small_width = 4;
  constexpr int few_heads = 2;
  const Architecture& a = in.trace->architecture();
  const bool is_large = a.d_model > small_width || a.n_heads > few_heads;
  const std::string smaller =
      std::string("fewer words") + (is_large ? ", a smaller model (d_model 4, 2 heads)" : "");
  if (is_poster)
    return said + ", and would not fit on A2 either: choose " + smaller +
           " or the way to one cell (--row and --column)";
  return said + ": it would fit on " + std::to_string(fitting_width) + " × " +
         std::to_string(fitting_height) + " (--size), or choose " + smaller;
}

/// Their names, and their widths and heights in points.
constexpr std::array papers{std::tuple("A4 landscape", 842, 595), std::tuple("A3", 842, 1191),
                            std::tuple("A3 landscape", 1191, 842), std::tuple("A2", 1191, 1684),
                            std::tuple("A2 landscape", 1684, 1191)};
/// The stages that are exercised most often, easiest first.
constexpr std::array stages{StageKind::weights, StageKind::raw, StageKind::query, StageKind::output};
constexpr std::size_t max_stages = 2;

/// The row of an exercise: the selected one, unless at most a third of its weights are worth computing.
int row_to_find(const Trace* trace, const StageId& stage, int selected) {
  constexpr int max_rows = 64;  // No paper has space for more.
  if (trace == nullptr || !info(stage.kind).is_share || !trace->has(stage)) return selected;
  const Extent size = trace->extent(stage);
  if (size.rows > max_rows || selected >= size.rows) return selected;
  const StageNumbers numbers = trace->read(stage, {0, 0, size.rows, size.cols});
  int n_found = 0;
  for (int col = 0; col < size.cols; ++col) n_found += numbers.view(selected, col) >= small_share ? 1 : 0;
  if (3 * n_found > size.cols) return selected;
  int best = selected;
  for (int row = 0; row < size.rows; ++row)
    if (entropy(numbers.view, row) > entropy(numbers.view, best)) best = row;
  return best;
}

}  // namespace

Worksheet worksheet_of(const PageInputs& shown, float width, PageTools& tools, SheetRows rows) {
  PageInputs in = shown;
  in.session.picture.theme = ThemeName::light;
  Worksheet sheet;
  PageBuilder page(in, tools, width);
  const Cover& cover = in.session.cover;
  if (!cover.stage || !in.trace->has(*cover.stage)) {
    sheet.problem = "no cell is covered";
    sheet.page = page.take();
    return sheet;
  }
  const StageId stage = *cover.stage;
  HeatmapSpec spec = spec_of_sheet(in, stage);
  spec.cover = cover;
  const SheetMap wanted = sheet_map(std::move(spec), width, tools, rows, true);
  std::optional<Pin> pin = in.session.selection.pin;
  const bool is_of_stage = pin && canonical(in.trace->architecture(), pin->stage) == stage;
  if (!is_of_stage || !cover.covers(pin->row, pin->col)) pin.reset();
  const bool is_way = is_way_alone(cover, pin);
  head_of_sheet(page, in, stage, task_text(in, stage, wanted.decimals, is_way));
  if (!is_way) maps_of_sheet(page, in, stage, tools, rows, sheet, wanted);
  if (pin) {
    if (const auto way = explain(*in.trace, stage, pin->row, pin->col)) {
      page.section("The way to " + name_of_cell(*in.trace, stage, pin->row, pin->col));
      worksheet_derivation(page, in, *way, cover.hides(pin->row, pin->col));
    }
  }
  page.paragraph(guess_text(*in.trace, stage));
  if (in.is_untrained()) page.paragraph("untrained: random weights");
  page.paragraph(changes_sentences(*in.trace));
  sheet.page = page.take();
  return sheet;
}

Result<Figure> figure_of_worksheet(const PageInputs& in, const FigureSize& paper,
                                   const MeasureText& measure) {
  PageMemo memo;
  PageTools tools{measure, 0, memo};
  if (!in.session.cover.stage)
    return usage_error("nothing is covered, so there is nothing to fill in: choose cells to cover (--cover)");
  if (auto there = in.trace->has(*in.session.cover.stage); !there)
    return failure("this pass has no stage " + path(*in.session.cover.stage) + ": cover one that it has");
  if (std::string reason = reason_unsolvable(*in.trace, *in.session.cover.stage); !reason.empty())
    return usage_error(std::move(reason));
  if (std::string reason = reason_nothing_empty(in); !reason.empty()) return usage_error(std::move(reason));
  constexpr float both = 2.0F * paper_margin;
  float width = static_cast<float>(paper.width) - both;
  Worksheet sheet;
  std::string problem;
  float height = 0.0F;
  const float longest = static_cast<float>(std::max({paper.width, paper.height, long_side_of_a2}));
  for (SheetRows rows : heights_of_rows) {
    rows.longest = longest;
    sheet = worksheet_of(in, width, tools, rows);
    if (problem.empty()) problem = sheet.problem;
    constexpr int max_attempts = 3;
    for (int i = 0; i < max_attempts && sheet.width_needed > 0.0F; ++i) {
      width = std::max(width, sheet.width_needed);
      if (width > longest) break;
      sheet = worksheet_of(in, width, tools, rows);
    }
    height = std::ceil(sheet.page.figure.height + both);
    if (height <= static_cast<float>(paper.height) || width > longest) break;
  }
  if (problem.empty() && height > static_cast<float>(paper.height)) problem = "it is too tall";
  if (!problem.empty())
    return usage_error(does_not_fit_text(in, *in.session.cover.stage, paper, problem, width + both, height));
  Figure figure{static_cast<float>(paper.width), static_cast<float>(paper.height), light_theme().panel, {}};
  append(figure, sheet.page.figure, paper_margin, paper_margin);
  figure.width = static_cast<float>(paper.width);
  figure.height = static_cast<float>(paper.height);
  return figure;
}

Session with_exercise(Session session, Exercise exercise, const Trace* trace) {
  if (session.cover.stage) return session;
  constexpr int every_second = 2;
  Cover cover;
  cover.stage = session.selection.at(session.selection.stage);
  cover.all = exercise == Exercise::all;
  cover.every = exercise == Exercise::half ? every_second : 0;
  if (exercise == Exercise::row)
    cover.rows = {row_to_find(trace, *cover.stage, session.selection.token.value_or(0))};
  return reduce(session, set_cover(cover));
}

std::vector<WorksheetAdvice> worksheet_advice(const PageInputs& in, const FigureSize& paper,
                                              const MeasureText& measure) {
  std::vector<WorksheetAdvice> advice;
  const Cover& cover = in.session.cover;
  if (!cover.stage || figure_of_worksheet(in, paper, measure)) return advice;
  // Adds a suggestion if it makes the worksheet possible.
  const auto offer = [&](std::string label, std::vector<Action> actions,
                         const std::optional<FigureSize>& other = {}) {
    PageInputs changed = in;
    for (const Action& action : actions) changed.session = reduce(changed.session, action);
    changed.session = with_exercise(std::move(changed.session), Exercise::row, in.trace.get());
    const bool is_possible = figure_of_worksheet(changed, other.value_or(paper), measure).has_value();
    if (is_possible) advice.push_back({std::move(label), std::move(actions), other});
    return is_possible;
  };
  for (const auto& [name, width, height] : papers) {
    FigureSize other = paper;
    other.width = width;
    other.height = height;
    if (offer("Use " + std::string(name), {}, other)) break;
  }
  const int row = in.session.selection.token.value_or(0);
  Cover one_cell;
  one_cell.stage = cover.stage;
  one_cell.cells = {{row, 0}};
  offer("Ask for one cell", {set_cover(one_cell), PinCell{{*cover.stage, row, 0}}});
  Cover unanswered = cover;
  unanswered.right.clear();
  if (!cover.right.empty()) offer("Leave the answers out", {set_cover(unanswered)});
  if (advice.size() >= 2) return advice;
  std::size_t n_stages = 0;
  for (const StageKind kind : stages) {
    if (kind == cover.stage->kind || n_stages == max_stages) continue;
    const bool is_possible =
        offer("Ask for " + std::string(info(kind).title), {set_cover({}), select_stage(kind)});
    n_stages += is_possible ? 1 : 0;
  }
  return advice;
}

}  // namespace headscope
