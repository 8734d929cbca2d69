#include "core/page/explore/explore_page.h"

#include <algorithm>
#include <cmath>

#include "core/model/interventions.h"
#include "core/page/explore/strip_page.h"
#include "core/page/heads/heads_page.h"
#include "core/page/parts/covered.h"
#include "core/page/parts/page_builder.h"
#include "core/page/parts/small_pictures.h"
#include "core/trace/intervention_text.h"
#include "core/trace/place_text.h"

namespace headscope {
namespace {

constexpr float between_heads = 8.0F;
constexpr float small_caption = 24.0F;  ///< The height of a small map's name.

/// The rail of heads beside the large map: equal small maps, each `side` wide, in columns.
struct Rail {
  int columns = 1;
  float side = 0.0F;
  float width() const {
    return static_cast<float>(columns) * side + between_heads * static_cast<float>(columns - 1);
  }
};

/// Chooses the smallest number of columns whose maps are large enough to be told apart. If there are very
/// many heads, the rail takes its greatest width. `aspect` is the height of a map divided by its width.
Rail rail_of(int n_heads, float height, float aspect) {
  constexpr float max_side = 92.0F;
  constexpr float good_side = 56.0F;
  constexpr float min_side = 24.0F;
  constexpr float max_width = 216.0F;
  Rail rail;
  for (rail.columns = 1; rail.columns <= n_heads; ++rail.columns) {
    const int rows = (n_heads + rail.columns - 1) / rail.columns;
    const float down = (height / static_cast<float>(rows) - small_caption - page_size::spacing) / aspect;
    const auto columns = static_cast<float>(rail.columns);
    const float across = (max_width - between_heads * (columns - 1.0F)) / columns;
    rail.side = std::clamp(down, min_side, max_side);
    const bool is_last = across - between_heads < min_side + between_heads || rail.columns == n_heads;
    if (rail.side >= std::min(good_side, across) || is_last) {
      rail.side = std::min(rail.side, std::max(across, min_side));
      return rail;
    }
  }
  return rail;
}

/// The greatest side up to `room` that whole cells fill without a remainder.
float whole_cells(float room, int n) {
  const float cell = std::floor(room / static_cast<float>(n));
  return cell >= 1.0F ? cell * static_cast<float>(n) : room;
}

MapLook small_look() {
  return {.labels = false, .color_bar = false, .numbers = false, .pins = false, .max_cell = 40.0F};
}

/// The height of a small map divided by its width: rows per column, but at most 1.
float aspect_of(const PageInputs& in, const StageId& id) {
  const Extent values = in.trace->extent(id);
  if (values.empty()) return 1.0F;
  return std::min(static_cast<float>(values.rows) / static_cast<float>(values.cols), 1.0F);
}

/// What a head does on this sentence. Empty for random weights, or if heads share the map.
RoleWords role_of(const HeadValues& values, const StageId& map) {
  return info(map.kind).is_per_group ? RoleWords{} : role_words(values, {map.layer, map.head});
}

/// Writes what a head does at the right end of the line of its name, in full, in short, or not at all if
/// there is no room.
void role_beside_name(PageBuilder& page, const RoleWords& role, float name_width, float y) {
  const float room = page.width() - name_width;
  const auto fits = [&](std::string_view text) {
    return page.measure()(text, Font::sans, page_size::small).width <= room;
  };
  const std::string_view said = fits(role.title) ? role.title : role.tag;
  if (said.empty() || !fits(said)) return;
  add_text(page.page().figure, std::string(said), {page.width(), y}, page.theme().quiet, page_size::small,
           Font::sans, HorizontalAnchor::right, VerticalAnchor::top);
}

Page small_head(const PageInputs& in, PageTools& tools, const HeadValues& values, int head, float side) {
  StageId id = in.at(small_heads_kind(in));
  id.head = head;
  const int selected = in.session.selection.head;
  const bool chosen = head == (info(id.kind).is_per_group ? in.at(id.kind).head : selected);
  PageBuilder page(in, tools, side);
  const Architecture& a = in.trace->architecture();
  const bool is_shared = info(id.kind).is_per_group;
  std::string name = is_shared ? group_text(a, head) : head_label(id.layer, head);
  // The first number alone fits if the columns of the rail are narrow.
  const auto width_in = [&](Font font) { return tools.measure(name, font, page_size::small).width; };
  if (width_in(Font::sans_bold) > side) name = std::to_string(head);
  const std::string mark = head_badge(*in.trace, head_of(id));
  constexpr float apart = 3.0F;
  const float name_y = page.y();
  const float name_width = page.line({{name, chosen ? Font::sans_bold : Font::sans, page_size::small,
                                       chosen ? page.theme().accent : page.theme().quiet},
                                      {mark, Font::sans_bold, page_size::small, page.theme().warning}},
                                     apart);
  // The chosen head's name is bold. The others leave the same room, so that choosing changes no word.
  const float left_for_bold = chosen ? 0.0F : width_in(Font::sans_bold) - width_in(Font::sans);
  role_beside_name(page, role_of(values, id), name_width + left_for_bold + apart, name_y);
  constexpr float min_height = 16.0F;
  const float height = std::max(min_height, side * aspect_of(in, id));
  const float top = page.y();
  page.page().regions.push_back({{0.0F, top, side, height}, HeadArea{head}});
  const std::string slot = "small head " + std::to_string(head);
  page.add(map_page(in, tools, slot, id, side, height, small_look()));
  const Box& drawn = tools.memo.maps[slot].layout.cells;
  strike_out_if_off(*in.trace, head_of(id), {drawn.x, top + drawn.y, drawn.w, drawn.h}, page.theme(),
                    page.page().figure);
  if (chosen) {
    constexpr float border = 2.0F;
    // A map with few cells is smaller than its room.
    const Box& cells = tools.memo.maps[slot].layout.cells;
    const float width = cells.w > 0.0F ? cells.right() : side;
    const float framed = cells.h > 0.0F ? cells.bottom() : height;
    page.page().figure.items.emplace_back(
        StrokedRect{{-border, top - border, width + 2.0F * border, framed + 2.0F * border},
                    page.theme().accent,
                    border,
                    4.0F});
  }
  return page.take();
}

/// The heads that have a map. If a group shares the stage, this is the first head of each group.
std::vector<int> heads_with_maps(const PageInputs& in) {
  const Architecture& a = in.trace->architecture();
  const int step = info(small_heads_kind(in)).is_per_group ? a.group_size() : 1;
  std::vector<int> heads;
  heads.reserve(static_cast<std::size_t>(a.n_heads));
  for (int head = 0; head < a.n_heads; head += step) heads.push_back(head);
  return heads;
}

/// Draws small maps of all heads of the layer.
Page rail_page(const PageInputs& in, const Rail& rail, const std::vector<int>& heads, PageTools& tools) {
  PageBuilder page(in, tools, rail.width());
  const HeadValues values = cheap_head_values(in, tools);
  const auto n_maps = static_cast<int>(heads.size());
  const int columns = in.trace->extent(in.at(small_heads_kind(in))).cols;
  const float side = whole_cells(rail.side, std::max(columns, 1));
  for (int first = 0; first < n_maps; first += rail.columns) {
    Page line;
    for (int map = first; map < std::min(n_maps, first + rail.columns); ++map) {
      const float x = static_cast<float>(map - first) * (side + between_heads);
      append(line, small_head(in, tools, values, heads[static_cast<std::size_t>(map)], side), x, 0.0F);
    }
    page.add(line);
  }
  return page.take();
}

/// Draws the selected stage as high as the room. With details, its shape and its formula stand above it.
Page large_map_page(const PageInputs& in, const PageSize& size, PageTools& tools) {
  PageBuilder page(in, tools, size.width);
  const StageId stage = in.at(in.session.selection.stage);
  if (in.session.picture.details) shape_line(page, in, stage);
  if (const std::string covered = cover_statement(in, stage, tools); !covered.empty())
    page.line({{covered, Font::sans_bold, page_size::control, page.theme().accent}});
  const MapLook look{.zoomable = true, .frames_row = true, .centered = true, .max_cell = 72.0F};
  page.add(map_page(in, tools, "large", stage, size.width, std::max(size.height - page.y(), 8.0F), look));
  return page.take();
}

}  // namespace

StageKind small_heads_kind(const PageInputs& in) {
  const StageKind chosen = in.session.selection.stage;
  return info(chosen).scope == StageScope::head ? chosen : StageKind::weights;
}

Page explore_page(const PageInputs& in, const PageSize& size, PageTools& tools) {
  constexpr float gap = 24.0F;
  // On a narrower page, the lines and the map take the full width.
  const float narrow = in.asks_for_head ? 480.0F : in.is_slide ? 720.0F : 560.0F;
  // Lines between two sentences need the full width; otherwise, their rows would wrap.
  const bool is_cross = in.session.selection.attention == AttentionKind::cross;
  const float one_row =
      std::clamp(size.height * 0.2F, 108.0F, 180.0F) - (strip_shows_numbers(in) ? 0.0F : 18.0F);
  // At most a quarter of the window, including the bars around the page.
  constexpr float bars = 200.0F;
  const StripRoom strip{size.width, one_row, std::max(one_row, 0.25F * (size.height + bars))};
  PageBuilder whole(in, tools, size.width);
  if (is_cross) whole.add(strip_page(in, strip, tools));
  const float height = size.height - whole.y();
  // In a low room, the page is higher than the room, so that its map stays readable.
  constexpr float least = 220.0F;
  constexpr float instead = 400.0F;
  const float room = height >= least ? height : instead;
  const std::vector<int> heads = heads_with_maps(in);
  const float aspect = std::max(aspect_of(in, in.at(small_heads_kind(in))), 0.05F);
  const Rail rail = rail_of(static_cast<int>(heads.size()), room, aspect);
  const bool has_rail = size.width > narrow && heads.size() > 1;
  const float left = has_rail ? rail.width() + gap : 0.0F;
  const float width = size.width - left;
  PageBuilder page(in, tools, width);
  if (!is_cross) page.add(strip_page(in, {width, strip.one_row, strip.most}, tools));
  const float rest = room - page.y();
  page.add(large_map_page(in, {width, rest >= least ? rest : instead}, tools));
  Page below = has_rail ? rail_page(in, rail, heads, tools) : Page{};
  append(below, page.take(), left, 0.0F);
  whole.add(below);
  return whole.take();
}

}  // namespace headscope
