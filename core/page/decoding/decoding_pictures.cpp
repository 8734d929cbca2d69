#include "core/page/decoding/decoding_pictures.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>

#include "core/engine/decoding.h"
#include "core/figure/text_fit.h"
#include "core/page/parts/readable.h"
#include "core/page/parts/table_panel.h"
#include "core/text/number_text.h"
#include "core/trace/trace.h"

namespace headscope {
namespace {

/// The maximum number of multiplications while a picture is drawn.
constexpr double max_products = 2e7;

/// S [K, V] and z [1, K], summed over the tokens up to the newest.
struct StateNumbers {
  OwnedMatrix sums;
  OwnedMatrix keys;
};

StateNumbers state_after(const Trace& trace, const DecodingStep& step) {
  const int n = step.newest + 1;
  const Architecture& a = trace.architecture();
  const StageNumbers keys =
      trace.read(with_kind(step.head, StageKind::mapped_key), {0, 0, n, a.head_width()});
  const StageNumbers values = trace.read(with_kind(step.head, StageKind::value), {0, 0, n, a.value_width()});
  StateNumbers state{OwnedMatrix(a.head_width(), a.value_width()), OwnedMatrix(1, a.head_width())};
  for (int token = 0; token < n; ++token) {
    for (int k = 0; k < a.head_width(); ++k) {
      const float key = keys.view(token, k);
      state.keys.at(0, k) += key;
      for (int v = 0; v < a.value_width(); ++v) state.sums.at(k, v) += key * values.view(token, v);
    }
  }
  return state;
}

HeatmapSpec state_spec(const PageInputs& in, const OwnedMatrix& numbers, bool is_signed) {
  HeatmapSpec spec;
  spec.source = source_of(numbers.view());
  const auto name = [](int index) { return std::to_string(index); };
  if (numbers.rows > 1) spec.row_labels = {numbers.rows, name};
  spec.col_labels = {numbers.cols, name};
  PictureOptions options = in.session.picture;
  options.range = RangeMode::map;
  spec.scale = ColorScale(options, is_signed, numbers.view());
  spec.color_bar_label = false;
  if (!in.session.picture.details) spec.notation = CellNotation::rounded;
  spec.font_size = 11.0F;
  return spec;
}

/// Draws a part of the state below its title.
Page part_of_state(const PageInputs& in, PageTools& tools, const DecodingStep& step, bool is_sums,
                   const PageSize& size) {
  const Architecture& a = in.trace->architecture();
  const std::string shape = is_sums ? "[" + grouped(a.head_width()) + " × " + grouped(a.value_width()) + "]"
                                    : "[1 × " + grouped(a.head_width()) + "]";
  PageBuilder page(in, tools, size.width);
  const std::string title = is_sums ? "S = Σ φ(k) vᵀ" : "z = Σ φ(k)";
  const std::string said =
      shape + (is_sums ? " of " + count_text(step.newest + 1, "token") + ": keys × values"
                       : ": outputs are divided by φ(q) · z");
  page.line({page.bold(title), page.muted(said)}, 8.0F);
  const TableSpec spec{.name = path(step.head) + (is_sums ? " S " : " z ") + std::to_string(step.newest),
                       .trace = in.trace,
                       .picture = in.session.picture,
                       .max_cell = 34.0F};
  const auto make = [&](OwnedMatrix& numbers) {
    StateNumbers state = state_after(*in.trace, step);
    numbers = is_sums ? state.sums : state.keys;
    return state_spec(in, numbers, is_sums);
  };
  page.add(table_page(tools, is_sums ? "decoding state" : "decoding state sum", spec, make, size.width,
                      std::max(size.height - page.y(), 60.0F)));
  return page.take();
}

/// Draws S and z, the state of the head's linear attention after the step's token has been added.
Page state_pictures(const PageInputs& in, PageTools& tools, const DecodingStep& step, const PageSize& size) {
  const Architecture& a = in.trace->architecture();
  PageBuilder page(in, tools, size.width);
  const double products = static_cast<double>(a.head_width()) * a.value_width() * (step.newest + 1);
  if (products > max_products) {
    page.paragraph("The state is not drawn: this head is too wide for a text of this length.");
    return page.take();
  }
  const bool has_keys = can_read(in, tools, with_kind(step.head, StageKind::mapped_key));
  const bool has_values = can_read(in, tools, with_kind(step.head, StageKind::value));
  if (!has_keys || !has_values) {
    page.paragraph(unreadable_text(tools));
    return page.take();
  }
  constexpr float for_sum = 110.0F;
  page.add(part_of_state(in, tools, step, true, {size.width, size.height - for_sum - page_size::spacing}));
  page.add(part_of_state(in, tools, step, false, {size.width, for_sum}));
  return page.take();
}

/// The rows and columns of a map that exist at a step.
struct Grown {
  int rows = 0;
  int cols = 0;
  int framed_first = 0, framed_rows = 0;  ///< The rows that this step computes.
  int let_go = 0;                         ///< The number of first rows that the cache no longer keeps.
};

/// Veils the cells that are still to come or are no longer kept, and frames those that are being computed.
void mark_grown(Page& map, const std::string& slot, const Grown& grown, const Theme& theme) {
  const auto found = std::ranges::find_if(map.regions, [&](const HitRegion& region) {
    const auto* cells = std::get_if<StageCells>(&region.meaning);
    return cells != nullptr && cells->slot == slot;
  });
  if (found == map.regions.end()) return;
  const CellGrid& grid = std::get<StageCells>(found->meaning).grid;
  const float right = grid.cells.x + static_cast<float>(grown.cols) * grid.cell_width;
  const float bottom = grid.cells.y + static_cast<float>(grown.rows) * grid.cell_height;
  Color veil = theme.panel;
  veil.a = 225;
  map.figure.items.emplace_back(
      FilledRect{{right, grid.cells.y, grid.cells.right() - right, grid.cells.h}, veil});
  map.figure.items.emplace_back(
      FilledRect{{grid.cells.x, bottom, right - grid.cells.x, grid.cells.bottom() - bottom}, veil});
  const float gone = static_cast<float>(grown.let_go) * grid.cell_height;
  if (grown.let_go > 0)
    map.figure.items.emplace_back(FilledRect{{grid.cells.x, grid.cells.y, right - grid.cells.x, gone}, veil});
  const float top = grid.cells.y + static_cast<float>(grown.framed_first) * grid.cell_height;
  const float height = static_cast<float>(grown.framed_rows) * grid.cell_height;
  if (grown.framed_rows == 0) return;
  map.figure.items.emplace_back(
      StrokedRect{{grid.cells.x, top, right - grid.cells.x, height}, theme.accent, 2.0F});
}

/// The height at which every row of the keys and the values has its name.
float height_with_names(int n_keys) {
  constexpr float line = 15.0F;
  constexpr float around = 82.0F;  // The title, the numbers of dimensions and the name of the axis.
  return 2.0F * (static_cast<float>(n_keys) * line + around);
}

struct PictureRoom {
  std::string slot;
  float width, height;
};

/// Draws a stage of the head below its title, as far as it has grown.
Page picture(const PageInputs& in, PageTools& tools, const StageId& stage, const PictureRoom& room,
             const std::string& title, const std::string& said, const Grown& grown) {
  PageBuilder page(in, tools, room.width);
  page.line({page.bold(title), page.muted(said)}, 8.0F);
  const MapLook look{.color_bar_label = false, .present = true, .font_size = 11.0F};
  constexpr float min_height = 80.0F;
  Page map =
      map_page(in, tools, room.slot, stage, room.width, std::max(room.height - page.y(), min_height), look);
  mark_grown(map, room.slot, grown, page.theme());
  page.add(map);
  return page.take();
}

StageId used_keys(const Trace& trace, StageId head) {
  for (const StageKind kind :
       {StageKind::mapped_key, StageKind::rotated_key, StageKind::normed_key, StageKind::key}) {
    head.kind = kind;
    if (trace.has(canonical(trace.architecture(), head))) break;
  }
  return canonical(trace.architecture(), head);
}

/// A stage, with its title, that the cache keeps for a head or for all heads.
struct CachedStage {
  StageId stage;
  std::string title;
  bool is_cached = true;  ///< False if it is computed again in each step.
};

const char* title_of_keys(StageKind kind) {
  if (kind == StageKind::mapped_key) return "Keys, mapped";
  if (kind == StageKind::rotated_key) return "Keys, rotated";
  return kind == StageKind::normed_key ? "Keys, normalised" : "Keys";
}

/// The number of tokens whose keys and values a head no longer keeps because its sliding window has passed
/// them.
int n_evicted(const Trace& trace, const DecodingStep& step) {
  const std::optional<int> window = kept_window(trace);
  if (step.is_cross() || !window || !trace.architecture().has_sliding_window(step.head.layer)) return 0;
  return std::max(step.newest + 1 - *window, 0);
}

/// “2 dropped, 5 read, 1 computed”.
std::string read_and_computed(int let_go, int read, int computed) {
  if (let_go > 0)
    return grouped(let_go) + " dropped, " + grouped(read) + " read, " + grouped(computed) + " computed";
  if (computed == 0) return "all " + grouped(read) + " read from the cache";
  if (read == 0) return computed == 1 ? "1 computed" : "all " + grouped(computed) + " computed";
  return grouped(read) + " read from the cache, " + grouped(computed) + " computed";
}

/// The two stages that are shown. If the cache contains only a latent row, the second is the keys computed
/// from it.
std::pair<CachedStage, CachedStage> cached_stages(const Trace& trace, const StageId& head) {
  const StageId keys = used_keys(trace, head);
  const StageId latent = with_kind(head, StageKind::normed_latent);
  if (trace.has(latent)) {
    const CachedStage first{latent, "Latent, of all heads"};
    const StageId shared = with_kind(head, StageKind::shared_key);
    if (trace.has(shared)) return {first, {shared, "Key that all heads share"}};
    return {first, {keys, title_of_keys(keys.kind), false}};
  }
  const StageId values = canonical(trace.architecture(), with_kind(head, StageKind::value));
  return {{keys, title_of_keys(keys.kind)}, {values, "Values"}};
}

}  // namespace

void add_decoded_tokens(const PageInputs& in, const PageTools& tools, const DecodingStep& step,
                        PageBuilder& page) {
  constexpr float height = 24.0F;
  constexpr float padding = 7.0F;
  constexpr float apart = 4.0F;
  constexpr float for_ellipsis = 18.0F;
  const std::vector<Token>& tokens = in.trace->tokens(step.head.stack);
  const auto text = [&](int token) {
    constexpr float longest = 120.0F;
    return elided_text(tokens[static_cast<std::size_t>(token)].text, longest, Font::sans, page_size::body,
                       tools.measure);
  };
  const auto width = [&](int token) {
    return tools.measure(text(token), Font::sans, page_size::body).width + 2.0F * padding + apart;
  };
  // Tokens are chosen from the newest backwards, and then forwards, while there is space.
  float left = page.width() - 2.0F * for_ellipsis - width(step.newest);
  int first = step.newest;
  int last = step.newest;
  if (last + 1 < step.n_tokens && width(last + 1) <= left) left -= width(++last);
  while (first > 0 && width(first - 1) <= left) left -= width(--first);
  while (last + 1 < step.n_tokens && width(last + 1) <= left) left -= width(++last);
  const Theme& theme = page.theme();
  Figure& figure = page.page().figure;
  float x = 0.0F;
  const float middle = page.y() + 0.5F * height;
  const auto write = [&](const std::string& said, float at, Color color) {
    add_text(figure, said, {at, middle}, color, page_size::body);
  };
  if (first > 0) write("…", x, theme.quiet);
  if (first > 0) x += for_ellipsis;
  for (int token = first; token <= last; ++token) {
    const Box chip{x, page.y(), width(token) - apart, height};
    const bool is_newest = token == step.newest;
    if (token <= step.newest)
      figure.items.emplace_back(FilledRect{chip, is_newest ? theme.accent_soft : theme.control, 6.0F});
    if (is_newest) figure.items.emplace_back(StrokedRect{chip, theme.accent, 1.5F, 6.0F});
    const Color pale = mixed(theme.panel, theme.quiet, 0.5F);
    write(text(token), x + padding, token <= step.newest ? theme.text : pale);
    x += width(token);
  }
  if (last + 1 < step.n_tokens) write("…", x, theme.quiet);
  page.space(height + page_size::spacing + 4.0F);
}

Page decoding_pictures(const PageInputs& in, PageTools& tools, const DecodingStep& step,
                       const PageSize& size) {
  const Trace& trace = *in.trace;
  // The marked row is the one that is computed now, whichever word is selected.
  PageInputs at_step = in;
  at_step.session.selection.token = step.newest;
  const bool beside = size.width >= 640.0F;
  const float half = beside ? std::floor((size.width - between_parts) / 2.0F) : size.width;
  const float for_the_rest = size.width >= wide_decoding ? 240.0F : 330.0F;
  const int n_keys = step.is_cross() ? trace.extent(step.head).cols : step.newest + 1;
  const float height =
      std::clamp(std::max(size.height - for_the_rest, height_with_names(n_keys)), 300.0F, 620.0F);
  const bool has_state = !step.is_cross() && trace.architecture().linear_attention;
  Page both = picture(
      at_step, tools, step.head, {"decoding weights", half, height}, "Weights",
      has_state ? "implied by the outputs; no step has them" : "each row is a token; framed: computed now",
      {step.newest + 1, n_keys, step.newest, 1});
  if (has_state) {
    append(both, state_pictures(at_step, tools, step, {half, height}), beside ? half + between_parts : 0.0F,
           beside ? 0.0F : both.figure.height + page_size::spacing);
    return both;
  }
  const int n_fresh = !step.is_cross() ? 1 : step.newest == 0 ? n_keys : 0;
  const int let_go = n_evicted(trace, step);
  const float each = (height - page_size::spacing) / 2.0F;
  const auto shown = [&](const char* slot, const CachedStage& part) {
    const int computed = part.is_cached ? n_fresh : n_keys - let_go;
    const Grown grown{n_keys, trace.extent(part.stage).cols, n_keys - computed, computed, let_go};
    const std::string said = part.is_cached ? read_and_computed(let_go, n_keys - let_go - n_fresh, n_fresh)
                                            : "all computed again from the latent";
    return picture(at_step, tools, part.stage, {slot, half, each}, part.title, said, grown);
  };
  const auto [first, second] = cached_stages(trace, step.head);
  Page cache = shown("decoding keys", first);
  const Page below = shown("decoding values", second);
  append(cache, below, 0.0F, std::max(cache.figure.height, beside ? each : 0.0F) + page_size::spacing);
  append(both, cache, beside ? half + between_parts : 0.0F,
         beside ? 0.0F : both.figure.height + page_size::spacing);
  return both;
}

}  // namespace headscope
