#include "core/page/heads/heads_page.h"

#include <algorithm>
#include <limits>

#include "core/figure/bars.h"
#include "core/figure/pages.h"
#include "core/figure/text_fit.h"
#include "core/measures/measure.h"
#include "core/measures/measured_heads.h"
#include "core/page/parts/covered.h"
#include "core/page/parts/page_builder.h"
#include "core/split_text.h"
#include "core/trace/place_text.h"

namespace headscope {
namespace {

struct CombinedMap {
  std::shared_ptr<const Trace> trace;
  StageId weights;  ///< Of head 0 in layer 0 of the attention.
  Combine combine = Combine::none;
  int through = 0;  ///< The last layer of a rollout.
  std::vector<HeadIndex> heads;
  bool operator==(const CombinedMap&) const = default;

  using Answer = OwnedMatrix;
  Slices<OwnedMatrix> answer() const {
    if (combine == Combine::rollout) return rollout(*trace, weights.stack, through);
    return combined_weights(*trace, weights, heads, combine == Combine::max);
  }
};

CombinedMap combined_map(const PageInputs& in) {
  const Selection& selection = in.session.selection;
  CombinedMap key{in.trace, with_head(selection.at(StageKind::weights), {}), in.session.heads.combine, 0, {}};
  if (key.combine == Combine::rollout) {
    key.through = selection.layer;
    return key;
  }
  key.heads = selection.heads;
  const int n_of_layer = key.heads.empty() ? in.trace->architecture().n_heads : 0;
  for (int head = 0; head < n_of_layer; ++head) key.heads.push_back({selection.layer, head});
  return key;
}

std::string title_of(const PageInputs& in, const CombinedMap& key) {
  const std::string layer = std::to_string(key.through);
  if (key.combine == Combine::rollout)
    return key.through == 0 ? "Attention rollout of layer 0" : "Attention rollout, layers 0 to " + layer;
  const bool is_picked = !in.session.selection.heads.empty();
  const std::string what = key.combine == Combine::mean ? "Mean weights" : "Largest weights";
  constexpr std::size_t most = 6;
  std::vector<std::string> names;
  for (const HeadIndex& head : key.heads) names.push_back(head_name(head));
  return what + " of " +
         (is_picked ? "heads " + first_texts(names, most)
                    : "all heads of layer " + std::to_string(in.session.selection.layer));
}

std::string meaning_of(const CombinedMap& key) {
  switch (key.combine) {
    case Combine::rollout:
      return "How much of each token's input (column) is in a query's row after layer " +
             std::to_string(key.through) +
             ", if attention alone moved it. A layer is ½ the mean of its heads + ½ the identity, for its residual connection, with rows scaled to sum to 1; the layers are multiplied (Abnar and Zuidema 2020).";
    case Combine::max:
      return "Each cell shows the largest weight that any of these heads has there; rows need not sum to 1.";
    default:
      return "Each cell shows the mean of these heads' weights; rows sum to the same as the heads' rows.";
  }
}

/// Why the map cannot be made. Empty if it can.
std::string why_no_map(const PageInputs& in, const CombinedMap& key) {
  if (key.combine == Combine::rollout && key.weights.attention == AttentionKind::cross)
    return "Rollout follows tokens through self-attention: choose the encoder's or the decoder's own.";
  if (is_too_long_to_measure(*in.trace, in.at(StageKind::weights)))
    return "Not computed: the text has more than " + std::to_string(max_measured_tokens) + " tokens.";
  for (int layer = 0; layer <= key.through; ++layer) {
    if (!in.trace->has(with_layer(key.weights, layer))) return "Computing…";
  }
  const bool are_there = std::ranges::all_of(
      key.heads, [&](const HeadIndex& head) { return in.trace->has(with_head(key.weights, head)); });
  return are_there ? "" : "Computing…";
}

/// Why the map is hidden: it would reveal covered weights. Empty if it is not hidden.
std::string why_covered(const PageInputs& in, PageTools& tools, const CombinedMap& key) {
  const auto head = covered_head(in, tools);
  if (!head) return {};
  const bool takes = key.combine == Combine::rollout ? head->layer <= key.through
                                                     : std::ranges::find(key.heads, *head) != key.heads.end();
  return takes ? "Some weights of head " + head_name(*head) +
                     " are covered: this map is shown once they are found."
               : "";
}

HeatmapSpec spec_of(const PageInputs& in, const CombinedMap& key, const OwnedMatrix& found,
                    OwnedMatrix& numbers) {
  numbers = found;
  HeatmapSpec spec = unscaled_heatmap(*in.trace, in.at(StageKind::weights), in.session.picture);
  spec.drop_header();
  spec.source = source_of(numbers.view());
  constexpr bool is_signed = false;
  spec.scale = ColorScale(in.session.picture, is_signed, numbers.view());
  // The masks of its heads or, under rollout, of the last layer hide cells of the map.
  std::vector<StageId> heads;
  for (const HeadIndex& head : key.heads) heads.push_back(with_head(key.weights, head));
  for (int head = 0; key.heads.empty() && head < key.trace->architecture().n_heads; ++head)
    heads.push_back(with_head(key.weights, {key.through, head}));
  // A share of 0 becomes −∞, as in the maps of single heads, where each of these masks hides the cell. What
  // rollout reaches through another token of a layer below has a share.
  for (int row = 0; row < numbers.rows; ++row) {
    for (int col = 0; col < numbers.cols; ++col) {
      const auto sees = [&](const StageId& head) { return in.trace->mask(head).sees(head.head, row, col); };
      if (numbers.at(row, col) == 0.0F && std::ranges::none_of(heads, sees))
        numbers.at(row, col) = -std::numeric_limits<float>::infinity();
    }
  }
  return spec;
}

/// The mean or the maximum of the picked heads, or of the layer's, or the rollout up to this layer.
Page combined_page(const PageInputs& in, const PageSize& size, PageTools& tools) {
  const CombinedMap key = combined_map(in);
  PageBuilder page(in, tools, size.width);
  page.line({page.bold(title_of(in, key))});
  const std::string hidden = why_covered(in, tools, key);
  const std::string problem = hidden.empty() ? why_no_map(in, key) : hidden;
  if (!problem.empty()) return page.instead(problem);
  const bool can_pick = key.combine != Combine::rollout && !in.in_file;
  page.paragraph(meaning_of(key) + (can_pick ? " Ctrl+click picks heads." : ""));
  const Extent map = in.trace->extent(in.at(StageKind::weights));
  const auto n_maps =
      std::max(static_cast<int>(key.heads.size()), (key.through + 1) * in.trace->architecture().n_heads);
  const bool is_cheap = is_cheap_to_read(std::int64_t{map.rows} * map.cols * n_maps);
  const auto* found = tools.find(key, is_cheap);
  if (found == nullptr || !*found)
    return page.instead(found == nullptr ? "Computing…" : "It cannot be drawn: " + found->error().message);
  std::string name = "combined " + std::to_string(static_cast<int>(key.combine)) + " " +
                     std::to_string(static_cast<int>(key.weights.stack)) +
                     std::to_string(static_cast<int>(key.weights.attention)) + " " +
                     std::to_string(key.through);
  for (const HeadIndex& head : key.heads) name += " " + head_name(head);
  TableSpec table = table_of_pass(in, std::move(name), 64.0F);
  table.marked_row = in.session.selection.token;
  page.add(table_page(
      tools, "combined", table, [&](OwnedMatrix& numbers) { return spec_of(in, key, **found, numbers); },
      page.width(), std::max(size.height - page.y(), 8.0F)));
  return page.take();
}

constexpr float between_columns = 20.0F;
constexpr float min_large = 288.0F;
constexpr float min_map_height = 220.0F;
constexpr float min_about_width =
    280.0F;  ///< The width of a head's description that may stand below the tiles.
/// The side of the tiles below which a head is not described, because they would be too small.
constexpr float min_side_above_about = 60.0F;
constexpr float row_height = 16.0F;  ///< The height of a measure's row.

/// "weights of 144 heads, highest induction first".
std::string heads_heading(const PageInputs& in, std::size_t n_shown) {
  const Architecture& a = in.trace->architecture();
  const auto& sorted = in.session.heads.sorted_by;
  std::string text = std::to_string(n_shown) + " of " +
                     std::to_string(a.layers_of(in.session.selection.stack) * a.n_heads) + " heads";
  if (sorted) text += ", highest " + std::string(record_of(*sorted).title) + " first";
  const StageKind chosen = in.session.selection.stage;
  if (chosen != tile_stage_kind(in)) return text + "; " + std::string(info(chosen).title) + " has no heads";
  if (!sorted && a.n_layers > 1) text += ", a row for each layer";
  return text;
}

/// Draws a measure's name and value and, if there is space, the value as a bar.
void draw_measure(PageBuilder& page, const Box& at, const MeasureRecord& record,
                  const std::optional<double>& value, bool is_role) {
  constexpr float name_width = 108.0F;
  constexpr float number_width = 52.0F;
  const Theme& theme = page.theme();
  const float middle = at.y + 0.5F * at.h;
  Figure& figure = page.figure();
  const auto write = [&](std::string_view text, float x, Font with, HorizontalAnchor anchor) {
    add_text(figure, std::string(text), {x, middle}, theme.text, page_size::small, with, anchor);
  };
  page.page().regions.push_back({at, record.measure});
  write(record.title, at.x, is_role ? Font::sans_bold : Font::sans, HorizontalAnchor::left);
  write(measure_text(record.measure, value), at.right(), Font::mono, HorizontalAnchor::right);
  const float length = at.w - name_width - number_width;
  constexpr float min_bar_width = 24.0F;
  if (record.measure == HeadMeasure::distance || length < min_bar_width) return;
  const float share = std::clamp(static_cast<float>(value.value_or(0.0)), 0.0F, 1.0F);
  draw_share(page.figure(), {at.x + name_width, middle - 3.0F, length, 6.0F}, share,
             is_role ? theme.data : theme.quiet, theme);
}

int measure_columns(const PageSize& size) {
  constexpr float low = 600.0F;
  return size.height < low && size.width >= min_about_width ? 2 : 1;
}

/// Scores of another program's head detector are details unless the heads are sorted by one of them.
bool shows_detector(const PageInputs& in) {
  const auto& sorted = in.session.heads.sorted_by;
  return in.session.picture.details || (sorted && !record_of(*sorted).detector.empty());
}

/// Reserved for the description of a head, so that the map does not move while it is being measured.
float height_of_about(const PageInputs& in, const PageSize& size) {
  if (in.is_slide) return 0.0F;
  const float sentences = shows_detector(in) ? 88.0F : 44.0F;
  const int columns = measure_columns(size);
  const auto n = static_cast<int>(
      std::ranges::count_if(measure_table, [](const auto& record) { return record.detector.empty(); }));
  const int rows = (n + columns - 1) / columns;
  return sentences + static_cast<float>(rows) * row_height;
}

/// Draws the measures that have a value, in one or two columns.
void draw_measures(PageBuilder& page, const HeadMeasures& head, const std::optional<StrongestRole>& role,
                   int columns) {
  constexpr float max_width = 440.0F;
  constexpr float gap = 20.0F;
  const auto n_columns = static_cast<float>(columns);
  const float width = std::min((page.width() - gap * (n_columns - 1.0F)) / n_columns, max_width);
  std::vector<HeadMeasure> there;
  there.reserve(n_measures);
  for (const MeasureRecord& record : measure_table) {
    if (record.detector.empty() && value_of(head, record.measure)) there.push_back(record.measure);
  }
  const std::size_t in_column =
      (there.size() + static_cast<std::size_t>(columns) - 1) / static_cast<std::size_t>(columns);
  for (std::size_t i = 0; i < there.size(); ++i) {
    const std::size_t column = i / in_column;
    const float x = static_cast<float>(column) * (width + gap);
    const float y = page.y() + static_cast<float>(i % in_column) * row_height;
    draw_measure(page, {x, y, width, row_height}, record_of(there[i]), value_of(head, there[i]),
                 role && role->measure == there[i]);
  }
  page.space(static_cast<float>(in_column) * row_height + 4.0F);
}

/// The scores of TransformerLens's head detector under the names that it uses: "detect_head of
/// TransformerLens: previous_token_head 0.31 (mul), −0.20 (abs); …". Empty if there are none.
std::string detector_scores(const PageInputs& in, const HeadMeasures& head) {
  std::string text;
  for (const HeadMeasure mul :
       {HeadMeasure::previous_mul, HeadMeasure::duplicate_mul, HeadMeasure::induction_mul}) {
    const std::string_view name = record_of(mul).detector;
    std::string scores;
    for (const MeasureRecord& record : measure_table) {
      const std::optional<double> score = value_of(head, record.measure);
      if (record.detector != name || !score) continue;
      scores += (scores.empty() ? " " : ", ") + measure_text(record.measure, score) +
                (record.measure == mul ? " (mul)" : " (abs)");
    }
    if (!scores.empty()) text += (text.empty() ? "" : "; ") + std::string(name) + scores;
  }
  if (text.empty()) return text;
  const DetectorOptions& left_out = in.session.heads.detector;
  const std::string options = std::string(left_out.exclude_bos ? ", exclude_bos" : "") +
                              (left_out.exclude_current_token ? ", exclude_current_token" : "");
  return "detect_head of TransformerLens" + options + ": " + text + ".";
}

/// Lists all measures of the selected head, except on a slide, whose map needs the space.
Page head_about(const PageInputs& in, const PageTools& tools, const HeadValues& values,
                const PageSize& size) {
  PageBuilder page(in, tools, size.width);
  const Selection& selection = in.session.selection;
  const HeadIndex place{selection.layer, selection.head};
  if (values.covered == place) page.paragraph(head_sentences(place, values).front());
  if (!values.heads || values.covered == place || in.is_slide) return page.take();
  const HeadMeasures head = values.heads->at(place);
  draw_measures(page, head, learned_role(values, place), measure_columns(size));
  if (shows_detector(in)) page.paragraph(detector_scores(in, head));
  std::string absent;
  for (const MeasureRecord& record : measure_table) {
    if (!record.detector.empty() || value_of(head, record.measure)) continue;
    absent += (absent.empty() ? "Not measured: " : "; ") + std::string(record.title) + " (" +
              why_absent(record.measure, selection.attention) + ")";
  }
  page.paragraph(absent.empty() ? absent : absent + ".");
  return page.take();
}

/// Draws the selected stage of the selected head, or the common map, as large as the space allows.
Page selected_or_common(const PageInputs& in, const PageSize& size, PageTools& tools) {
  if (in.session.heads.combine != Combine::none) return combined_page(in, size, tools);
  PageBuilder page(in, tools, size.width);
  const StageId stage = in.at(in.session.selection.stage);
  page.line({page.bold(heading_title(in, stage.kind)), page.muted(place_text(*in.trace, stage)),
             page.muted(dropout_text(*in.trace, stage.kind))},
            12.0F);
  if (in.trace->has(stage) && in.session.picture.details) formula_line(page, in, stage);
  if (const std::string covered = cover_statement(in, stage, tools); !covered.empty())
    page.line({{covered, Font::sans_bold, page_size::control, page.theme().accent}});
  const MapLook look{.zoomable = true, .frames_row = true, .is_cut = true, .max_cell = 64.0F};
  page.add(map_page(in, tools, "large", stage, size.width, std::max(size.height - page.y(), 8.0F), look));
  return page.take();
}

/// Draws the selected head's map or the common map, and describes what the head does.
Page large_part(const PageInputs& in, PageTools& tools, const HeadValues& values, const PageSize& size) {
  constexpr float beside = 300.0F;
  if (size.width >= 2.0F * beside && size.width > size.height) {
    const float width = size.width - beside - between_columns;
    Page page = selected_or_common(in, {width, size.height}, tools);
    append(page, head_about(in, tools, values, {beside, 2.0F * size.height}), width + between_columns, 0.0F);
    return page;
  }
  const Page about = head_about(in, tools, values, size);
  const float room = std::max(size.height - height_of_about(in, size), min_map_height);
  PageBuilder page(in, tools, size.width);
  page.add(selected_or_common(in, {size.width, room}, tools));
  page.add(about);
  return page.take();
}

/// The layout of the tiles, the description of the selected head and its map.
struct Arrangement {
  TileGrid grid;
  bool side_by_side = false;         ///< The map stands beside the tiles, not below them.
  std::optional<float> about_below;  ///< The height of the description if it stands below the tiles.
};

/// The arrangement with at most this share of the width for the tiles, if they stand beside the map.
Arrangement arrangement_with(const PageInputs& in, int n_tiles, const PageSize& size, float share) {
  const Architecture& a = in.trace->architecture();
  const Extent map = in.trace->extent(in.at(tile_stage_kind(in)));
  const int n_cells = std::max(map.rows, map.cols);
  const int in_row = a.n_layers > 1 ? a.n_heads : 1;
  const float beside = std::min(size.width - min_large - between_columns, share * size.width);
  Arrangement parts;
  if (beside > 0.0F && !is_small_print(in.min_number)) {
    // Smaller tiles leave room for the description below them, and all of the other side for the map.
    const float about = height_of_about(in, {min_about_width, 0.0F});
    parts.grid =
        tile_grid(a, n_tiles, n_cells, {beside, std::max(size.height - about - between_columns, 1.0F)});
    const bool fits = parts.grid.side >= min_side_above_about && parts.grid.width(n_tiles) >= min_about_width;
    if (fits) parts.about_below = about;
    if (!fits) parts.grid = tile_grid(a, n_tiles, n_cells, {beside, size.height});
    parts.side_by_side = parts.grid.columns >= in_row;
  }
  if (!parts.side_by_side)
    parts = {tile_grid(a, n_tiles, n_cells, {size.width, 0.6F * size.height}), false, {}};
  return parts;
}

/// The map is the larger part, unless the tiles of many heads would become too small to be read.
Arrangement arrangement_of(const PageInputs& in, int n_tiles, const PageSize& size) {
  constexpr float usual = 0.45F;
  constexpr float most = 0.66F;
  const Arrangement parts = arrangement_with(in, n_tiles, size, usual);
  const bool is_readable = parts.side_by_side && parts.grid.side >= min_side_above_about;
  return is_readable ? parts : arrangement_with(in, n_tiles, size, most);
}

}  // namespace

Headline heads_headline(const PageInputs& in, PageTools& tools) {
  const Selection& selection = in.session.selection;
  Headline headline{"What does head " + head_label(in.trace->architecture(), selected_head(in)) + " do?", {}};
  const HeadValues values = head_values(in, tools);
  if (values.heads || !values.absent.empty())
    headline.answer = head_sentences({selection.layer, selection.head}, values);
  return headline;
}

Page heads_page(const PageInputs& in, const PageSize& size, PageTools& tools) {
  const HeadValues values = head_values(in, tools);
  const std::vector<HeadIndex> places = shown_heads(in, values);
  PageBuilder page(in, tools, size.width);
  const StageInfo& about = info(tile_stage_kind(in));
  const auto heading = [&](const std::string& legend) {
    PageBuilder text(in, tools, size.width);
    text.line({text.bold(about.title), guess_word(*in.trace, in.at(tile_stage_kind(in)), text.theme()),
               text.muted(heads_heading(in, places.size())), text.muted(legend)},
              12.0F);
    return text.take();
  };
  const auto n = std::max(static_cast<int>(places.size()), 1);
  const float height = std::max(size.height - heading("").figure.height - page_size::spacing, min_map_height);
  const Arrangement parts = arrangement_of(in, n, {size.width, height});
  page.add(heading(legend_of_tiles(in, tools, values, places, parts.grid)));
  PageBuilder tiles(in, tools, parts.side_by_side ? std::max(parts.grid.width(n), 120.0F) : size.width);
  if (places.empty()) {
    tiles.explain("No head reaches this value: lower “at least”.");
  } else {
    tiles.add(head_tiles_page(in, tools, values, places, parts.grid));
  }
  if (parts.side_by_side) {
    const float left = tiles.width() + between_columns;
    const PageSize beside_tiles{size.width - left, height};
    Page large;
    if (parts.about_below) {
      tiles.space(between_columns);
      tiles.add(head_about(in, tools, values, {tiles.width(), *parts.about_below}));
      large = selected_or_common(in, beside_tiles, tools);
    } else {
      large = large_part(in, tools, values, beside_tiles);
    }
    Page both = tiles.take();
    append(both, large, left, 0.0F);
    page.add(both);
  } else {
    page.add(tiles.take());
    page.space(between_columns);
    const float of_large = is_small_print(in.min_number) ? 1.4F * size.width : std::min(height, 480.0F);
    page.add(large_part(in, tools, values, {size.width, of_large}));
  }
  return page.take();
}

PageNumbers heads_numbers(const PageInputs& in, PageTools& tools) {
  const HeadValues values = head_values(in, tools);
  if (!values.heads) return failure(values.absent);
  DataTable heads{"heads", {"head", "layer", "index"}};
  for (const MeasureRecord& measure : measure_table) heads.columns.emplace_back(measure.name);
  const Architecture& a = in.trace->architecture();
  for (int layer = 0; layer < a.layers_of(in.session.selection.stack); ++layer) {
    for (int head = 0; head < a.n_heads; ++head) {
      const HeadMeasures measured = values.heads->at({layer, head});
      std::vector<TableCell> row{head_label(layer, head), layer, head};
      for (const MeasureRecord& measure : measure_table) {
        const std::optional<double> value =
            values.covered == HeadIndex{layer, head} ? std::nullopt : value_of(measured, measure.measure);
        row.push_back(value ? TableCell(*value) : TableCell());
      }
      heads.rows.push_back(std::move(row));
    }
  }
  return std::vector<DataTable>{std::move(heads)};
}

}  // namespace headscope
