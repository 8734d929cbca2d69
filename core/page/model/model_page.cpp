#include "core/page/model/model_page.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <span>
#include <string>
#include <vector>

#include "core/figure/diagram.h"
#include "core/figure/pages.h"
#include "core/page/model/row_story.h"
#include "core/page/parts/answers.h"
#include "core/page/parts/covered.h"
#include "core/page/parts/page_builder.h"
#include "core/page/parts/readable.h"
#include "core/page/parts/small_pictures.h"
#include "core/page/words/words_page.h"
#include "core/text/number_text.h"
#include "core/trace/number_source.h"
#include "core/trace/place_text.h"
#include "core/trace/trace.h"

namespace headscope {
namespace {

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

/// The notes of all boxes. They are kept because a difference reads every number. Null while they are being
/// computed, and if no difference is shown.
const Result<std::vector<std::string>>* notes_of(const PageInputs& in, PageTools& tools,
                                                 const Diagram& diagram) {
  if (!in.against()) return nullptr;
  ChangeNotes key{in.trace, in.against(), {}, {}};
  for (const DiagramBox& box : diagram.boxes) {
    if (box.detail.empty()) continue;
    key.boxes.push_back(box.stage);
    key.counterparts.push_back(in.counterpart(box.stage));
  }
  return tools.find(key);
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
  const StageId probabilities{.kind = StageKind::probabilities};
  const Cover& cover = in.session.cover;
  const auto box = std::ranges::find(diagram.boxes, probabilities, &DiagramBox::stage);
  if (box == diagram.boxes.end() || !can_read(in, tools, probabilities)) return;
  // The answer could reveal a number that an exercise asks for. With details, the shape takes its place.
  if ((cover.stage && !cover.solution) || in.session.picture.details || in.trace->overflow()) return;
  const int row = listed_row(in);
  const StageNumbers of_row = in.trace->read_row(probabilities, row);
  const std::span<const float> along = of_row.view.row(0);
  const auto greatest = static_cast<int>(std::ranges::max_element(along) - along.begin());
  marks[static_cast<std::size_t>(box - diagram.boxes.begin())].note =
      quoted_word(in.trace->label(probabilities, Axis::query_tokens, row)) + " → " +
      quoted_word(in.trace->label(probabilities, Axis::vocabulary, greatest));
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

/// Highlights the row of the selected token in a picture.
void mark_row(const PageInputs& in, const StageId& stage, DiagramMark& mark) {
  const auto row = followed_row(*in.trace, in.session.selection, stage);
  if (!row) return;
  const auto n = static_cast<float>(in.trace->extent(stage).rows);
  mark.row_top = static_cast<float>(*row) / n;
  mark.row_bottom = static_cast<float>(*row + 1) / n;
}

/// The diagram, scaled by `scale` and centred in `width`.
Page diagram_page(const PageInputs& in, const Diagram& diagram, float scale, float width, PageTools& tools) {
  std::vector<DiagramMark> marks = marks_of(in, tools, diagram);
  const auto pictures = pictures_of(in, tools, diagram);
  for (DiagramMark& mark : marks) mark.has_shape = in.session.picture.details;
  std::size_t picture = 0;
  for (std::size_t i = 0; pictures && i < diagram.boxes.size(); ++i) {
    if (diagram.boxes[i].picture.w > 0.0F) {
      marks[i].picture = &(*pictures)[picture++];
      mark_row(in, diagram.boxes[i].stage, marks[i]);
    }
  }
  Page drawn;
  drawn.figure =
      scaled(draw_diagram(diagram, marks, theme_of(in.session.picture.theme), tools.measure), scale);
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

/// The map of the stage.
Page chosen_map(const PageInputs& in, const StageId& stage, const PageSize& size, PageTools& tools) {
  const MapLook look{.zoomable = true, .frames_row = true, .centered = true, .max_cell = 56.0F};
  constexpr float most = 760.0F;
  return map_page(in, tools, "model", stage, size.width, std::clamp(size.height, min_height_of_map, most),
                  look);
}

/// The scale of the diagram: readable, even if it must then be scrolled, unless the user wants to see all of
/// it.
float diagram_scale(const PageInputs& in, const Diagram& plan, const PageSize& room) {
  constexpr float most = 1.6F;
  const float least = in.session.picture.readable_diagram ? 0.9F : 0.5F;
  const float fitting = std::min(room.width / plan.width, room.height / plan.height);
  // The column beside the diagram is shown if it leaves the diagram at least this large.
  const float beside = (room.width - min_side_width - 2.0F * min_gap) / plan.width;
  return std::clamp(beside >= std::max(least, 0.8F) ? std::min(fitting, beside) : fitting, least, most);
}

/// The scale of the diagram, and the top of the column beside it, if there is space for it.
struct Places {
  float scale = 1.0F;
  float x = 0.0F;
  bool is_beside = false;
};

Places places_of(const PageInputs& in, const Diagram& plan, const PageSize& room) {
  Places places{diagram_scale(in, plan, room)};
  constexpr float diagram_share = 0.36F;
  places.x = std::max(room.width * diagram_share, plan.width * places.scale + 2.0F * min_gap);
  places.is_beside = room.width - places.x >= min_side_width;
  if (!places.is_beside) places.x = room.width;
  return places;
}

/// The column beside the diagram: what the stage is, what it computes from the selected row, and its map if
/// there is space left.
Page stage_page(const PageInputs& in, const PageSize& size, PageTools& tools) {
  constexpr float room_of_scroll_bar = 24.0F;
  PageBuilder page(in, tools, size.width);
  page.add(model_heading(in, size, tools));
  const auto stage = walked_stage(in, tools.memo);
  if (!stage) return page.take();
  const bool has_story = has_row_story(in, *stage, tools);
  if (has_story) add_row_story(page, in, *stage, tools);
  const float left = size.height - page.y();
  if (!has_story || left >= min_height_of_map)
    page.add(chosen_map(in, *stage, {size.width - room_of_scroll_bar, left}, tools));
  return page.take();
}

}  // namespace

Slices<std::vector<std::string>> ChangeNotes::answer() const {
  std::vector<std::string> notes;
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    notes.push_back(change_note({*trace, boxes[i], *against, counterparts[i]}));
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

Headline model_headline(const PageInputs& in, PageTools& /*tools*/) {
  const Architecture& a = in.trace->architecture();
  Headline headline;
  const std::string layers = layers_text(a) + " of " + count_text(a.n_heads, "head");
  const bool has_two_stacks = a.has_cross() && a.has_self();
  headline.answer.push_back("It becomes a row of " + grouped(a.d_model) + " numbers, " +
                            (has_two_stacks    ? "which the two stacks change in " + layers + "."
                             : a.n_layers == 1 ? "which " + layers + " changes."
                                               : "which " + layers + " change in turn."));
  headline.answer.push_back(grouped(static_cast<long long>(count_parameters(a))) + " parameters decide how.");
  return headline;
}

Page model_page(const PageInputs& in, const PageSize& size, PageTools& tools) {
  const Diagram plan = layout_diagram(*in.trace, unfolded_layer(in, tools.memo), in.session.selection.head);
  const Places places = places_of(in, plan, size);
  const Page beside = places.is_beside ? stage_page(in, {size.width - places.x, size.height}, tools)
                                       : model_heading(in, size, tools);
  Page page;
  if (!places.is_beside) append(page, beside, 0.0F, 0.0F);
  const float top = page.figure.height;
  const Page diagram = diagram_page(in, plan, places.scale, places.x, tools);
  append(page, diagram, 0.0F, top);
  page.figure.background = diagram.figure.background;
  const auto stage = walked_stage(in, tools.memo);
  if (places.is_beside)
    append(page, beside, places.x, stage ? top_beside(in, *stage, plan, places.scale, size.height) : 0.0F);
  page.figure.width = std::max(size.width, diagram.figure.width);
  return page;
}

}  // namespace headscope
