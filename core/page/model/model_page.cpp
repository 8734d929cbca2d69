#include <algorithm>
#include <cmath>
#include <map>
#include <span>

#include "core/figure/diagram.h"
#include "core/page/pages.h"
#include "core/page/parts/answers.h"
#include "core/page/parts/bar_tables.h"
#include "core/page/parts/covered.h"
#include "core/page/parts/map_panel.h"
#include "core/page/parts/page_builder.h"
#include "core/page/parts/small_pictures.h"
#include "core/text/number_text.h"
#include "core/trace/number_source.h"
#include "core/trace/place_text.h"
#include "core/trace/summary.h"
#include "core/trace/trace.h"

namespace headscope {
namespace {

/// The stage of the box that represents a stage and that stays the same when it is looked up again: several
/// stages may share a box, which is named after one of them. `diagrams` keeps the diagram of each layer.
std::optional<StageId> settled_box(const Trace& trace, int head, const StageId& stage,
                                   std::map<int, Diagram>& diagrams) {
  const auto stage_of_box = [&](const StageId& each) {
    auto found = diagrams.find(each.layer);
    if (found == diagrams.end())
      found = diagrams.emplace(each.layer, layout_diagram(trace, each.layer, head)).first;
    const auto box = box_of_stage(trace, found->second, each);
    return box ? std::optional(found->second.boxes[*box].stage) : std::nullopt;
  };
  constexpr int max_lookups = 4;
  std::optional<StageId> box = stage_of_box(stage);
  for (int i = 0; i < max_lookups && box; ++i) {
    const auto again = stage_of_box(*box);
    if (again == box) return box;
    box = again;
  }
  return box;
}

std::optional<StageId> box_alone(const Trace& trace, int head, const StageId& stage) {
  std::map<int, Diagram> diagrams;
  return settled_box(trace, head, stage, diagrams);
}

const std::vector<StageId>& way_of(const PageInputs& in, PageMemo& memo) {
  return *memo.results.now(Asked<diagram_path>{{in.trace, in.session.selection.head}});
}

bool is_in_layer(const StageId& stage) {
  return info(stage.kind).scope >= StageScope::layer;
}

constexpr float widest_lines = 480.0F;  ///< Of lines that end in numbers.
constexpr std::size_t max_words = 6;

/// Adds one row of a stage as cells with the tooltips of a map, and with words above keys if they fit.
void add_row(PageBuilder& page, const PageInputs& in, PageTools& tools, const std::string& slot,
             const StageId& stage, int row, bool has_words = true) {
  constexpr float cell_height = 26.0F;
  constexpr float room_for_turned = 16.0F;  // Words that do not fit above their columns lean to the right.
  constexpr float max_height = 240.0F;      // Of this, words above the columns take up to a share.
  MapLook look;
  constexpr float width_of_word = 48.0F;
  const bool has_room = width_of_word * static_cast<float>(in.trace->extent(stage).cols) <= page.width();
  look.labels = has_words && has_room && info(stage.kind).cols == Axis::key_tokens;
  look.row_labels = look.axes = look.color_bar = false;
  look.max_cell = 72.0F;
  look.max_cell_height = cell_height;
  look.font_size = 12.0F;
  look.only_row = row;
  const MapPanel& panel = map_panel(in, tools, slot, stage, page.width() - room_for_turned, max_height, look);
  if (!panel.problem.empty()) return page.paragraph(panel.problem);
  Page strip{panel.figure, {}};
  strip.figure.height = panel.layout.content.bottom();
  if (!panel.is_empty && panel.shown == panel.extent)
    strip.regions.push_back({panel.layout.cells, StageCells{stage, slot, panel.layout.grid()}});
  page.add(strip);
}

/// The name of a stage's row: “Norm, layer 1 · 64 numbers”.
std::string name_of_row(const Trace& trace, const StageId& stage) {
  const std::string place = place_text(trace, stage);
  return std::string(info(stage.kind).title) + (place.empty() ? "" : " · " + place) + " · " +
         count_text(trace.extent(stage).cols, "number");
}

void add_greatest_logits(PageBuilder& page, const PageInputs& in, PageTools& tools, int row) {
  const StageNumbers numbers = in.trace->read_row(logits_stage, row);
  PageBuilder words(in, tools, std::min(page.width(), widest_lines));
  std::vector<RankedKey> ranked = ranked_keys(numbers.view, 0);
  ranked.resize(std::min(ranked.size(), max_words));
  for (const RankedKey& each : ranked)
    words.row(quoted_word(in.trace->label(logits_stage, Axis::vocabulary, each.key)), in.number(each.weight));
  page.add(words.take());
}

/// Adds the stages of its head that a stage is computed from to `way`, row by row, and then the stage itself.
void collect_way(const PageInputs& in, const StageId& stage, std::vector<StageId>& way) {
  const bool is_of_head = info(stage.kind).scope == StageScope::head && !info(stage.kind).is_parameter() &&
                          info(stage.kind).rows == Axis::query_tokens;
  if (!is_of_head || std::ranges::find(way, stage) != way.end()) return;
  for (const StageId& source : inputs_of(*in.trace, stage)) collect_way(in, source, way);
  way.push_back(stage);
}

/// Adds the way of a query's row through its head, from the query to the sum of the values.
void add_attention(PageBuilder& page, const PageInputs& in, PageTools& tools, const StageId& map, int row) {
  const Trace& trace = *in.trace;
  std::vector<StageId> way;
  const StageId result = with_kind(map, StageKind::output);
  collect_way(in, trace.has(result) ? result : map, way);
  bool has_words = false;
  for (const StageId& stage : way) {
    if (!can_read(in, tools, stage)) continue;
    page.line({{stage == way.front() ? "" : "↓", Font::sans_bold, page_size::body, page.theme().accent},
               {info(stage.kind).title, Font::sans, page_size::small, page.theme().text},
               {formula(trace, stage), Font::mono, page_size::small, page.theme().quiet}});
    add_row(page, in, tools, "row " + std::string(info(stage.kind).name), stage, row, !has_words);
    // The words stand above the first of the rows that have a cell for each of them.
    has_words = has_words || info(stage.kind).cols == Axis::key_tokens;
  }
}

/// Shows how the number with the greatest magnitude of a row was computed.
void add_greatest(PageBuilder& page, const PageInputs& in, PageTools& tools, const StageId& stage, int row) {
  const StageNumbers numbers = in.trace->read_row(stage, row);
  const auto all = numbers.view.row(0);
  // Hidden cells hold −∞.
  const auto size_of = [](float x) { return std::isfinite(x) ? std::fabs(x) : -1.0F; };
  const auto less = [&](float a, float b) { return size_of(a) < size_of(b); };
  const auto col = static_cast<int>(std::ranges::max_element(all, less) - all.begin());
  const auto derived = explain(*in.trace, stage, row, col);
  if (!derived) return;
  PageBuilder steps(in, tools, std::min(page.width(), widest_lines));
  steps.section("The number farthest from 0");
  steps.say(derived->headline);
  constexpr std::size_t max_steps = 4;
  const std::span<const Explanation::Step> all_steps = derived->steps;
  const auto last = all_steps.last(std::min(all_steps.size(), max_steps));
  const std::vector<std::string> written = step_texts(last, in.session.picture);
  for (std::size_t i = 0; i < last.size(); ++i) {
    const Explanation::Step& step = last[i];
    const bool is_path = step.cell && step.label == path(step.cell->stage);
    steps.row(is_path ? info(step.cell->stage.kind).title : step.label, written[i], i + 1 == last.size());
  }
  page.add(steps.take());
}

/// Shows a stage's inputs and result for the selected row, and how its greatest number was computed.
void add_row_story(PageBuilder& page, const PageInputs& in, const StageId& stage, PageTools& tools) {
  const Trace& trace = *in.trace;
  const int row = *followed_row(trace, in.session.selection, stage);
  const Theme& theme = page.theme();
  page.section("The row of " + quoted_word(trace.label(stage, info(stage.kind).rows, row)));
  if (stage.kind == StageKind::weights) return add_attention(page, in, tools, stage, row);
  int n_sources = 0;
  for (const StageId& source : inputs_of(trace, stage)) {
    const auto source_row = followed_row(trace, in.session.selection, source);
    const bool has_row =
        !info(source.kind).is_parameter() && info(source.kind).cols != Axis::vocabulary && source_row;
    if (!has_row || !can_read(in, tools, source)) continue;
    page.paragraph(name_of_row(trace, source));
    add_row(page, in, tools, "row " + std::to_string(n_sources++), source, *source_row);
  }
  if (stage.kind == StageKind::logits) return add_greatest_logits(page, in, tools, row);
  if (info(stage.kind).cols == Axis::vocabulary) {
    PageBuilder words(in, tools, std::min(page.width(), widest_lines));
    add_ranked_words(words, in, row, max_words);
    return page.add(words.take());
  }
  page.line({{n_sources > 0 ? "↓" : "", Font::sans_bold, page_size::body, theme.accent},
             {formula(trace, stage), Font::mono, page_size::small, theme.quiet}});
  page.paragraph(name_of_row(trace, stage), theme.text);
  add_row(page, in, tools, "row", stage, row);
  add_greatest(page, in, tools, stage, row);
}

/// The note of a box that says how many rows of a stage have a changed cell: "1 of 12 rows".
std::string change_note(const Comparison& compared) {
  const auto changed = difference_source(compared);
  if (!changed) return {};
  const Extent size = (*changed)->extent();
  std::atomic<int> n_changed{0};
  for_row_blocks(0, size.rows, size.cols, nullptr, [&](int first, int n) {
    const StageNumbers some = (*changed)->read({first, 0, n, size.cols});
    for (int r = 0; r < n; ++r) {
      // Cells without a counterpart, such as a new token's row, also count as changed.
      const bool has_changed = std::ranges::any_of(some.view.row(r), [](float x) { return !(x == 0.0F); });
      n_changed += has_changed ? 1 : 0;
    }
  });
  if (n_changed == 0) return "unchanged";
  return std::to_string(n_changed) + " of " + std::to_string(size.rows) + " rows";
}

/// Kept because a difference reads every number. Null if no difference is shown.
const Result<std::vector<std::string>>* notes_of(const PageInputs& in, PageTools& tools,
                                                 const Diagram& diagram) {
  if (!in.against()) return nullptr;
  std::vector<StageId> boxes;
  std::vector<StageId> counterparts;
  for (const DiagramBox& box : diagram.boxes) {
    if (box.detail.empty()) continue;
    boxes.push_back(box.stage);
    counterparts.push_back(in.counterpart(box.stage));
  }
  return tools.find(ChangeNotes{{in.trace, in.against(), std::move(boxes), std::move(counterparts)}});
}

/// The pictures in the boxes that have space for them.
const std::vector<Figure>* pictures_of(const PageInputs& in, PageTools& tools, const Diagram& diagram) {
  const auto against = in.against();
  std::vector<SmallPicture> asked;
  asked.reserve(diagram.boxes.size());
  for (const DiagramBox& box : diagram.boxes) {
    if (box.picture.w <= 0.0F) continue;
    asked.push_back({in.trace, box.stage, against, against ? in.counterpart(box.stage) : StageId{},
                     in.session.picture, box.picture.w, box.picture.h, cover_of(in, box.stage)});
  }
  return small_pictures("boxes", std::move(asked), tools);
}

/// Writes the model's answer in the selected row into the box of the probabilities.
void note_answer(const PageInputs& in, PageTools& tools, const Diagram& diagram,
                 std::vector<DiagramMark>& marks) {
  const Cover& cover = in.session.cover;
  const auto box = std::ranges::find(diagram.boxes, probabilities_stage, &DiagramBox::stage);
  if (box == diagram.boxes.end() || !can_read(in, tools, probabilities_stage)) return;
  // The answer could reveal a number that an exercise asks for. With details, the shape takes its place.
  if ((cover.stage && !cover.solution) || in.session.picture.details || in.trace->overflow()) return;
  const int row = listed_row(in);
  const StageNumbers of_row = in.trace->read_row(probabilities_stage, row);
  const std::span<const float> along = of_row.view.row(0);
  const auto greatest = static_cast<int>(std::ranges::max_element(along) - along.begin());
  marks[static_cast<std::size_t>(box - diagram.boxes.begin())].note =
      quoted_word(in.trace->label(probabilities_stage, Axis::query_tokens, row)) + " → " +
      quoted_word(in.trace->label(probabilities_stage, Axis::vocabulary, greatest));
}

std::vector<DiagramMark> marks_of(const PageInputs& in, PageTools& tools, const Diagram& diagram) {
  const auto* const found = notes_of(in, tools, diagram);
  std::vector<DiagramMark> marks(diagram.boxes.size());
  std::size_t n_noted = 0;
  for (std::size_t i = 0; found != nullptr && i < diagram.boxes.size(); ++i) {
    if (diagram.boxes[i].detail.empty()) continue;
    marks[i].note = *found ? (**found)[n_noted++] : "not compared";
  }
  if (!in.against()) note_answer(in, tools, diagram, marks);
  const auto chosen = walked_stage(in, tools.memo);
  if (!chosen) return marks;
  for (const StageId& source : inputs_of(*in.trace, *chosen)) {
    if (info(source.kind).is_parameter()) continue;
    if (const auto box = box_of_stage(*in.trace, diagram, source)) marks[*box].is_source = true;
  }
  if (const auto box = box_of_stage(*in.trace, diagram, *chosen)) marks[*box].chosen = true;
  return marks;
}

/// Names the stage. Its formula and the shapes of all boxes are details.
Page model_heading(const PageInputs& in, const PageSize& size, PageTools& tools) {
  PageBuilder page(in, tools, size.width);
  const Theme& theme = page.theme();
  const bool details = in.session.picture.details;
  const auto chosen = walked_stage(in, tools.memo);
  const std::string shape = chosen && details ? full_shape_text(*in.trace, *chosen) : "";
  page.line({page.bold(chosen ? info(chosen->kind).title : "The model", page_size::title),
             {shape, Font::mono, page_size::control, theme.quiet},
             page.muted(chosen ? place_text(*in.trace, *chosen) : ""),
             page.muted(details ? "shapes are [batch, rows, columns]" : ""),
             guess_word(*in.trace, theme)},
            12.0F);
  if (in.against()) {
    page.line({{"Each box shows how many of its rows differ between A and B.", Font::sans, page_size::small,
                theme.accent}});
  } else if (chosen && details) {
    formula_line(page, in, *chosen);
  }
  if (chosen) page.say(std::string(info(chosen->kind).meaning));
  page.divider();
  page.page().regions.push_back({{0.0F, 0.0F, size.width, page.y()}, HeadingArea{}});
  return page.take();
}

/// The diagram, scaled by `scale` and centred in `width`.
Page diagram_page(const PageInputs& in, const Diagram& diagram, float scale, float width, PageTools& tools) {
  std::vector<DiagramMark> marks = marks_of(in, tools, diagram);
  const auto pictures = pictures_of(in, tools, diagram);
  for (DiagramMark& mark : marks) mark.has_shape = in.session.picture.details;
  std::size_t picture = 0;
  for (std::size_t i = 0; pictures && i < diagram.boxes.size(); ++i) {
    if (diagram.boxes[i].picture.w <= 0.0F) continue;
    marks[i].picture = &(*pictures)[picture++];
    const auto row = followed_row(*in.trace, in.session.selection, diagram.boxes[i].stage);
    if (!row) continue;
    // The row of the selected token stands out.
    const auto n = static_cast<float>(in.trace->extent(diagram.boxes[i].stage).rows);
    marks[i].row_top = static_cast<float>(*row) / n;
    marks[i].row_bottom = static_cast<float>(*row + 1) / n;
  }
  Page drawn;
  drawn.figure = scaled(draw_diagram(diagram, marks, in.theme(), tools.measure), scale);
  for (std::size_t i = 0; i < diagram.boxes.size(); ++i) {
    const DiagramBox& part = diagram.boxes[i];
    const Box box{part.box.x * scale, part.box.y * scale, part.box.w * scale, part.box.h * scale};
    drawn.regions.push_back({box, DiagramArea{i, part.stage, part.is_folded}});
  }
  Page page;
  page.figure.background = drawn.figure.background;
  append(page, drawn, std::floor(std::max((width - drawn.figure.width) / 2.0F, 0.0F)), 0.0F);
  return page;
}

constexpr float min_gap = 24.0F;          ///< Left and right of the diagram if something stands beside it.
constexpr float min_side_width = 400.0F;  ///< The width of what stands there.
constexpr float min_height_of_map = 240.0F;

/// The top of the column beside the diagram: that of the diagram or, if the box of the stage lies below the
/// page, low enough to see both at once.
float top_beside(const PageInputs& in, const StageId& stage, const Diagram& plan, float scale, float room) {
  const auto box = box_of_stage(*in.trace, plan, stage);
  const float hidden = plan.height * scale - room;
  if (!box || hidden <= 0.0F) return 0.0F;
  const Box& chosen = plan.boxes[*box].box;
  if (chosen.bottom() * scale <= room) return 0.0F;
  return std::floor(std::clamp((chosen.y + 0.5F * chosen.h) * scale - 0.5F * room, 0.0F, hidden));
}

/// Readable, even if the diagram must then be scrolled, unless the user wants to see all of it.
float diagram_scale(const PageInputs& in, const Diagram& plan, const PageSize& room) {
  constexpr float most = 1.6F;
  const float fitting = std::min(room.width / plan.width, room.height / plan.height);
  // A diagram that nearly fits is shown whole rather than with its last box cut off.
  constexpr float nearly = 0.8F;
  const float least = !in.session.picture.readable_diagram ? 0.1F : fitting >= nearly ? nearly : 0.9F;
  // The column beside the diagram is shown if it leaves the diagram at least this large.
  const float beside = (room.width - min_side_width - 2.0F * min_gap) / plan.width;
  return std::clamp(beside >= std::max(least, 0.8F) ? std::min(fitting, beside) : fitting, least, most);
}

/// What the stage is, what it computes from the selected row, and its map if there is space left.
Page stage_page(const PageInputs& in, const PageSize& size, PageTools& tools) {
  constexpr float room_of_scroll_bar = 24.0F;
  PageBuilder page(in, tools, size.width);
  page.add(model_heading(in, size, tools));
  const auto stage = walked_stage(in, tools.memo);
  if (!stage) return page.take();
  // Not during an exercise or overflow, not for a difference, and only if the stage has the selected row.
  const bool is_hidden = in.session.cover.stage && !in.session.cover.solution;
  const bool has_story = !is_hidden && !in.against() && !in.trace->overflow() && in.other_pages.empty() &&
                         followed_row(*in.trace, in.session.selection, *stage) && can_read(in, tools, *stage);
  if (has_story) add_row_story(page, in, *stage, tools);
  const float left = size.height - page.y();
  if (has_story && left < min_height_of_map) return page.take();
  const MapLook look{.zoomable = true, .frames_row = true, .centered = true, .max_cell = 56.0F};
  constexpr float max_height_of_map = 760.0F;
  page.add(map_page(in, tools, "model", *stage, size.width - room_of_scroll_bar,
                    std::clamp(left, min_height_of_map, max_height_of_map), look));
  return page.take();
}

}  // namespace

std::vector<StageId> steps_of_pass(const Trace& trace, bool parameters, int head) {
  std::vector<StageId> steps;
  const bool one_layer = trace.architecture().n_layers == 1;
  for (const StageId& id : trace.stages()) {
    const StageInfo& stage = info(id.kind);
    if (stage.is_parameter() != parameters || (one_layer && stage.repeats)) continue;
    if (stage.scope == StageScope::head && id.head != head) continue;
    steps.push_back(id);
  }
  return steps;
}

std::vector<StageId> diagram_path(const Trace& trace, int head) {
  std::map<int, Diagram> diagrams;
  std::vector<StageId> way;
  for (const StageId& step : steps_of_pass(trace, false, head)) {
    const auto box = settled_box(trace, head, step, diagrams);
    if (box && std::ranges::find(way, *box) == way.end()) way.push_back(*box);
  }
  return way;
}

int n_diagram_steps(const PageInputs& in, PageMemo& memo) {
  return static_cast<int>(way_of(in, memo).size());
}

int step_of_stage(const PageInputs& in, PageMemo& memo, const StageId& stage) {
  const std::vector<StageId>& way = way_of(in, memo);
  // Cached, because finding it lays out whole diagrams.
  const std::optional<StageId> box =
      *memo.results.now(Asked<box_alone>{{in.trace, in.session.selection.head, stage}});
  const auto found = box ? std::ranges::find(way, *box) : way.end();
  return found == way.end() ? 0 : static_cast<int>(found - way.begin()) + 1;
}

int first_step_of_layer(const PageInputs& in, PageMemo& memo, const StageId& stage) {
  const std::vector<StageId>& way = way_of(in, memo);
  const auto found = std::ranges::find_if(way, [&](const StageId& each) {
    return is_in_layer(each) && each.stack == stage.stack && each.layer == stage.layer;
  });
  return found == way.end() ? 0 : static_cast<int>(found - way.begin()) + 1;
}

int diagram_step(const PageInputs& in, PageMemo& memo) {
  const int step = in.session.diagram_step;
  if (step == 0) return step_of_stage(in, memo, in.at(in.session.selection.stage));
  return std::min(step, n_diagram_steps(in, memo));
}

std::optional<StageId> walked_stage(const PageInputs& in, PageMemo& memo) {
  const std::vector<StageId>& way = way_of(in, memo);
  const StageId selected = in.at(in.session.selection.stage);
  if (in.session.diagram_step > 0 && !way.empty())
    return way[static_cast<std::size_t>(diagram_step(in, memo)) - 1];
  return in.trace->has(selected) ? std::optional(selected) : std::nullopt;
}

int unfolded_layer(const PageInputs& in, PageMemo& memo) {
  const int step = in.session.diagram_step;
  const std::vector<StageId>& way = way_of(in, memo);
  if (step == 0 || way.empty()) return in.session.selection.layer;
  const auto here = way.begin() + diagram_step(in, memo);
  const auto before = std::find_if(std::make_reverse_iterator(here), way.rend(), is_in_layer);
  if (before != way.rend()) return before->layer;
  const auto after = std::find_if(here, way.end(), is_in_layer);
  return after == way.end() ? 0 : after->layer;
}

Slices<std::vector<std::string>> change_notes(const Trace& trace, const Trace& against,
                                              const std::vector<StageId>& boxes,
                                              const std::vector<StageId>& counterparts) {
  std::vector<std::string> notes;
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    notes.push_back(change_note({trace, boxes[i], against, counterparts[i]}));
    co_yield static_cast<double>(i + 1) / static_cast<double>(boxes.size());
  }
  co_return notes;
}

std::optional<int> followed_row(const Trace& trace, const Selection& selection, const StageId& stage) {
  const auto& token = selection.token;
  const StageInfo& about = info(stage.kind);
  const bool is_of_tokens = about.rows == Axis::query_tokens ||
                            (about.rows == Axis::key_tokens && stage.attention == AttentionKind::self);
  if (!token || !is_of_tokens || !trace.has(stage)) return std::nullopt;
  const Stack stack = about.scope == StageScope::model ? trace.architecture().last_stack() : stage.stack;
  return stack == selection.stack && *token < trace.extent(stage).rows ? token : std::nullopt;
}

Headline model_headline(const PageInputs& in, PageTools& tools) {
  const Architecture& a = in.trace->architecture();
  Headline headline;
  const std::string layers = layers_text(a) + " of " + count_text(a.n_heads, "head");
  if (a.foreign.captured) {
    headline.answer.push_back("Another program computed it. Its capture holds the attention of " + layers +
                              ".");
    return headline;
  }
  const bool has_two_stacks = a.has_cross() && a.has_self();
  headline.answer.push_back("It becomes a row of " + grouped(a.d_model) + " numbers, " +
                            (has_two_stacks    ? "which the two stacks change in " + layers + "."
                             : a.n_layers == 1 ? "which " + layers + " changes."
                                               : "which " + layers + " change in turn."));
  headline.answer.push_back(grouped(*tools.memo.results.now(Asked<parameter_count>{{in.trace}})) +
                            " parameters decide how.");
  return headline;
}

Page model_page(const PageInputs& in, const PageSize& size, PageTools& tools) {
  const Diagram plan = layout_diagram(*in.trace, unfolded_layer(in, tools.memo), in.session.selection.head);
  const float scale = diagram_scale(in, plan, size);
  constexpr float diagram_share = 0.36F;
  const float x = std::max(size.width * diagram_share, plan.width * scale + 2.0F * min_gap);
  const bool is_beside = size.width - x >= min_side_width;
  const Page beside =
      is_beside ? stage_page(in, {size.width - x, size.height}, tools) : model_heading(in, size, tools);
  Page page;
  if (!is_beside) append(page, beside, 0.0F, 0.0F);
  const float top = page.figure.height;
  const Page diagram = diagram_page(in, plan, scale, is_beside ? x : size.width, tools);
  append(page, diagram, 0.0F, top);
  page.figure.background = diagram.figure.background;
  const auto stage = walked_stage(in, tools.memo);
  if (is_beside) append(page, beside, x, stage ? top_beside(in, *stage, plan, scale, size.height) : 0.0F);
  page.figure.width = std::max(size.width, diagram.figure.width);
  return page;
}

}  // namespace headscope
