#include <algorithm>
#include <cmath>
#include <utility>

#include "core/figure/text_fit.h"
#include "core/measures/measure.h"
#include "core/page/heads/heads_page.h"
#include "core/page/parts/covered.h"
#include "core/page/parts/page_builder.h"
#include "core/page/parts/small_pictures.h"
#include "core/trace/place_text.h"

namespace headscope {
namespace {

constexpr float min_tile = 34.0F;
constexpr float max_side = 168.0F;
constexpr float one_line_width = 70.0F;
constexpr float large_text_width = 90.0F;
constexpr float beside_width = 50.0F;  ///< The least width of a tile with text beside the picture.
constexpr float text_beside = 27.0F;   ///< The width of that text.
constexpr float small_text = 9.0F;
constexpr float line_height = 11.0F;
/// The height of a line above or below a picture, whose frame reaches into the gap between them.
constexpr float line_around = line_height + 2.0F;

int rows_of(int n, int columns) {
  return (n + columns - 1) / columns;
}

TileGrid grid_with(int columns, int n, int n_cells, PageSize size) {
  TileGrid grid;
  grid.columns = columns;
  const auto n_columns = static_cast<float>(columns);
  const auto n_rows = static_cast<float>(rows_of(n, columns));
  grid.gap = size.width / n_columns < one_line_width ? 3.0F : 10.0F;
  const float room = std::floor((size.width + grid.gap) / n_columns - grid.gap);
  grid.text = room >= one_line_width ? TileText::above
              : room >= beside_width ? TileText::beside
                                     : TileText::around;
  const bool is_beside = grid.text == TileText::beside;
  const float for_text = is_beside ? text_beside : 0.0F;
  grid.text_height = grid.text == TileText::above ? 17.0F : is_beside ? 0.0F : 2.0F * line_around;
  const float fitting = std::floor((size.height + grid.gap) / n_rows - grid.gap - grid.text_height);
  const float min_side = is_beside ? 3.0F * line_height - 4.0F : 20.0F;
  grid.side = whole_cells(std::clamp(std::min(room - for_text, fitting), min_side, max_side), n_cells);
  // A tile is at least as wide as its text.
  const float least = grid.text == TileText::above ? one_line_width : std::min(room, min_tile);
  grid.tile_width = std::max(grid.side + for_text, least);
  return grid;
}

/// The texts after the heads' names: the value of the measure that heads are sorted by or, if they are not
/// sorted, what the head learned to do.
std::vector<RoleWords> words_of_tiles(const PageInputs& in, const HeadValues& values,
                                      const std::vector<HeadIndex>& places) {
  const auto& sorted = in.session.heads.sorted_by;
  std::vector<RoleWords> words;
  words.reserve(places.size());
  for (const HeadIndex& place : places) {
    RoleWords& role = words.emplace_back();
    if (values.heads && values.covered != place)
      role = sorted ? measure_words(values, *sorted, value_of(values.heads->at(place), *sorted))
                    : role_words(values, place);
  }
  return words;
}

class TilePainter {
 public:
  TilePainter(const PageInputs& in, const PageTools& tools, const TileGrid& grid, Page& page)
      : in_(in), theme_(in.theme()), measure_(tools.measure), grid_(grid), page_(page) {}

  /// Uses the full names of measures if they fit in all tiles. Otherwise, all tiles use short names.
  bool use_full_names(const std::vector<HeadIndex>& places, const std::vector<RoleWords>& said) {
    has_full_names_ = true;
    for (std::size_t i = 0; i < places.size() && has_full_names_; ++i)
      has_full_names_ = width_of(full_words(said[i]), false) <= room_above(places[i]);
    return has_full_names_;
  }

  void paint(const HeadIndex& place, const RoleWords& said, const Figure* picture, Point at) {
    const Selection& selection = in_.session.selection;
    const bool is_chosen = place == HeadIndex{selection.layer, selection.head};
    const bool is_picked = std::ranges::binary_search(selection.heads, place);
    const Box tile{at.x, at.y, grid_.tile_width, grid_.tile_height()};
    if (is_picked) {
      add_frame(page_.figure, tile.grown(grid_.gap > 4.0F ? 3.0F : 1.0F), theme_.accent, 1.5F, 3.0F);
    }
    const Color color = is_chosen ? theme_.accent : theme_.text;
    const float above = grid_.text == TileText::above    ? grid_.text_height
                        : grid_.text == TileText::around ? line_around
                                                         : 0.0F;
    const Box place_of_picture{at.x, at.y + above, grid_.side, grid_.side};
    const float beside = at.x + grid_.side + 4.0F;
    switch (grid_.text) {
      case TileText::above:
        write_above(place, said, at, is_chosen);
        break;
      case TileText::beside:
        write(head_name(place), {beside, at.y}, is_chosen, color);
        write_beside(place, said, {beside, at.y + line_height - 1.0F}, tile.right() - beside);
        break;
      case TileText::around:
        write(head_name(place), at, is_chosen, color);
        write_below(place, said, {at.x, at.y + above + grid_.side + line_around - line_height},
                    tile.w + grid_.gap - 1.0F);
        break;
    }
    if (picture != nullptr && !picture->items.empty()) {
      append(page_.figure, *picture, place_of_picture.x, place_of_picture.y);
      const Box drawn{place_of_picture.x, place_of_picture.y, picture->width, picture->height};
      const HeadId head{selection.stack, selection.attention, place.layer, place.head};
      strike_out_if_off(*in_.trace, head, drawn, theme_, page_.figure);
    } else {
      add_frame(page_.figure, place_of_picture, theme_.line);
    }
    if (is_chosen) add_frame(page_.figure, place_of_picture.grown(1.5F), theme_.accent, 2.0F, 2.0F);
    page_.regions.push_back({tile, place});
  }

 private:
  /// Writes the head's name, the mark of an intervention, and as much as fits of what the head does.
  void write_above(const HeadIndex& place, const RoleWords& said, Point at, bool is_chosen) {
    write(head_name(place), at, is_chosen, is_chosen ? theme_.accent : theme_.text);
    const float left = grid_.tile_width - room_above(place);
    const std::string mark = mark_of(place);
    if (!mark.empty()) {
      const float x = width_of(head_name(place), true) + between;
      write(mark, {at.x + x, at.y}, true, theme_.warning, grid_.tile_width - x);
    }
    const std::string words = has_full_names_ ? full_words(said) : short_words(said);
    const float room = grid_.tile_width - left;
    if (width_of(words, false) <= room) return write(words, {at.x + left, at.y}, false, theme_.quiet);
    if (mark.empty()) write(briefest(said), {at.x + left, at.y}, false, theme_.quiet, room);
  }
  /// The width available behind the head's name and its mark.
  float room_above(const HeadIndex& place) const {
    const std::string mark = mark_of(place);
    const float of_mark = mark.empty() ? 0.0F : width_of(mark, true) + between;
    return grid_.tile_width - width_of(head_name(place), true) - between - of_mark;
  }
  /// What an intervention does to the head. In a narrow tile, this replaces the rest.
  std::string mark_of(const HeadIndex& place) const {
    return head_badge(*in_.trace, with_head(selected_head(in_), place));
  }
  static std::string full_words(const RoleWords& said) {
    return said.title + (said.number.empty() ? "" : " " + said.number);
  }
  void write_beside(const HeadIndex& place, const RoleWords& said, Point at, float room) {
    if (const std::string mark = mark_of(place); !mark.empty())
      return write(mark, at, true, theme_.warning, room);
    write(said.tag, at, false, theme_.quiet);
    write(said.number, {at.x, at.y + line_height - 1.0F}, false, theme_.quiet);
  }
  void write_below(const HeadIndex& place, const RoleWords& said, Point at, float room) {
    if (const std::string mark = mark_of(place); !mark.empty())
      return write(mark, at, true, theme_.warning, room);
    const bool fits = width_of(short_words(said), false) <= room;
    write(fits ? short_words(said) : briefest(said), at, false, theme_.quiet);
  }
  /// The shortest text, without space for a name and a number.
  std::string briefest(const RoleWords& said) const {
    return in_.session.heads.sorted_by && !said.number.empty() ? said.number : said.tag;
  }
  static std::string short_words(const RoleWords& said) {
    return said.tag + (said.number.empty() ? "" : " " + said.number);
  }
  float size() const {
    if (grid_.text != TileText::above) return small_text;
    return grid_.tile_width < large_text_width ? small_text : page_size::small;
  }
  float width_of(const std::string& text, bool is_bold) const {
    return measure_(text, is_bold ? Font::sans_bold : Font::sans, size()).width;
  }
  void write(const std::string& text, Point at, bool is_bold, Color color, float room = 1e6F) {
    const Font font = is_bold ? Font::sans_bold : Font::sans;
    const std::string fitting = elided_text(text, room, font, size(), measure_);
    if (!fitting.empty()) page_.figure.write(fitting, at, color, size(), font);
  }

  const PageInputs& in_;
  const Theme& theme_;
  const MeasureText& measure_;
  static constexpr float between = 6.0F;

  const TileGrid& grid_;
  Page& page_;
  bool has_full_names_ = false;
};

}  // namespace

float whole_cells(float room, int n) {
  const auto n_cells = static_cast<float>(std::max(n, 1));
  const float cell = std::floor(room / n_cells);
  return cell >= 1.0F ? cell * n_cells : room;
}

float TileGrid::width(int n) const {
  const auto in_row = static_cast<float>(std::min(n, columns));
  return in_row * (tile_width + gap) - gap;
}

float TileGrid::tile_height() const {
  constexpr float three_lines = 3.0F * (line_height - 1.0F);
  return text == TileText::beside ? std::max(side, three_lines) : side + text_height;
}

TileGrid tile_grid(const Architecture& architecture, int n, int n_cells, PageSize room) {
  const int most = std::max(1, static_cast<int>((room.width + 3.0F) / (min_tile + 3.0F)));
  if (architecture.n_layers > 1) {
    // Rows that are too long are all broken at the same column.
    const int lines = (architecture.n_heads + most - 1) / most;
    return grid_with((architecture.n_heads + lines - 1) / lines, n, n_cells, room);
  }
  TileGrid best = grid_with(1, n, n_cells, room);
  for (int columns = 2; columns <= std::min(n, most); ++columns) {
    const TileGrid grid = grid_with(columns, n, n_cells, room);
    if (grid.side > best.side) best = grid;
  }
  return best;
}

std::string legend_of_tiles(const PageInputs& in, const PageTools& tools, const HeadValues& values,
                            const std::vector<HeadIndex>& places, const TileGrid& grid) {
  const std::vector<RoleWords> words = words_of_tiles(in, values, places);
  const auto unclear = std::ranges::find(words, no_role.tag, &RoleWords::tag);
  Page nothing;
  const bool says_tags = !TilePainter(in, tools, grid, nothing).use_full_names(places, words);
  return says_tags && unclear != words.end() ? no_role.tag + ": " + no_role.title : "";
}

Page head_tiles_page(const PageInputs& in, PageTools& tools, const HeadValues& values,
                     const std::vector<HeadIndex>& places, const TileGrid& grid) {
  const auto pictures = thumbnails(in, tools, places, grid.side);
  Page page;
  page.figure.background = in.theme().panel;
  TilePainter painter(in, tools, grid, page);
  const auto n = static_cast<int>(places.size());
  const std::vector<RoleWords> words = words_of_tiles(in, values, places);
  painter.use_full_names(places, words);
  for (int i = 0; i < n; ++i) {
    const auto index = static_cast<std::size_t>(i);
    const int row = i / grid.columns;
    const Point at{static_cast<float>(i % grid.columns) * (grid.tile_width + grid.gap),
                   static_cast<float>(row) * (grid.tile_height() + grid.gap)};
    const HeadIndex& head = places[index];
    const bool is_seen =
        pictures && !has_hidden_number(in, with_head(in.at(tile_stage_kind(in)), head), tools);
    painter.paint(head, words[index], is_seen ? &(*pictures)[index] : nullptr, at);
  }
  const auto rows = static_cast<float>(rows_of(n, grid.columns));
  page.figure.width = grid.width(std::max(n, 1));
  page.figure.height = std::max(rows * (grid.tile_height() + grid.gap) - grid.gap, 0.0F);
  return page;
}

std::optional<HeadIndex> adjacent_head(const Page& page, const HeadIndex& from, int right, int down) {
  std::vector<HeadIndex> places;
  int columns = 0;
  float top = 0.0F;
  for (const HitRegion& region : page.regions) {
    const auto* tile = std::get_if<HeadIndex>(&region.meaning);
    if (tile == nullptr) continue;
    if (places.empty()) top = region.box.y;
    columns += region.box.y == top ? 1 : 0;
    places.push_back(*tile);
  }
  if (places.empty()) return std::nullopt;
  const auto found = std::ranges::find(places, from);
  if (found == places.end()) return places.front();
  const auto at = static_cast<int>(found - places.begin());
  const auto last = static_cast<int>(places.size()) - 1;
  const int moved = at + down * columns;
  const int row = moved < 0 || moved > last ? at : moved;
  return places[static_cast<std::size_t>(std::clamp(row + right, 0, last))];
}

StageKind tile_stage_kind(const PageInputs& in) {
  const StageKind chosen = in.session.selection.stage;
  return info(chosen).scope == StageScope::head ? chosen : StageKind::weights;
}

const std::vector<Figure>* thumbnails(const PageInputs& in, PageTools& tools,
                                      const std::vector<HeadIndex>& places, float side) {
  std::vector<SmallPicture> asked;
  asked.reserve(places.size());
  for (const HeadIndex& place : places) {
    const StageId stage = with_head(in.at(tile_stage_kind(in)), place);
    asked.push_back({in.trace, stage, in.against(), in.against() ? in.counterpart(stage) : StageId{},
                     in.session.picture, side, side});
  }
  return small_pictures("heads", std::move(asked), tools);
}

}  // namespace headscope
