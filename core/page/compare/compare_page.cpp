#include "core/page/compare/compare_page.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/engine/part_effects.h"
#include "core/figure/heatmap_metrics.h"
#include "core/figure/pages.h"
#include "core/model/interventions.h"
#include "core/page/pages.h"
#include "core/page/parts/answers.h"
#include "core/text/number_text.h"
#include "core/trace/summary.h"

namespace headscope {
namespace {

/// The gap between two tiles, and below each.
constexpr float between_tiles = 16.0F;

/// The smallest tile with a map, its labels and its colour bar. More tiles make the page higher.
constexpr float min_tile_width = 200.0F;
constexpr float min_tile_height = 150.0F;
constexpr float beside_map = 90.0F;  ///< Approximate width of the colour bar.
/// On a narrower page, such as a column of a paper, every map has a line of its own, and all of its labels.
constexpr float narrow_page = 480.0F;

/// The columns of the grid with the largest maps, higher than the room if that is too small, and the size of
/// a tile's map with its labels and colour bar. Its caption lies above it; `caption` is the height of that.
std::pair<int, PageSize> tiles_of(int n, float width, float height, float caption) {
  const int most =
      width < narrow_page
          ? 1
          : std::clamp(static_cast<int>((width + between_tiles) / (min_tile_width + between_tiles)), 1, n);
  const auto tile_in = [&](int columns) -> PageSize {
    const int rows = (n + columns - 1) / columns;
    return {(width - between_tiles * static_cast<float>(columns - 1)) / static_cast<float>(columns),
            height / static_cast<float>(rows) - caption - between_tiles};
  };
  int best = 1;
  float largest = 0.0F;
  for (int columns = 1; columns <= most; ++columns) {
    const PageSize tile = tile_in(columns);
    const float side = std::min(tile.width - beside_map, tile.height);
    if (side <= largest) continue;
    largest = side;
    best = columns;
  }
  // In a short window the tiles have to scroll anyway, so make them taller.
  const float least = width < narrow_page               ? 0.8F * width
                      : height < 1.5F * min_tile_height ? 1.5F * min_tile_height
                                                        : min_tile_height;
  const PageSize tile = tile_in(best);
  return {best, {std::floor(tile.width), std::max(std::floor(tile.height), least)}};
}

constexpr float max_cell_side = 72.0F;
constexpr int own = edited_subject;
float words_height(std::size_t n) {
  return 44.0F + 23.0F * static_cast<float>(n);
}

std::vector<PageInputs> all_subjects(const PageInputs& in) {
  std::vector<PageInputs> subjects;
  subjects.reserve(in.session.compared.size() + 1);
  for (int compared = 0; compared < static_cast<int>(in.session.compared.size()); ++compared)
    subjects.push_back(inputs_of_subject(in, compared));
  subjects.push_back(inputs_of_subject(in, own));
  return subjects;
}

/// Gives all maps one colour scale: their common range, once the ranges of all are known.
void share_range(std::vector<PageInputs>& subjects, StageKind kind) {
  PictureOptions picture = subjects.front().session.picture;
  if (picture.range == RangeMode::row || picture.range == RangeMode::fixed) return;
  double high = 0.0;
  const bool is_signed = info(kind).is_signed;
  for (const PageInputs& in : subjects) {
    const Trace* trace = in.trace.get();
    if (trace == nullptr || !trace->has(in.at(kind))) continue;
    for (const StageId& stage : stages_sharing_range(*trace, in.at(kind), picture.range)) {
      const Extent size = trace->extent(stage);
      auto stats = trace->cached_stats(stage);
      // The statistics of a large map are known only after it has been drawn.
      if (!stats && is_cheap_to_read(std::int64_t{size.rows} * size.cols)) stats = trace->stats(stage);
      if (!stats) return;
      high = std::max(high, is_signed ? stats->visible_magnitude : stats->maximum);
    }
  }
  // Maps without a range of their own, such as shares from 0 to 1, already have the same scale.
  if (!(high > 0.0)) return;
  picture.range = RangeMode::fixed;
  picture.fixed_low = is_signed ? -high : 0.0;
  picture.fixed_high = high;
  for (PageInputs& in : subjects) in.session.picture = picture;
}

struct Tile {
  float width = 0.0F;
  Page caption;
  Page map;
  float cells_top = 0.0F;  ///< Measured from the top of the map.
};

/// Adds the map to a tile, just high enough for its contents.
void add_map(const PageInputs& in, PageTools& tools, const std::string& slot, float height,
             const MapLook& look, Tile& tile) {
  const StageId stage = in.at(in.session.selection.stage);
  tile.map = map_page(in, tools, slot, stage, tile.width, height, look);
  const MapPanel& panel = tools.memo.maps[slot];
  if (!panel.problem.empty()) return;
  tile.map.figure.height = panel.layout.content.bottom();
  tile.cells_top = panel.layout.cells.y;
}

Tile subject_tile(const PageInputs& in, PageTools& tools, const PageInputs& all, const PageSize& room,
                  const MapLook& look) {
  const int compared = look.compared;
  Tile tile{room.width, subject_caption(in, tools, compared, all.session, room.width), {}};
  if (in.trace) {
    add_map(in, tools, "compare " + subject_name(compared), room.height, look, tile);
  } else {
    const bool is_known = compared != own && compared < static_cast<int>(all.compared.size());
    const std::string problem = is_known ? all.compared[static_cast<std::size_t>(compared)].problem : "";
    PageBuilder text(in, tools, room.width);
    text.paragraph(problem.empty() ? "Computing…" : "There is nothing to compare with: " + problem);
    tile.map = text.take();
  }
  return tile;
}

Tile difference_tile(const PageInputs& in, PageTools& tools, const PageSize& room, const MapLook& look) {
  PageInputs changed = in;
  changed.session.difference = true;
  Tile tile{room.width, difference_caption(in, tools, room.width), {}};
  if (changed.against()) add_map(changed, tools, "compare difference", room.height, look, tile);
  return tile;
}

/// Places tiles beside each other with the cells of their maps at the same height.
Page line_of(const std::vector<Tile>& tiles) {
  float captions = 0.0F;
  float cells_top = 0.0F;
  for (const Tile& tile : tiles) {
    captions = std::max(captions, tile.caption.figure.height);
    cells_top = std::max(cells_top, tile.cells_top);
  }
  Page line;
  float x = 0.0F;
  for (const Tile& tile : tiles) {
    append(line, tile.caption, x, 0.0F);
    append(line, tile.map, x, captions + page_size::spacing + (cells_top - tile.cells_top));
    x += tile.width + between_tiles;
  }
  return line;
}

/// The width of the row labels, if they are the same in all maps, and 0 if not.
float shared_labels_width(const std::vector<PageInputs>& subjects, StageKind kind,
                          const MeasureText& measure) {
  // Leaving out labels must not make rows lower, and square cells that are this few are high enough for
  // labels.
  constexpr int most_rows = 20;
  if (!is_map(kind)) return 0.0F;
  constexpr float widest = 90.0F;
  const auto row_of = [&](const PageInputs& in, int row) {
    return in.trace->label(in.at(kind), info(kind).rows, row);
  };
  const PageInputs& own_pass = subjects.back();
  if (!own_pass.trace || !own_pass.trace->has(own_pass.at(kind))) return 0.0F;
  const int n_rows = own_pass.trace->extent(own_pass.at(kind)).rows;
  const bool are_as_many = std::ranges::all_of(subjects, [&](const PageInputs& in) {
    return in.trace && in.trace->has(in.at(kind)) && in.trace->extent(in.at(kind)).rows == n_rows;
  });
  if (!are_as_many || n_rows > most_rows) return 0.0F;
  float width = 0.0F;
  for (int row = 0; row < n_rows; ++row) {
    const std::string label = row_of(own_pass, row);
    if (std::ranges::any_of(subjects, [&](const PageInputs& in) { return row_of(in, row) != label; }))
      return 0.0F;
    width = std::max(width, measure(label, Font::sans, page_size::small).width);
  }
  return std::min(width, widest) + heatmap_metrics::label_distance;
}

/// The widths and looks of tiles `first` to `end` − 1 of `n` beside each other. Their maps have the same
/// width; the tiles are narrower where they share the colour bar of the last one or, if `shared_labels` is
/// the width of equal row labels, those of the first one. The last of all tiles is the difference.
std::vector<std::pair<float, MapLook>> looks_of(int first, int end, int n, const PageSize& size,
                                                bool same_colors, float shared_labels) {
  /// An upper bound, so that the cells of a map without a bar also fit beside a bar.
  constexpr float bar_width = 48.0F;
  const int last_subject = std::min(end, n - 1) - 1;
  std::vector<std::pair<float, MapLook>> looks;
  float saved = 0.0F;
  for (int i = first; i < end; ++i) {
    const bool has_bar = !same_colors || i >= last_subject;
    const bool has_rows = i == first || shared_labels == 0.0F;
    const float less = (has_bar ? 0.0F : bar_width) + (has_rows ? 0.0F : shared_labels);
    saved += less;
    const MapLook look{.row_labels = has_rows,
                       .axes = false,
                       .color_bar = has_bar,
                       .color_bar_label = false,
                       .selects_rows = shared_labels > 0.0F,
                       .uses_own_range = true,
                       .compared = i + 2 >= n ? own : i,
                       .max_cell = max_cell_side,
                       .font_size = std::min(size.width, size.height) < 200.0F ? 9.0F : 11.0F};
    looks.emplace_back(size.width - less, look);
  }
  for (auto& [width, look] : looks) width += std::floor(saved / static_cast<float>(looks.size()));
  return looks;
}

/// The cell width of the first map, which the others must not exceed. The usual one if it is zoomed.
float first_cell(const PageTools& tools) {
  const auto found = tools.memo.maps.find("compare A");
  if (found == tools.memo.maps.end()) return max_cell_side;
  const HeatmapLayout& layout = found->second.layout;
  const bool is_whole = layout.n_cols == found->second.extent.cols && layout.cell_width >= 1.0F;
  return is_whole ? std::min(max_cell_side, layout.cell_width) : max_cell_side;
}

/// Matches the cells of the compared maps with those of the edited subject's map.
void match_cells(const PageInputs& in, std::map<int, ComparedCells>& comparison) {
  const std::vector<PageInputs> subjects = all_subjects(in);
  const StageId stage = in.at(in.session.selection.stage);
  for (int compared = 0; compared < static_cast<int>(in.session.compared.size()); ++compared) {
    const PageInputs& other = subjects[static_cast<std::size_t>(compared)];
    const StageId compared_stage = other.at(stage.kind);
    ComparedCells& kept = comparison[compared];
    const bool is_same = kept.trace == in.trace && kept.compared_trace == other.trace &&
                         kept.stage == stage && kept.compared_stage == compared_stage;
    if (is_same) continue;
    kept = {in.trace, other.trace, stage, compared_stage, {}};
    if (!other.trace) continue;
    if (auto found = counterparts({*in.trace, stage, *other.trace, compared_stage}))
      kept.cells = std::move(*found);
  }
}

/// The row of the logits whose words are listed.
std::optional<int> asked_row(const PageInputs& in) {
  if (!in.trace || !has_predictions(in)) return std::nullopt;
  return listed_row(in);
}

/// Equal columns for the answers of `n` subjects, if their maps do not stand beside each other. On a narrow
/// page, the answers stand below each other.
std::vector<Box> equal_columns(std::size_t n, float width) {
  if (width < narrow_page) return std::vector(n, Box{.w = width});
  const float each = (width + between_tiles) / static_cast<float>(n) - between_tiles;
  std::vector<Box> columns;
  for (std::size_t i = 0; i < n; ++i)
    columns.push_back({.x = static_cast<float>(i) * (each + between_tiles), .w = each});
  return columns;
}

/// Adds the answer of each subject in its column. `beside` is placed right of them.
void add_words(const std::vector<PageInputs>& subjects, const std::vector<Box>& columns, PageTools& tools,
               std::size_t most, const Page& beside, float left_of_beside, PageBuilder& page) {
  Page line;
  append(line, beside, left_of_beside, 0.0F);
  float widest = 0.0F;
  for (const PageInputs& in : subjects) {
    if (const auto row = asked_row(in))
      widest = std::max(widest, ranked_words_width(in, *row, most, tools.measure));
  }
  for (std::size_t i = 0; i < subjects.size(); ++i) {
    const PageInputs& in = subjects[i];
    const int compared = i + 1 == subjects.size() ? own : static_cast<int>(i);
    PageBuilder words(in, tools, columns[i].w);
    const auto row = asked_row(in);
    const std::string said = row ? prediction_heading(*in.trace, *row) : "This model predicts no words.";
    words.line({{subject_name(compared), Font::sans_bold, page_size::body, words.theme().accent},
                {said, Font::sans, page_size::control, words.theme().text}},
               10.0F);
    if (row) add_ranked_words(words, in, *row, most, UnknownWords::listed, widest);
    if (row) answer_notes(words, in, tools, *row);
    const bool is_below = i > 0 && columns[i].x == 0.0F;
    append(line, words.take(), columns[i].x, is_below ? line.figure.height + between_tiles : 0.0F);
  }
  // The part beside the words may appear later, and must not move anything then.
  line.figure.height = std::max(line.figure.height, words_height(most));
  page.add(line);
}

std::string describe_difference(const Session& session) {
  const std::string differs = what_differs(session);
  if (differs.empty()) return "Nothing differs yet: change anything, and B follows.";
  const std::optional<ChangedWord> word = changed_word(session);
  return word ? "One word differs: “" + word->in_a + "” in A, “" + word->in_b + "” in B."
              : "What differs: " + differs + ".";
}

/// States the answers of A and B: "For “it”, the answer is “street” in A (0.992) and “animal” in B (0.999)."
/// Empty if the two answers are not about the same word.
std::string describe_answers(const PageInputs& a, const PageInputs& b) {
  const auto row_of_a = asked_row(a);
  const auto row_of_b = asked_row(b);
  if (!row_of_a || !row_of_b || predicts_masked_words(*a.trace) != predicts_masked_words(*b.trace)) return {};
  if (answers_unknown(*a.trace, *row_of_a) || answers_unknown(*b.trace, *row_of_b)) return {};
  const auto asked = [](const PageInputs& in, int row) {
    return in.trace->label(logits_stage, Axis::query_tokens, row);
  };
  const std::string word = asked(b, *row_of_b);
  if (asked(a, *row_of_a) != word) return {};
  const auto answer_of = [](const PageInputs& in, int row) {
    const int likeliest = likeliest_word(*in.trace, row);
    const float share = in.trace->number(probabilities_stage, row, likeliest);
    return std::pair(quoted_word(in.trace->label(logits_stage, Axis::vocabulary, likeliest)),
                     in.number(share));
  };
  const auto of_a = answer_of(a, *row_of_a);
  const auto of_b = answer_of(b, *row_of_b);
  const std::string begin = predicts_masked_words(*b.trace)
                                ? "For " + quoted_word(word) + ", the answer is "
                                : "After " + quoted_word(word) + ", the likeliest word is ";
  if (of_a.first == of_b.first)
    return begin + of_b.first + " in both: " + of_a.second + " in A, " + of_b.second + " in B.";
  return begin + of_a.first + " in A (" + of_a.second + ") and " + of_b.first + " in B (" + of_b.second +
         ").";
}

/// The greatest weights of a row of B and of the same row in A. Empty if the row is not in both, or while a
/// pass is being computed.
std::optional<std::pair<RankedKey, RankedKey>> strongest_of_row(const PageInputs& a, const PageInputs& b,
                                                                const ComparedCells& cells, int query) {
  const auto row = static_cast<std::size_t>(query);
  if (!a.trace || !b.trace || row >= cells.cells.rows.size()) return std::nullopt;
  const auto in_a = strongest_key(*a.trace, a.at(StageKind::weights), cells.cells.rows[row]);
  const auto in_b = strongest_key(*b.trace, b.at(StageKind::weights), query);
  if (!in_a || !in_b) return std::nullopt;
  return std::pair(*in_a, *in_b);
}

/// The cell of the weights that changes most, as the map of the difference shows it. Empty if no cell changes
/// by more than `least`, or if the map has many rows.
std::optional<CellIndex> max_changed_cell(const PageInputs& a, const PageInputs& b, double least) {
  constexpr int max_rows = 64;
  if (!a.trace || !b.trace) return std::nullopt;
  const auto difference =
      difference_source({*b.trace, b.at(StageKind::weights), *a.trace, a.at(StageKind::weights)});
  if (!difference) return std::nullopt;
  const Extent size = (*difference)->extent();
  if (size.rows > max_rows) return std::nullopt;
  std::optional<CellIndex> most;
  for (int row = 0; row < size.rows; ++row) {
    const StageNumbers changes = (*difference)->read({row, 0, 1, size.cols});
    for (int col = 0; col < size.cols; ++col) {
      const double change = std::abs(static_cast<double>(changes.view(0, col)));
      if (!(change > least)) continue;  // A cell that is hidden in both has no difference.
      least = change;
      most = {row, col};
    }
  }
  return most;
}

/// States where the selected word looks in A and in B: "“it” gives 0.992 to “street” in A, and 0.998 to
/// “animal” in B." If that is nearly the same, states what changes most. Empty if more than two subjects are
/// compared, or if they have no word in common.
std::string finding_of(const PageInputs& in, const std::vector<PageInputs>& subjects,
                       const ComparedCells& comparison) {
  constexpr std::size_t two = 2;
  constexpr double little = 0.05;
  const auto selected = in.session.selection.token;
  const bool is_of_weights = info(in.session.selection.stage).is_share;
  if (subjects.size() != two || !selected || !is_of_weights) return {};
  const PageInputs& a = subjects.front();
  const PageInputs& b = subjects.back();
  const auto word = [](const PageInputs& of, Axis axis, int index) {
    return quoted_word(of.trace->label(of.at(StageKind::weights), axis, index));
  };
  const auto row = strongest_of_row(a, b, comparison, *selected);
  const auto is_telling = [&](const RankedKey& of_a, const RankedKey& of_b) {
    const std::string key_in_a = a.trace->label(a.at(StageKind::weights), Axis::key_tokens, of_a.key);
    return key_in_a != b.trace->label(b.at(StageKind::weights), Axis::key_tokens, of_b.key) ||
           std::abs(static_cast<double>(of_b.weight) - static_cast<double>(of_a.weight)) >= little;
  };
  const auto changed =
      row && is_telling(row->first, row->second) ? std::nullopt : max_changed_cell(a, b, little);
  if (!row && !changed) return {};
  const auto share = [&](float weight) { return in.number(weight); };
  const int query = changed ? changed->row : *selected;
  const int query_in_a = comparison.cells.rows[static_cast<std::size_t>(query)];
  const int key_in_b = changed ? changed->col : row->second.key;
  const int key_in_a =
      changed ? comparison.cells.cols[static_cast<std::size_t>(changed->col)] : row->first.key;
  const auto weight = [](const PageInputs& of, int at_query, int at_key) {
    return of.trace->number(of.at(StageKind::weights), at_query, at_key);
  };
  const std::string in_a = share(weight(a, query_in_a, key_in_a));
  const std::string in_b = share(weight(b, query, key_in_b));
  const std::string word_a = word(a, Axis::query_tokens, query_in_a) + " gives ";
  const std::string word_b = word(b, Axis::query_tokens, query) + " gives ";
  const std::string to_a = word(a, Axis::key_tokens, key_in_a);
  const std::string to_b = word(b, Axis::key_tokens, key_in_b);
  const std::string begin = changed ? "The largest change: " : "";
  if (word_a != word_b || to_a != to_b)
    return begin + word_a + in_a + " to " + to_a + " in A, and " + (word_a == word_b ? "" : word_b) + in_b +
           " to " + to_b + " in B.";
  return begin + word_b + to_b + (changed ? " " : " the most in both: ") + in_a + " in A, " + in_b + " in B.";
}

}  // namespace

Headline compare_headline(const PageInputs& in, PageTools& tools) {
  Headline headline{"What changes from A to B?", {}};
  if (in.session.compared.empty()) return {"What do you want to compare?", {}};
  const std::vector<PageInputs> subjects = all_subjects(in);
  match_cells(in, tools.memo.comparison);
  const auto add = [&](std::string sentence) {
    if (!sentence.empty()) headline.answer.push_back(std::move(sentence));
  };
  add(finding_of(in, subjects, tools.memo.comparison[0]));
  constexpr std::size_t two = 2;
  // The bars of the page tell the answers, too.
  if (headline.answer.empty() && subjects.size() == two && subjects.front().trace != in.trace)
    add(describe_answers(subjects.front(), subjects.back()));
  return headline;
}

Page compare_page(const PageInputs& in, const PageSize& size, PageTools& tools) {
  PageBuilder page(in, tools, size.width);
  if (in.session.compared.empty()) {
    page.explain(
        "What you choose is frozen as A. What you see now is B, which follows your edits. A choice in the sentence makes a pair at once: “because it was too {tired|wide}”.");
    const StageId seen = in.at(in.session.selection.stage);
    constexpr float min_height = 220.0F;
    if (in.trace->has(seen))
      page.add(map_page(in, tools, "compare B", seen, size.width,
                        std::max(size.height - page.y(), min_height), MapLook{.title = true}));
    return page.take();
  }
  const StageKind kind = in.session.selection.stage;
  const bool by_row = in.session.picture.range == RangeMode::row;
  const std::string said = describe_difference(in.session);
  constexpr float beside_words = 320.0F;
  const bool fits = tools.measure(said, Font::sans, page_size::body).width + beside_words < size.width;
  page.line({page.bold(info(kind).title),
             {fits ? said : "", Font::sans, page_size::body, page.theme().text},
             page.muted(by_row ? "each row has its own colours" : "the same colours for A and B"),
             page.muted(in.trace ? dropout_text(*in.trace, kind) : "")},
            12.0F);
  if (!fits) page.say(said);
  std::vector<PageInputs> subjects = all_subjects(in);
  share_range(subjects, kind);
  match_cells(in, tools.memo.comparison);
  const auto n_subjects = static_cast<int>(subjects.size());
  // Heads of the same pass share its answer, which says nothing about how they differ.
  const bool is_one_pass =
      std::ranges::all_of(subjects, [&](const PageInputs& each) { return each.trace == in.trace; });
  const bool is_pair = n_subjects == 2 && !is_one_pass;
  const PatchedParts patched(in, tools);
  page.say(is_pair ? patched.said() : "");
  const bool has_words =
      !is_one_pass && std::ranges::any_of(subjects, [](const auto& s) { return asked_row(s).has_value(); });
  // A low page lists fewer words, so that its maps stay readable.
  const std::size_t max_words = size.height < 640.0F ? 3 : 6;
  constexpr float notes_height = 24.0F;
  const float room = size.height - page.y() - (has_words ? words_height(max_words) : 0.0F) -
                     (notes_on_difference(in.session).empty() ? 0.0F : notes_height);
  // Approximate, with two lines of the sentence where several of its words differ.
  const float caption = differ_in_sentences(in.session) && !changed_word(in.session) ? 80.0F : 34.0F;
  const int n_tiles = n_subjects + 1;
  const auto [n_columns, tile_size] = tiles_of(n_tiles, size.width, std::max(room, 1.0F), caption);
  const float shared_labels = shared_labels_width(subjects, kind, tools.measure);
  std::vector<Box> columns;  ///< Of the subjects' maps, if all stand in one line.
  Box difference;
  for (int first = 0; first < n_tiles; first += n_columns) {
    const int end = std::min(n_tiles, first + n_columns);
    std::vector<Tile> line;
    float left = 0.0F;
    int i = first;
    for (auto& [width, look] : looks_of(first, end, n_tiles, tile_size, !by_row, shared_labels)) {
      if (first == 0 && i < n_subjects) columns.push_back({.x = left, .w = width});
      if (i == n_subjects) difference = {.x = left, .w = width};
      left += width + between_tiles;
      if (i > 0) look.max_cell = first_cell(tools);
      const PageSize room{width, tile_size.height};
      line.push_back(i == n_subjects
                         ? difference_tile(in, tools, room, look)
                         : subject_tile(subjects[static_cast<std::size_t>(i)], tools, in, room, look));
      ++i;
    }
    page.add(line_of(line));
    page.space(between_tiles);
  }
  page.paragraph(notes_on_difference(in.session));
  // Equal, so that bars can be compared, although the last map has its colour bar beside it.
  const float narrowest = std::ranges::min(columns, {}, &Box::w).w;
  for (Box& column : columns) column.w = narrowest - between_tiles;
  constexpr float min_words = 200.0F;
  const bool stand_below = columns.size() == subjects.size() &&
                           std::ranges::all_of(columns, [](const Box& c) { return c.w >= min_words; });
  // The space below the difference is free if all maps stand in one row.
  const bool has_room_beside = has_words && stand_below && n_columns > n_subjects;
  const std::optional<Page> heads =
      has_room_beside ? patched.heads_page({difference.w, words_height(max_words)}) : std::nullopt;
  if (has_words)
    add_words(subjects, stand_below ? columns : equal_columns(subjects.size(), size.width), tools, max_words,
              heads.value_or(Page{}), difference.x, page);
  if (!in.is_slide) patched.add_to(page, !heads);
  return page.take();
}

}  // namespace headscope
