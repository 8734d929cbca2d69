#include "app/views/split.h"

#include <algorithm>
#include <cmath>

#include "app/parts/head_rows.h"
#include "app/parts/place_picker.h"
#include "app/parts/stage_map.h"
#include "app/ui/figure_painter.h"
#include "app/widgets/panel.h"
#include "app/widgets/text.h"
#include "core/figure/column_groups.h"
#include "core/figure/head_scores.h"
#include "core/figure/split_figure.h"
#include "core/trace/derivation.h"

namespace headscope {
namespace {

constexpr float between = 32.0F;

/// The document's example: the same six numbers as query and key, in two heads and in three; before them in
/// one, where there is room for it.
std::vector<Figure> examples(const Frame& frame) {
  const std::vector<float> numbers{1.0F, 2.0F, 3.0F, 4.0F, 5.0F, 6.0F};
  std::vector<Figure> figures;
  float width = 0.0F;
  for (const int n_heads : {1, 2, 3}) {
    figures.push_back(
        draw_split({numbers, numbers, n_heads, frame.session.picture}, frame.ui.theme(), frame.ui.measure()));
    width += figures.back().width + between;
  }
  const float room = ImGui::GetContentRegionAvail().x / frame.ui.scale();
  if (width - between > room) figures.erase(figures.begin());
  return figures;
}

void worked_example(Frame& frame) {
  const Theme& theme = frame.ui.theme();
  text_line(frame.ui,
            {{"A row is split, not copied", Font::sans_bold, text_size::title, theme.text},
             {"six numbers in two heads and in three", Font::sans, text_size::small, theme.quiet}},
            12.0F);
  paragraph(frame.ui,
            "Each head compares only its own part of query and key, and divides the product by √d_head, so "
            "that longer parts do not give larger scores.",
            theme.quiet, text_size::body);
  ImGui::Dummy({0.0F, frame.ui.px(4.0F)});
  const std::vector<Figure> figures = examples(frame);
  for (const Figure& figure : figures) {
    if (&figure != &figures.front()) {
      ImGui::SameLine(0.0F, frame.ui.px(between));
      if (ImGui::GetContentRegionAvail().x < figure.width * frame.ui.scale()) ImGui::NewLine();
    }
    figure_item(frame.ui, figure);
  }
}

/// The cell of a map of this attention that is pinned, or under the mouse.
std::optional<Pin> pointed_at(const Frame& frame) {
  const StageId place = selected_stage(frame, StageKind::raw);
  for (const auto& pin : {frame.session.selection.pin, frame.screen.hovered}) {
    if (!pin || !is_map(pin->stage.kind)) continue;
    const StageId& at = pin->stage;
    const bool here = at.stack == place.stack && at.layer == place.layer && at.attention == place.attention;
    const MatrixView scores = frame.trace->value(place);
    if (here && pin->row < scores.rows && pin->col < scores.cols) return pin;
  }
  return std::nullopt;
}

/// The selected token and the key that is pointed at; else the token's own key.
QueryAndKey shown_pair(const Frame& frame) {
  const MatrixView scores = frame.trace->value(selected_stage(frame, StageKind::raw));
  const auto pointed = pointed_at(frame);
  const int token = std::min(frame.session.selection.token.value_or(0), std::max(scores.rows - 1, 0));
  if (!pointed) return {token, std::min(token, scores.cols - 1)};
  const bool pinned = pointed == frame.session.selection.pin;
  return {pinned ? token : pointed->row, pointed->col};
}

std::string width_in_words(const Architecture& a) {
  const int all = a.n_heads * a.head_width();
  const std::string heads = std::to_string(a.n_heads) + (a.n_heads == 1 ? " head × " : " heads × ") +
                            std::to_string(a.head_width());
  if (all == a.d_model) return "d_model " + std::to_string(a.d_model) + " = " + heads;
  return heads + " = " + std::to_string(all) + " numbers from d_model " + std::to_string(a.d_model);
}

void own_heading(Frame& frame, const QueryAndKey& pair) {
  const Theme& theme = frame.ui.theme();
  const Trace& trace = *frame.trace;
  const StageId place = selected_stage(frame, StageKind::raw);
  const std::string names = "“" + trace.label(place, Axis::query_tokens, pair.query) + "” looks at “" +
                            trace.label(place, Axis::key_tokens, pair.key) + "”";
  text_line(frame.ui,
            {{names, Font::sans_bold, text_size::title, theme.text},
             {width_in_words(trace.architecture()), Font::mono, text_size::mono, theme.text}},
            16.0F);
  const bool turned = trace.has(selected_stage(frame, StageKind::rotated_query));
  const std::string said = "Query " + std::to_string(pair.query) + " and key " + std::to_string(pair.key) +
                           (turned ? ", both rotated by their positions" : "") +
                           ". Hover over the map of scores for another pair; click to pin it.";
  paragraph(frame.ui, said, theme.quiet, text_size::body);
}

HeadScoresSpec scores_of(const Frame& frame, const QueryAndKey& pair) {
  HeadScoresSpec spec;
  const Trace& trace = *frame.trace;
  const int n_heads = trace.architecture().n_heads;
  for (int head = 0; head < n_heads; ++head) {
    StageId id = selected_stage(frame, StageKind::raw);
    id.head = head;
    const double raw = trace.value(id)(pair.query, pair.key);
    id.kind = StageKind::scaled;
    const double scaled = trace.value(id)(pair.query, pair.key);
    spec.heads.push_back({raw, scaled, head_color(frame.session.picture, head, n_heads)});
  }
  spec.divisor = score_divisor_text(trace);
  spec.chosen = frame.session.selection.head;
  return spec;
}

/// A click on a head's line selects it.
void head_scores(Frame& frame, const QueryAndKey& pair, float width) {
  HeadScoresSpec spec = scores_of(frame, pair);
  const float scale = frame.ui.scale();
  const ImVec2 origin = ImGui::GetCursorScreenPos();
  invisible_button("head scores", {width, head_scores_height(spec) * scale});
  if (ImGui::IsItemHovered()) {
    spec.hovered = head_score_at(spec, to_figure(ImGui::GetIO().MousePos, origin, scale).y);
    if (spec.hovered && ImGui::IsMouseClicked(0)) frame.emit(SelectHead{*spec.hovered});
  }
  const Figure figure = draw_head_scores(spec, width / scale, frame.ui.theme(), frame.ui.measure());
  paint_figure(frame.ui, *ImGui::GetWindowDrawList(), figure, origin, scale);
}

void scaled_map(Frame& frame, ImVec2 size) {
  const StageId scaled = selected_stage(frame, StageKind::scaled);
  constexpr bool padded = false;
  begin_child("scaled map", size, padded, ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse);
  const Theme& theme = frame.ui.theme();
  const std::string title = "Scaled scores of head " + std::to_string(scaled.head);
  text_line(frame.ui,
            {{title, Font::sans_bold, text_size::body, theme.text},
             {formula(*frame.trace, scaled), Font::mono, text_size::small, theme.quiet}},
            12.0F);
  MapLook look;
  look.font_size = 12.0F;
  look.max_cell = 32.0F;
  stage_map(frame, "split scaled", scaled, ImGui::GetContentRegionAvail(), look);
  ImGui::EndChild();
}

void own_row(Frame& frame) {
  const QueryAndKey pair = shown_pair(frame);
  own_heading(frame, pair);
  head_rows(frame, pair);
  ImGui::Dummy({0.0F, frame.ui.px(4.0F)});
  const float width = ImGui::GetContentRegionAvail().x;
  const float spacing = frame.ui.px(24.0F);
  const bool side_by_side = width > frame.ui.px(560.0F);
  const float list = side_by_side ? std::min((width - spacing) * 0.52F, frame.ui.px(480.0F)) : width;
  const float map = side_by_side ? width - list - spacing : width;
  head_scores(frame, pair, list);
  if (side_by_side) ImGui::SameLine(0.0F, spacing);
  scaled_map(frame,
             {map, std::clamp(ImGui::GetContentRegionAvail().y, frame.ui.px(300.0F), frame.ui.px(520.0F))});
}

}  // namespace

void split_view(Frame& frame) {
  const Panel panel(frame.ui, "split", ImGui::GetContentRegionAvail(), PanelScroll::vertical);
  worked_example(frame);
  divider(frame.ui);
  place_picker(frame);
  if (!frame.trace->has(selected_stage(frame, StageKind::scaled))) {
    text(frame.ui, "Computing…", Font::sans, text_size::title, frame.ui.theme().quiet);
    return;
  }
  own_row(frame);
}

}  // namespace headscope
