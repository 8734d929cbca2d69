#include <algorithm>
#include <cmath>
#include <span>
#include <tuple>

#include "core/engine/engine.h"
#include "core/engine/request.h"
#include "core/figure/text_fit.h"
#include "core/page/pages.h"
#include "core/page/parts/covered.h"
#include "core/page/parts/map_panel.h"
#include "core/page/parts/page_builder.h"
#include "core/session/action.h"
#include "core/trace/trace.h"

namespace headscope {
namespace {

constexpr int max_side = 4;
constexpr float title_height = 20.0F;
constexpr float between_lines = 10.0F;
constexpr float sign_size = 14.0F;
constexpr float sign_room = 10.0F;  ///< Left and right of a sign.

/// The width of what is shown beside the products, and its distance from them.
constexpr float min_aside_width = 240.0F;
constexpr float max_aside_width = 440.0F;
constexpr float before_aside = 48.0F;

/// A matrix of an equation, with the sign before it.
struct Term {
  StageKind kind;
  std::string sign;
};
using Equation = std::vector<Term>;

/// The equations in the order of computation. A mask that hides nothing is left out.
std::vector<Equation> equations(const PageInputs& in) {
  using enum StageKind;
  const Trace& trace = *in.trace;
  const auto there = [&](StageKind kind) { return trace.has(in.at(kind)); };
  std::vector<Equation> lines;
  for (const auto& [weights_of, bias, result] :
       {std::tuple(w_query, b_query, query), std::tuple(w_key, b_key, key),
        std::tuple(w_value, b_value, value)}) {
    const bool has_bias = there(bias);
    if (there(weights_of) && there(result))
      lines.push_back({{input, ""}, {weights_of, "×"}, {result, has_bias ? "+ b =" : "="}});
  }
  Equation last{{raw, "Q Kᵀ ="}};
  const Architecture& a = trace.architecture();
  const AttentionOptions& options = trace.options();
  const bool is_plain = options.scale && options.temperature == 1.0F && !(a.score_scale > 0.0F);
  if (options.scale || options.temperature != 1.0F)
    last.push_back(
        {scaled, is_plain ? "÷ √" + std::to_string(a.head_width(in.at(weights).layer)) + " =" : "scaled"});
  const MaskSpec& mask = trace.mask_spec(in.at(weights));
  if (!(mask == MaskSpec{})) last.push_back({masked, "masked"});
  last.push_back({weights, "softmax ="});
  last.push_back({dropped, "dropout"});
  if (there(output)) last.push_back({output, "× V ="});
  std::erase_if(last, [&](const Term& term) { return !there(term.kind); });
  lines.push_back(std::move(last));
  return lines;
}

/// The sizes that all matrices of the page share.
struct Metrics {
  float page = 0.0F;        ///< The width of the page.
  float cell = 0.0F;        ///< The height of a cell, and its width but below a word.
  float below_word = 0.0F;  ///< The width of a cell in a column that is named by a word.
  float labels = 0.0F;      ///< The width of the words beside the rows.
  float columns = 0.0F;     ///< The height of the labels above the columns.
  float aside = 0.0F;       ///< The room beside the products for a derivation. 0 if it is too narrow for one.

  float column(StageKind kind) const { return is_token_axis(info(kind).cols) ? below_word : cell; }
};

/// Whether a matrix was given in place of what the equation computes.
bool is_typed(const PageInputs& in, StageKind kind) {
  const bool is_computed = kind != StageKind::input && !info(kind).is_parameter();
  return is_computed && in.session.given.at(path(in.at(kind))) != nullptr;
}

/// Whether the result of these weights was typed instead, so that the weights are not used.
bool is_unused(const PageInputs& in, StageKind weights_of) {
  using enum StageKind;
  return (weights_of == w_query && is_typed(in, query)) || (weights_of == w_key && is_typed(in, key)) ||
         (weights_of == w_value && is_typed(in, value));
}

/// The sign before a matrix that was typed and therefore does not follow from the left side.
std::string sign_of_typed(std::string sign) {
  constexpr std::string_view equal = "=";
  constexpr std::string_view unequal = "≠";
  if (const std::size_t at = sign.find(equal); at != std::string::npos)
    sign.replace(at, equal.size(), unequal);
  return sign;
}

/// The room of a sign, the same whether the matrix after it was typed or computed.
float sign_width(const PageTools& tools, const std::string& sign) {
  if (sign.empty()) return 0.0F;
  const auto width = [&](const std::string& text) {
    return tools.measure(text, Font::sans, sign_size).width;
  };
  return std::max(width(sign), width(sign_of_typed(sign))) + 2.0F * sign_room;
}

/// What one equation takes of the width of the page.
struct LineWidth {
  float around = 0.0F;  ///< All but the cells.
  int n_columns = 0;    ///< All of them.
  int n_below_words = 0;

  /// The width of a cell below a word with which the line is `width` wide.
  float below_word(float width, float cell) const {
    return (width - around - static_cast<float>(n_columns - n_below_words) * cell) /
           static_cast<float>(std::max(n_below_words, 1));
  }
  float whole(const Metrics& metrics) const {
    return around + static_cast<float>(n_columns - n_below_words) * metrics.cell +
           static_cast<float>(n_below_words) * metrics.below_word;
  }
};

/// Chooses the largest cells with which every equation fits into one line and all lines into the page.
Metrics metrics_of(const PageInputs& in, const PageTools& tools, const std::vector<Equation>& lines,
                   const PageSize& size) {
  constexpr float min_cell = 22.0F;
  constexpr float max_cell_side = 88.0F;
  constexpr float word_margin = 14.0F;
  constexpr float max_words = 90.0F;
  Metrics metrics;
  metrics.page = size.width;
  const auto widest_word = [&](Font font, float font_size) {
    return widest_text(in.trace->tokens(Stack::encoder), font, font_size, tools.measure, &Token::text);
  };
  metrics.labels = std::min(widest_word(Font::sans_bold, page_size::body), max_words) + word_margin;
  metrics.columns = 18.0F;
  float across = max_cell_side;
  int n_rows = 0;
  std::vector<LineWidth> widths;
  for (const Equation& line : lines) {
    LineWidth width;
    int highest = 0;
    for (const Term& term : line) {
      const Extent values = in.trace->extent(in.at(term.kind));
      width.around += metrics.labels + sign_width(tools, term.sign);
      width.n_columns += values.cols;
      if (is_token_axis(info(term.kind).cols)) width.n_below_words += values.cols;
      highest = std::max(highest, values.rows);
    }
    across = std::min(across, (size.width - width.around) / static_cast<float>(std::max(width.n_columns, 1)));
    n_rows += highest;
    widths.push_back(width);
  }
  const float around = static_cast<float>(lines.size()) * (title_height + metrics.columns + between_lines);
  const float down = (size.height - around) / static_cast<float>(std::max(n_rows, 1));
  float cell = std::clamp(std::min(across, down), min_cell, max_cell_side);
  // The cells become smaller rather than leave no room for the derivation.
  const auto products = std::span(widths).first(widths.size() - 1);  // every line but the last
  float beside = max_cell_side;
  for (const LineWidth& width : products)
    beside = std::min(beside, (size.width - before_aside - min_aside_width - width.around) /
                                  static_cast<float>(std::max(width.n_columns, 1)));
  const bool has_aside = beside >= min_cell;
  if (has_aside) cell = std::min(cell, beside);
  metrics.cell = std::floor(cell);
  // A cell below a word is as wide as the word, if there is room, but at most twice as wide as high.
  constexpr float between_words = 8.0F;
  metrics.below_word = std::clamp(widest_word(Font::sans, page_size::small) + between_words, metrics.cell,
                                  2.0F * metrics.cell);
  for (std::size_t i = 0; i < widths.size(); ++i) {
    if (widths[i].n_below_words == 0) continue;
    const float taken = has_aside && i + 1 < widths.size() ? before_aside + min_aside_width : 0.0F;
    metrics.below_word = std::min(metrics.below_word, widths[i].below_word(size.width - taken, metrics.cell));
  }
  metrics.below_word = std::max(std::floor(metrics.below_word), metrics.cell);
  metrics.aside = size.width - before_aside;
  for (const LineWidth& width : products)
    metrics.aside = std::min(metrics.aside, size.width - before_aside - width.whole(metrics));
  metrics.aside = metrics.aside < min_aside_width ? 0.0F : std::min(metrics.aside, max_aside_width);
  return metrics;
}

/// Writes what the rows and columns of a matrix are: words, or the numbers of dimensions.
void labels(PageBuilder& page, const PageInputs& in, const PageTools& tools, const StageId& stage,
            const Metrics& metrics) {
  constexpr float gap = 6.0F;
  const Extent values = in.trace->extent(stage);
  const StageInfo& about = info(stage.kind);
  const auto text = [&](Axis axis, int index, float room) {
    return elided_text(in.trace->label(stage, axis, index), room, Font::sans, page_size::control,
                       tools.measure);
  };
  const auto color = [&](Axis axis, int index) {
    const bool is_selected = is_token_axis(axis) && in.session.selection.token == index;
    return is_selected ? page.theme().accent : page.theme().quiet;
  };
  Figure& figure = page.figure();
  for (int row = 0; row < values.rows; ++row) {
    const float y = title_height + metrics.columns + (static_cast<float>(row) + 0.5F) * metrics.cell;
    add_text(figure, text(about.rows, row, metrics.labels - gap), {metrics.labels - gap, y},
             color(about.rows, row), page_size::control, Font::sans, HorizontalAnchor::right);
  }
  // Words above small cells become small, too, before they are cut. A word may be wider than its cell where
  // its neighbours leave room for it.
  const float column = metrics.column(stage.kind);
  constexpr float min_size = 8.0F;
  constexpr float between_words = 3.0F;
  float share = 1.0F;
  float before = 0.0F;
  for (int col = 0; col < values.cols; ++col) {
    const float width =
        tools.measure(in.trace->label(stage, about.cols, col), Font::sans, page_size::small).width;
    if (col > 0) share = std::min(share, 2.0F * (column - between_words) / (before + width));
    share = std::min(share, (column + 2.0F * sign_room) / std::max(width, 1.0F));
    before = width;
  }
  // Letters do not shrink in exact proportion, so a little is left beside the widest word.
  constexpr float surely = 0.95F;
  const float size = share < 1.0F ? std::max(surely * share * page_size::small, min_size) : page_size::small;
  const float room = size > min_size ? metrics.page : column - 2.0F;
  for (int col = 0; col < values.cols; ++col) {
    const float x = metrics.labels + (static_cast<float>(col) + 0.5F) * column;
    add_text(figure,
             elided_text(in.trace->label(stage, about.cols, col), room, Font::sans, size, tools.measure),
             {x, title_height + 0.5F * metrics.columns},
             is_token_axis(about.cols) ? page.theme().text : page.theme().quiet, size, Font::sans,
             HorizontalAnchor::center);
  }
}

/// Whether a stage is computed from another one, directly or through others.
bool follows(const Trace& trace, const StageId& stage, const StageId& from) {
  return std::ranges::any_of(inputs_of(trace, stage), [&](const StageId& input) {
    return canonical(trace.architecture(), input) == from || follows(trace, input, from);
  });
}

/// Whether the numbers of a matrix would reveal those that an exercise asks for, because they follow from
/// them.
bool reveals_covered(const PageInputs& in, PageTools& tools, const StageId& stage) {
  const std::optional<StageId>& covered = in.session.cover.stage;
  return covered && has_hidden_number(in, *covered, tools) && follows(*in.trace, stage, *covered);
}

/// Draws one matrix below its name. The name may be wider than the cells, but not than `room`.
Page matrix(const PageInputs& in, PageTools& tools, const std::string& slot, StageKind kind,
            const Metrics& metrics, float room) {
  const StageId stage = in.at(kind);
  const Extent values = in.trace->extent(stage);
  const float cells = metrics.column(kind) * static_cast<float>(values.cols);
  PageBuilder page(in, tools, metrics.labels + cells);
  const bool typed = is_typed(in, kind);
  const bool waits = reveals_covered(in, tools, stage);
  const std::string_view said = typed                 ? "typed"
                                : is_unused(in, kind) ? "not used"
                                : waits               ? "follows"
                                                      : info(kind).title;
  // The name stands above the cells and may go on above the labels of the next matrix.
  const float name_room = std::min(metrics.labels + cells + 2.0F * sign_room, room);
  PageBuilder name(in, tools, name_room);
  const float end =
      name.line({name.bold(info(kind).symbol),
                 {said, Font::sans, page_size::small, typed ? page.theme().accent : page.theme().quiet}},
                6.0F, name_room);
  const float left = std::clamp(room - end, 0.0F, metrics.labels);
  append(page.page(), name.take(), left, 0.0F);
  page.space(title_height - page.y());
  labels(page, in, tools, stage, metrics);
  const MapLook look{.labels = false,
                     .color_bar = false,
                     .has_tooltip = metrics.aside == 0.0F,
                     .max_cell = metrics.column(kind),
                     .max_cell_height = metrics.cell,
                     .font_size = number_size_by_hand(metrics.cell)};
  const float height = metrics.cell * static_cast<float>(values.rows);
  const float column = metrics.column(kind);
  // Numbers that would reveal others stay hidden until those have been found.
  for (int cell = 0; waits && cell < values.rows * values.cols; ++cell) {
    const float x = metrics.labels + static_cast<float>(cell % values.cols) * column;
    const float y = title_height + metrics.columns + static_cast<float>(cell / values.cols) * metrics.cell;
    add_box(page.figure(), {x, y, column - 2.0F, metrics.cell - 2.0F}, page.theme().control);
  }
  if (!waits)
    append(page.page(), map_page(in, tools, slot, stage, cells, height, look), metrics.labels,
           title_height + metrics.columns);
  Page whole = page.take();
  whole.figure.width = metrics.labels + cells;
  whole.figure.height = title_height + metrics.columns + height;
  return whole;
}

/// Returns the inputs with one range of colours for all numbers that are not shares, so that equal numbers
/// have equal colours. Returns them unchanged if another range is chosen. What an exercise covers, and what
/// follows from it, does not count, because the colours would reveal it.
PageInputs with_one_range(const PageInputs& in, const std::vector<Equation>& lines) {
  PageInputs ranged = in;
  PictureOptions& picture = ranged.session.picture;
  if (picture.range != RangeMode::usual || !in.other_pages.empty() || in.against()) return ranged;
  const std::optional<StageId>& covered = in.session.cover.stage;
  const auto is_asked = [&](const StageId& stage) {
    return covered &&
           (canonical(in.trace->architecture(), stage) == *covered || follows(*in.trace, stage, *covered));
  };
  double greatest = 0.0;
  for (const Equation& line : lines) {
    for (const Term& term : line) {
      // Masked scores are far below all others.
      if (info(term.kind).is_share || term.kind == StageKind::masked || is_asked(in.at(term.kind))) continue;
      const MatrixView values = in.trace->value(in.at(term.kind));
      for (int row = 0; row < values.rows; ++row)
        for (const float x : values.row(row)) greatest = std::max(greatest, std::abs(static_cast<double>(x)));
    }
  }
  if (!(greatest > 0.0) || !std::isfinite(greatest)) return ranged;
  picture.range = RangeMode::fixed;
  picture.fixed_low = -greatest;
  picture.fixed_high = greatest;
  return ranged;
}

Page equation(const PageInputs& in, const PageInputs& ranged, PageTools& tools, std::size_t number,
              const Equation& line, const Metrics& metrics) {
  PageBuilder page(in, tools, 1.0F);
  float x = 0.0F;
  float height = 0.0F;
  for (const Term& term : line) {
    const std::string slot = "by hand " + std::to_string(number) + " " + std::string(info(term.kind).name);
    const float sign = sign_width(tools, term.sign);
    const Page part = matrix(info(term.kind).is_share ? in : ranged, tools, slot, term.kind, metrics,
                             metrics.page - x - sign);
    const float rows = static_cast<float>(in.trace->extent(in.at(term.kind)).rows);
    if (!term.sign.empty()) {
      // The sign stands in the middle between the cells before it and the labels after it.
      std::vector<std::string> labels;
      for (int row = 0; row < in.trace->extent(in.at(term.kind)).rows; ++row)
        labels.push_back(in.trace->label(in.at(term.kind), info(term.kind).rows, row));
      const float widest = widest_text(labels, Font::sans, page_size::control, tools.measure);
      const float free = metrics.labels - std::min(widest, metrics.labels);
      add_text(page.figure(), is_typed(in, term.kind) ? sign_of_typed(term.sign) : term.sign,
               {x + 0.5F * (sign + free), title_height + metrics.columns + 0.5F * metrics.cell * rows},
               page.theme().text, sign_size, Font::sans, HorizontalAnchor::center);
      x += sign;
    }
    append(page.page(), part, x, 0.0F);
    height = std::max(height, part.figure.height);
    x += part.figure.width;
  }
  Page whole = page.take();
  whole.figure.width = x;
  whole.figure.height = height;
  return whole;
}

/// The greatest weight in the row of the selected word. Empty during an exercise, which it might give away,
/// and while the session is ahead of the pass, which then has no weights at its place.
std::optional<Pin> strongest_weight(const PageInputs& in) {
  const StageId weights = in.at(StageKind::weights);
  if (in.session.cover.stage || !in.trace->has(weights)) return std::nullopt;
  const int row = std::clamp(in.session.selection.token.value_or(0), 0, in.trace->extent(weights).rows - 1);
  const auto along = in.trace->read_row(weights, row);
  const auto strongest = std::ranges::max_element(along.view.row(0)) - along.view.row(0).begin();
  return Pin{weights, row, static_cast<int>(strongest)};
}

/// The smaller of the two heads with which one can begin.
Session session_of_example() {
  return reduce(default_session(), load_preset("Your own 2 × 2"));
}

Result<std::shared_ptr<const Trace>> pass_of_example() {
  return Engine(1).compute(request_of(session_of_example()));
}

}  // namespace

bool is_small_enough(const Architecture& a, std::size_t n_words) {
  return a.stacks == Stacks::encoder && a.n_layers == 1 && a.n_heads == 1 && a.d_model <= max_side &&
         a.head_width(no_layer) <= max_side && std::cmp_less_equal(n_words, max_side);
}

bool is_small_enough(const Trace& trace) {
  const StageId weights{.kind = StageKind::weights};
  return trace.has(weights) &&
         is_small_enough(trace.architecture(), static_cast<std::size_t>(trace.extent(weights).rows));
}

float number_size_by_hand(float cell) {
  return std::clamp(0.26F * cell, page_size::body, page_size::number);
}

Headline by_hand_headline(const PageInputs& in, PageTools& tools) {
  return is_small_enough(*in.trace) ? attention_headline(in, tools) : Headline{};
}

Page by_hand_page(const PageInputs& in, const PageSize& size, PageTools& tools) {
  PageBuilder page(in, tools, size.width);
  if (!is_small_enough(*in.trace)) {
    page.line({page.bold("One head that fits on a sheet of paper", page_size::title)});
    page.say(
        "Two words with two numbers each, or three with three: few enough to compute every number with a pencil, from the words to the output. You can type over any of them, and everything after it is computed again as you type. They take the place of the sentence and the model; undo brings both back.");
    page.explain(
        "Q = X W_Q, K = X W_K and V = X W_V. The scores Q Kᵀ are divided by √d_head, softmax turns them into weights, and the weights times V are the output.");
    const auto& example = tools.memo.results.now(Asked<pass_of_example, Lifetime::session>{});
    constexpr float min_width = 640.0F;
    if (!example || page.width() < min_width) return page.take();
    page.explain("An example with 2 × 2 numbers:");
    // A picture of the page: its numbers can be neither pointed at nor typed over.
    PageInputs shown;
    shown.session = session_of_example();
    shown.session.picture = in.session.picture;
    shown.trace = *example;
    shown.in_file = true;
    PageMemo memo;
    PageTools own{tools.measure, tools.fonts, memo};
    const PageSize room{size.width, std::max(size.height - page.y(), 320.0F)};
    page.add(by_hand_page(shown, room, own).figure);
    return page.take();
  }
  if (in.is_slide && !in.in_file) page.line({page.bold("Attention by hand", page_size::title)});
  std::vector<Equation> lines = equations(in);
  const PageSize room{size.width, size.height - page.y()};
  Metrics metrics = metrics_of(in, tools, lines, room);
  // In a narrow room, the line of the scores and weights goes on below if that makes the cells larger.
  std::vector<Equation> broken = lines;
  const auto middle = std::ranges::find(broken.back(), StageKind::weights, &Term::kind);
  broken.emplace_back(middle, broken.back().end());
  Equation& scores = broken[broken.size() - 2];
  scores.resize(scores.size() - broken.back().size());
  if (const Metrics larger = metrics_of(in, tools, broken, room); larger.cell > metrics.cell) {
    lines = std::move(broken);
    metrics = larger;
  }
  const PageInputs ranged = with_one_range(in, lines);
  const float first = page.y();
  float widest_product = 0.0F;
  float last = first;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const float top = page.y();
    Page line = equation(in, ranged, tools, i, lines[i], metrics);
    const float height = line.figure.height;
    if (i + 1 < lines.size()) widest_product = std::max(widest_product, line.figure.width);
    if (i + 1 == lines.size()) last = top;
    page.add(line);
    page.space(top + height + between_lines - page.y());
  }
  if (metrics.aside <= 0.0F) return page.take();
  // How the inspected number is computed. The mouse comes first, because the number that was typed last stays
  // selected.
  std::optional<Pin> cell = inspected(*in.trace, in.hovered, in.session.selection.pin);
  if (!cell) cell = strongest_weight(in);
  append(page.page(), cell_page(in, cell, {metrics.aside, last - first}, tools),
         widest_product + before_aside, first);
  return page.take();
}

}  // namespace headscope
