#include "core/page/model/row_story.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "core/page/model/model_page.h"
#include "core/page/parts/answers.h"
#include "core/page/parts/map_panel.h"
#include "core/page/parts/readable.h"
#include "core/text/number_text.h"
#include "core/trace/explain.h"
#include "core/trace/place_text.h"
#include "core/trace/summary.h"
#include "core/trace/trace.h"

namespace headscope {
namespace {

constexpr float widest_lines = 480.0F;  ///< Of lines that end in numbers.
constexpr std::size_t max_words = 6;

/// Adds one row of a stage as a strip of cells with the tooltips of a map. Without words, or if space is
/// short, the columns of keys have no labels.
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

/// The name of a step of a derivation. The title of a stage replaces its path.
std::string name_of(const Explanation::Step& step) {
  const bool is_path = step.cell && step.label == path(step.cell->stage);
  return is_path ? std::string(info(step.cell->stage.kind).title) : step.label;
}

/// Adds the tokens with the greatest logits of a row.
void add_greatest_logits(PageBuilder& page, const PageInputs& in, PageTools& tools, int row) {
  const StageId logits{.kind = StageKind::logits};
  const StageNumbers numbers = in.trace->read_row(logits, row);
  PageBuilder words(in, tools, std::min(page.width(), widest_lines));
  std::vector<RankedKey> ranked = ranked_keys(numbers.view, 0);
  ranked.resize(std::min(ranked.size(), max_words));
  for (const RankedKey& each : ranked)
    words.row(quoted_word(in.trace->label(logits, Axis::vocabulary, each.key)), number_text(each.weight, 4));
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

/// Adds the way of a query's row through its head: from the query over scores and weights to the sum of the
/// values.
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
  const std::size_t n = derived->steps.size();
  for (std::size_t i = n - std::min(n, max_steps); i < n; ++i)
    steps.row(name_of(derived->steps[i]), number_text(derived->steps[i].value, 4), i + 1 == n);
  page.add(steps.take());
}

}  // namespace

bool has_row_story(const PageInputs& in, const StageId& stage, PageTools& tools) {
  const bool is_hidden = in.session.cover.stage && !in.session.cover.solution;
  return !is_hidden && !in.against() && !in.trace->overflow() && in.other_pages.empty() &&
         followed_row(*in.trace, in.session.selection, stage) && can_read(in, tools, stage);
}

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

}  // namespace headscope
