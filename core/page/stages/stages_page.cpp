#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <utility>

#include "core/enum_count.h"
#include "core/page/pages.h"
#include "core/page/parts/page_builder.h"
#include "core/text/number_text.h"
#include "core/trace/place_text.h"

namespace headscope {
namespace {

/// One heading per section of the page.
constexpr auto headings = make_enum_table<PageSection, const char*>(
    "", "Where it began: what enters the model", "Before: what enters the layer", "Queries, keys and values",
    "Scores", "Weights and output", "Back to the model's width", "Feed-forward, token by token",
    "What leaves the stack");

/// The page is about one layer. What enters the model belongs to the page of the first layer, and what leaves
/// it to that of the last. If there is only one layer and no final norm, the output of the stack would only
/// repeat that of the layer.
bool belongs_to_page(const PageInputs& in, StageKind kind) {
  const int layer = in.session.selection.layer;
  const Architecture& a = in.trace->architecture();
  const StageId stage = in.at(kind);
  if (!in.trace->has(stage) || !in.trace->uses(stage)) return false;
  if (kind == StageKind::stack_output)
    return layer == a.layers_of(stage.stack) - 1 && (a.n_layers > 1 || a.has_final_norm(stage.stack));
  const bool is_behind = kind > StageKind::layer_output;
  if (info(kind).scope == StageScope::stack) return layer == (is_behind ? a.layers_of(stage.stack) - 1 : 0);
  return (kind != StageKind::layer_input && kind != StageKind::streams_input) || layer != 0;
}

constexpr float between_stages = 24.0F;

/// The number of maps side by side and the space of each. Wide maps take the full width.
std::pair<int, PageSize> layout_of(const PageInputs& in, const std::vector<StageKind>& kinds, float width) {
  constexpr float wide = 2.5F;
  float aspect = 0.0F;
  float widest = 0.0F;
  for (const StageKind kind : kinds) {
    const Extent values = in.trace->extent(in.at(kind));
    const auto rows = static_cast<float>(values.rows);
    const auto cols = static_cast<float>(values.cols);
    aspect = std::max(aspect, rows / cols);
    widest = std::max(widest, cols / rows);
  }
  const auto n = static_cast<int>(kinds.size());
  const bool is_narrow = width <= 480.0F;
  // A wider page never has narrower maps: three stand side by side where each is as wide as the widest of
  // two.
  constexpr float room_for_three = 972.0F;
  const int most = is_narrow ? 1 : width >= room_for_three ? 3 : 2;
  const int n_columns = widest < wide ? std::min(n, most) : 1;
  const auto columns = static_cast<float>(std::max(n_columns, widest < wide && !is_narrow ? 2 : 1));
  const float each = (width - between_stages * (columns - 1.0F)) / columns;
  constexpr float room_of_labels = 96.0F;
  return {n_columns, {each, std::clamp(each * aspect * 0.75F + room_of_labels, 140.0F, 420.0F)}};
}

Page one_stage(const PageInputs& in, PageTools& tools, StageKind kind, const PageSize& room) {
  const StageId stage = in.at(kind);
  PageBuilder page(in, tools, room.width);
  const bool chosen = kind == in.session.selection.stage;
  const bool details = in.session.picture.details;
  const std::string shape = details ? shape_text(in.trace->extent(stage)) : "";
  const StageId selected = in.at(in.session.selection.stage);
  const bool is_read =
      in.trace->has(selected) && std::ranges::count(inputs_of(*in.trace, selected), stage) > 0;
  const std::string leads_to = is_read ? "→ " + std::string(info(selected.kind).title) : "";
  page.line({{details ? info(kind).name : info(kind).title, Font::sans_bold, page_size::body,
              chosen ? page.theme().accent : page.theme().text},
             {shape, Font::mono, page_size::small, page.theme().quiet},
             {leads_to, Font::sans_bold, page_size::small, page.theme().accent}});
  if (chosen) add_box(page.figure(), {0.0F, page.y() - 4.0F, room.width, 2.0F}, page.theme().accent);
  formula_line(page, in, stage);
  const MapLook look{.numbers = false, .is_cut = true, .max_cell = 40.0F, .font_size = 11.0F};
  const std::string slot = "stages " + std::string(info(kind).name);
  page.add(map_page(in, tools, slot, stage, room.width, room.height, look));
  page.paragraph(std::string(info(kind).meaning));
  return page.take();
}

bool is_wide(const PageInputs& in, StageKind kind) {
  constexpr int wide = 5;  // In halves of the height.
  const Extent values = in.trace->extent(in.at(kind));
  return std::int64_t{2} * values.cols >= std::int64_t{wide} * values.rows;
}

/// Places maps beside each other, as many as fit.
void add_tiles(const PageInputs& in, PageTools& tools, const std::vector<StageKind>& kinds,
               PageBuilder& page) {
  if (kinds.empty()) return;
  const auto [columns, room] = layout_of(in, kinds, page.width());
  std::vector<Page> tiles;
  for (const StageKind kind : kinds) tiles.push_back(one_stage(in, tools, kind, room));
  page.add_rows(tiles, static_cast<std::size_t>(columns), room.width + between_stages);
}

/// The order: what attention computes, what becomes of it, and what the pass started from.
constexpr std::array sections{PageSection::projections, PageSection::scores,       PageSection::weights,
                              PageSection::model_width, PageSection::feed_forward, PageSection::model_output,
                              PageSection::model_input, PageSection::layer_input};

/// The stages of a section that have wide maps, or those whose maps fit beside each other.
std::vector<StageKind> stages_of(const PageInputs& in, PageSection part, bool are_wide) {
  std::vector<StageKind> stages;
  for (const StageInfo& about : all_stage_kinds()) {
    if (about.section == part && belongs_to_page(in, about.kind) && is_wide(in, about.kind) == are_wide)
      stages.push_back(about.kind);
  }
  return stages;
}

/// A presentation has space for the stages of attention alone or, if another one is selected, for its
/// section. The slide of a file, which cannot be scrolled, always has the section of the selected stage
/// alone.
bool has_space(const PageInputs& in, PageSection part) {
  using enum PageSection;
  const auto is_of_head = [](PageSection each) {
    return each == projections || each == scores || each == weights;
  };
  const PageSection selected = info(in.session.selection.stage).section;
  return !in.is_slide || part == selected || (!in.in_file && is_of_head(part) && is_of_head(selected));
}

}  // namespace

std::vector<StageKind> stages_on_page(const PageInputs& in) {
  std::vector<StageKind> all;
  for (const PageSection part : sections) {
    for (const bool are_wide : {false, true})
      std::ranges::copy(stages_of(in, part, are_wide), std::back_inserter(all));
  }
  return all;
}

Headline stages_headline(const PageInputs& in, PageTools& /*tools*/) {
  const Trace& trace = *in.trace;
  const StageId output = in.at(StageKind::output);
  const std::string label = head_label(trace.architecture(), selected_head(in));
  Headline headline{"How does head " + label + " get from the words to its output?", {}};
  if (!trace.has(output)) return headline;
  const Extent size = trace.extent(output);
  headline.answer.push_back("It turns " + count_text(size.rows, "row") + " of " +
                            grouped(trace.architecture().d_model) + " numbers into " +
                            count_text(size.rows, "row") + " of " + grouped(size.cols) + ".");
  return headline;
}

Page stages_page(const PageInputs& in, const PageSize& size, PageTools& tools) {
  PageBuilder page(in, tools, size.width);
  const StageId head = in.at(StageKind::weights);
  page.line({page.bold(place_text(*in.trace, head) + ", step by step", page_size::title),
             guess_word(*in.trace, head, page.theme()), page.muted("a row for each token")},
            16.0F);
  for (const PageSection part : sections) {
    if (!has_space(in, part)) continue;
    const std::vector<StageKind> tiles = stages_of(in, part, false);
    const std::vector<StageKind> wide = stages_of(in, part, true);
    if (tiles.empty() && wide.empty()) continue;
    page.section(headings[index_of(part)]);
    add_tiles(in, tools, tiles, page);
    add_tiles(in, tools, wide, page);
  }
  return page.take();
}

}  // namespace headscope
