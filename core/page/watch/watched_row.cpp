#include "core/page/watch/watched_row.h"

#include <array>
#include <cmath>
#include <string_view>
#include <utility>

#include "core/figure/color_scale.h"
#include "core/figure/colormap.h"
#include "core/figure/text_fit.h"
#include "core/io/matrix_text.h"
#include "core/text/number_text.h"
#include "core/trace/trace.h"

namespace headscope {
namespace {

namespace step = watch_step;

constexpr float label_width = 104.0F;
constexpr float min_written_cell = 24.0F;  ///< The width from which cells show their numbers.
constexpr float header_height = 40.0F;     ///< The title of a column and what it is for.

double magnitude_of(const std::vector<float>& numbers) {
  double most = 0.0;
  for (const float number : numbers) most = std::max(most, std::fabs(static_cast<double>(number)));
  return most;
}

float between(float from, float to, float share) {
  return from + (to - from) * share;
}

/// A column of bars: one for each key.
struct BarColumn {
  int from;  ///< The step in which it appears.
  const char* title;
  const char* hint;  ///< What the column is for.
};
constexpr BarColumn raw_column{step::add, "raw score", "does the query match?"};
constexpr BarColumn scaled_column{step::scale, "scaled", "smaller differences"};
constexpr BarColumn masked_column{step::mask, "masked", "what it may see"};
constexpr BarColumn biased_column{step::mask, "biased", "what is added"};
constexpr BarColumn exponential_column{step::exponent, "exp(s − max)", "only the best survive"};
constexpr BarColumn weight_column{step::divide, "weight", "shares of one whole"};
constexpr BarColumn value_column{step::weigh, "weight × value",
                                 "higher for greater weights, in the colours of the value"};

class Picture {
 public:
  Picture(const PageInputs& in, const PageTools& tools, const WatchedRow& row, float height,
          PageBuilder& page)
      : in_(in),
        tools_(tools),
        row_(row),
        step_(std::clamp(in.session.watch_step, 1, last_watch_step)),
        page_(page) {
    constexpr float lowest = 18.0F;
    constexpr float highest = 44.0F;
    const auto n_lines = static_cast<float>(row.keys.size() + 2);
    line_ = std::clamp((height - header_height) / n_lines, lowest, highest);
  }

  void draw() {
    if (step_ < step::add) return draw_products();
    step_ < step::weigh ? draw_scores() : draw_values();
  }

 private:
  const Theme& theme() const { return page_.theme(); }
  float middle() const { return page_.y() + 0.5F * line_; }
  void next_line() { page_.space(line_); }
  void add_item(Item item) { page_.figure().items.emplace_back(std::move(item)); }
  /// How much of a step has happened.
  float done(int step) const { return step_ > step ? 1.0F : step_ == step ? in_.step_progress : 0.0F; }

  void write(const std::string& text, Point at, Color color, Font font = Font::sans,
             HorizontalAnchor anchor = HorizontalAnchor::left) {
    add_text(page_.figure(), text, at, color, page_size::small, font, anchor);
  }

  void label(const std::string& text, float x, float y, Font font, Color color) {
    add_text(page_.figure(), elided_text(text, label_width - 8.0F, font, page_size::control, tools_.measure),
             {x, y}, color, page_size::control, font);
  }

  /// The word of a key in the current line. A click on it watches its row.
  void label_of(const WatchedKey& key, float x = 0.0F) {
    const StageId weights = in_.at(StageKind::weights);
    const bool is_query = key.key == row_.query && weights.attention == AttentionKind::self;
    label(in_.trace->label(weights, Axis::key_tokens, key.key), x, middle(),
          is_query ? Font::sans_bold : Font::sans,
          key.is_visible || step_ < step::mask ? theme().text : theme().quiet);
    page_.page().regions.push_back({{x, page_.y(), label_width, line_}, TokenArea{key.key}});
  }

  /// The title of a column, in the accent colour during its step, and its purpose if that fits.
  void title(const BarColumn& column, float x, float width) {
    const bool is_newest = step_ == column.from;
    const float top = page_.y();
    write(column.title, {x, top + 10.0F}, is_newest ? theme().accent : theme().text, Font::sans_bold);
    if (tools_.measure(column.hint, Font::sans, page_size::small).width <= width)
      write(column.hint, {x, top + 26.0F}, theme().quiet);
  }

  // The query beside the keys, and their products.

  void draw_products() {
    double most = magnitude_of(row_.numbers);
    double max_product = 0.0;
    for (const WatchedKey& key : row_.keys) {
      most = std::max(most, magnitude_of(key.numbers));
      max_product = std::max(max_product, magnitude_of(key.products));
    }
    const bool is_product = step_ == step::multiply;
    const BarColumn column{step_, is_product ? "query × key" : row_.keys_name.c_str(),
                           is_product ? "number by number" : "one for each word"};
    title(column, label_width, page_.width());
    signs(column, label_width);
    page_.space(header_height);
    label(row_.query_name, 0.0F, middle(), Font::sans_bold, theme().accent);
    cells(row_.numbers, most, line_of_cells(label_width));
    next_line();
    page_.space(6.0F);
    for (const WatchedKey& key : row_.keys) {
      label_of(key);
      cells(is_product ? key.products : key.numbers, is_product ? max_product : most,
            line_of_cells(label_width), is_product ? row_.numbers : std::vector<float>(), key.numbers);
      next_line();
    }
  }

  // Scores, exponentials and weights as bars.

  /// The columns up to the weights. The masked scores have one only if there is a mask or the like.
  std::vector<BarColumn> columns() const {
    std::vector<BarColumn> all{raw_column, scaled_column};
    const CombinedMask& mask = in_.trace->mask(in_.at(StageKind::masked));
    if (!mask.visible.empty() ||
        std::ranges::any_of(row_.keys, [](const auto& key) { return !key.is_visible; }))
      all.push_back(masked_column);
    else if (!mask.added.empty() || adds_any(row_))
      all.push_back(biased_column);
    all.push_back(exponential_column);
    all.push_back(weight_column);
    return all;
  }

  void draw_scores() {
    std::vector<BarColumn> all = columns();
    constexpr float min_column_width = 124.0F;
    const float room = page_.width() - label_width;
    const auto n_fit =
        static_cast<std::size_t>(std::clamp(room / min_column_width, 1.0F, static_cast<float>(all.size())));
    const float width = room / static_cast<float>(n_fit);
    // The places of all columns are fixed if all fit; otherwise, the newest are shown.
    std::erase_if(all, [&](const BarColumn& each) { return step_ < each.from; });
    if (all.size() > n_fit) all.erase(all.begin(), all.end() - static_cast<std::ptrdiff_t>(n_fit));
    const float top = page_.y() + header_height;
    for (std::size_t i = 0; i < all.size(); ++i) {
      constexpr float gap = 20.0F;
      const float x = label_width + static_cast<float>(i) * width;
      title(all[i], x, width - gap);
      if (all[i].from == step::divide) {
        draw_shares(x - 0.5F * gap, top, width + 0.5F * gap);
      } else {
        draw_bars(all[i], {x, top, width - gap, 0.0F});
      }
    }
    page_.space(header_height);
    for (const WatchedKey& key : row_.keys) {
      label_of(key);
      next_line();
    }
    next_line();
  }

  /// The least and the greatest of the scores before and after they are scaled and masked, and 0. All columns
  /// share them, so that a bar that is divided becomes shorter.
  std::pair<double, double> range_of_scores() const {
    double least = 0.0;
    double greatest = 1e-6;
    for (const WatchedKey& key : row_.keys) {
      // A hidden score may be a huge number in place of −∞.
      for (const double score : {key.raw, key.scaled, key.is_visible ? key.masked : key.scaled}) {
        least = std::min(least, score);
        greatest = std::max(greatest, score);
      }
    }
    return {least, greatest};
  }

  /// The score of a key in a column, as far as its step has happened, and whether it is a computed number.
  std::pair<double, bool> score_of(const WatchedKey& key, int column) const {
    const auto share = static_cast<double>(done(column));
    if (column == step::scale) return {key.raw + (key.scaled - key.raw) * share, share >= 1.0};
    if (column == step::mask && !key.is_visible) return {key.scaled, false};
    if (column == step::mask) return {key.scaled + (key.masked - key.scaled) * share, share >= 1.0};
    if (share >= 1.0) return {key.raw, true};
    const auto n = static_cast<std::size_t>(share * static_cast<double>(key.products.size()));
    double sum = 0.0;
    for (std::size_t i = 0; i < n; ++i) sum += static_cast<double>(key.products[i]);
    return {sum, true};
  }

  void draw_bars(const BarColumn& column, const Box& area) {
    constexpr float number_width = 52.0F;
    const float room = area.w - number_width;
    const bool is_exponential = column.from == step::exponent;
    const auto [lowest, highest] = is_exponential ? std::pair(0.0, 1.0) : range_of_scores();
    const float unit = room / static_cast<float>(highest - lowest);
    const float zero = -unit * static_cast<float>(lowest);
    const float bottom = area.y + line_ * static_cast<float>(row_.keys.size());
    add_line(page_.figure(), {area.x + zero, area.y}, {area.x + zero, bottom}, theme().line);
    for (std::size_t i = 0; i < row_.keys.size(); ++i) {
      const WatchedKey& key = row_.keys[i];
      const float top = area.y + line_ * static_cast<float>(i);
      const Box track{area.x, top + 0.2F * line_, room, 0.6F * line_};
      const float y = top + 0.5F * line_;
      if (column.from >= step::mask && !key.is_visible && done(step::mask) >= 1.0F) {
        add_item(Hatch{track, hatch_color(theme())});
        write("hidden", {area.right(), y}, theme().quiet, Font::sans, HorizontalAnchor::right);
        continue;
      }
      const auto [number, is_computed] =
          is_exponential ? std::pair(key.exponential * static_cast<double>(done(step::exponent)),
                                     done(step::exponent) >= 1.0F)
                         : score_of(key, column.from);
      constexpr float strong = 0.85F;
      const float length = unit * static_cast<float>(number);
      const float width = std::max(std::fabs(length), 1.0F);
      add_box(page_.figure(), {track.x + (length < 0.0F ? zero - width : zero), track.y, width, track.h},
              is_exponential ? share_color(0.6F) : sample(colors(), length < 0.0F ? 1.0F - strong : strong),
              2.0F);
      if (is_computed)
        write(in_.number(number), {area.right(), y}, step_ == column.from ? theme().text : theme().quiet,
              Font::mono, HorizontalAnchor::right);
    }
    if (is_exponential && step_ >= step::divide)
      write("sum " + in_.number(row_.sum), {area.right(), bottom + 0.5F * line_}, theme().text, Font::mono,
            HorizontalAnchor::right);
  }

  const ColorMap& colors() const {
    return color_map(in_.session.picture.diverging, in_.session.picture.theme);
  }
  Color share_color(float share) const {
    return sample(color_map(in_.session.picture.sequential, in_.session.picture.theme), share);
  }

  /// A part of the bar: a key's weight, the weights of all unlisted keys, or the sink's share.
  struct Share {
    std::string name;
    double weight = 0.0, exponential = 0.0;
  };

  /// \param weight Returns the weight of a key, before or after dropout.
  std::vector<Share> shares(double (*weight)(const WatchedKey& key)) const {
    std::vector<Share> all;
    for (const WatchedKey& key : row_.keys)
      all.push_back({in_.trace->label(in_.at(StageKind::weights), Axis::key_tokens, key.key), weight(key),
                     key.exponential});
    const auto n_others = row_.n_keys - static_cast<int>(row_.keys.size());
    if (n_others > 0) all.push_back({grouped(n_others) + " others", row_.others, 0.0});
    if (row_.sink) all.push_back({"sink", *row_.sink, 0.0});
    return all;
  }

  /// The places of the shares in the bar. A negative weight, which was given by hand, has none.
  static std::vector<Box> segments(const std::vector<Share>& shares, const Box& whole) {
    double sum = 0.0;
    for (const Share& share : shares) sum += std::max(share.weight, 0.0);
    std::vector<Box> boxes;
    float y = whole.y;
    for (const Share& share : shares) {
      const float height = whole.h * static_cast<float>(std::max(share.weight, 0.0) / std::max(sum, 1.0));
      boxes.push_back({whole.x, y, whole.w, height});
      y += height;
    }
    return boxes;
  }

  /// The whole, divided among the keys, to which each exponential flows: all heights on the left are
  /// exponentials, and all on the right weights.
  void draw_shares(float left, float top, float width) {
    constexpr float whole_width = 32.0F;
    const float share = done(step::divide);
    const float height = line_ * static_cast<float>(row_.keys.size());
    const Box whole{left + std::max(0.3F * width, 24.0F), top, whole_width, height};
    const std::vector<Share> all = shares([](const WatchedKey& key) { return key.weight; });
    const std::vector<Box> boxes = segments(all, whole);
    for (std::size_t i = 0; i < all.size(); ++i) {
      const float middle = top + line_ * (static_cast<float>(i) + 0.5F);
      const float from = i < row_.keys.size() ? 0.6F * line_ * static_cast<float>(all[i].exponential) : 0.0F;
      const float x = between(left, whole.x, share);
      const Box box{x, between(middle - 0.5F * from, boxes[i].y, share), whole_width * share,
                    between(from, boxes[i].h, share)};
      const Color color = share_color(static_cast<float>(std::clamp(all[i].weight, 0.0, 1.0)));
      if (from > 0.0F)
        add_item(Ribbon{
            {left, middle - 0.5F * from}, from, {box.x, box.y}, box.h, mixed(theme().panel, color, 0.45F)});
      add_box(page_.figure(), box, color);
      if (share >= 1.0F) name_of_share(all[i], boxes[i], left + width);
    }
    if (share >= 1.0F) add_frame(page_.figure(), whole, theme().line);
  }

  /// Writes the name and the weight of a share beside it, if it is high enough.
  void name_of_share(const Share& share, const Box& box, float right) {
    constexpr float least = 14.0F;
    constexpr float apart = 8.0F;
    if (box.h < least) return;
    const std::string number = " " + in_.number(share.weight);
    const float room =
        right - box.right() - apart - tools_.measure(number, Font::sans, page_size::small).width;
    // The words are on the left as well, so an elided name helps nobody.
    const bool fits = tools_.measure(share.name, Font::sans, page_size::small).width <= room;
    write((fits ? share.name : "") + number, {box.right() + apart, box.y + 0.5F * box.h}, theme().text);
  }

  // The values, each as high as its weight, and their sum.

  void draw_values() {
    constexpr float whole_width = 32.0F;
    constexpr float ribbon_width = 56.0F;
    constexpr float weight_width = 56.0F;
    const float x = whole_width + ribbon_width + 8.0F;
    const float cells_at = x + label_width + weight_width;
    title(value_column, cells_at, page_.width() - cells_at);
    signs(value_column, cells_at);
    page_.space(header_height);
    const float top = page_.y();
    const std::vector<Share> all =
        shares([](const WatchedKey& key) { return static_cast<double>(key.used); });
    const std::vector<Box> boxes =
        segments(all, {0.0F, top, whole_width, line_ * static_cast<float>(row_.keys.size())});
    double greatest = 1e-6;
    for (const WatchedKey& key : row_.keys)
      greatest = std::max(greatest, std::fabs(static_cast<double>(key.used)));
    std::vector<Box> strips;
    for (std::size_t i = 0; i < all.size(); ++i) {
      const Color color = share_color(static_cast<float>(std::clamp(all[i].weight, 0.0, 1.0)));
      add_box(page_.figure(), boxes[i], color);
      if (i >= row_.keys.size()) continue;
      const WatchedKey& key = row_.keys[i];
      const float height =
          (line_ - 4.0F) * static_cast<float>(std::fabs(static_cast<double>(key.used)) / greatest);
      const Box strip{cells_at, middle() - 0.5F * height, page_.width() - cells_at, height};
      add_item(Ribbon{{whole_width, boxes[i].y},
                      boxes[i].h,
                      {x - 8.0F, strip.y},
                      strip.h,
                      mixed(theme().panel, color, 0.45F)});
      label_of(key, x);
      write(in_.number(key.used), {cells_at - 8.0F, middle()}, theme().text, Font::mono,
            HorizontalAnchor::right);
      draw_strip(key, strip);
      strips.push_back(strip);
      next_line();
    }
    if (step_ == step::output) draw_output(cells_at, x, strips);
  }

  /// The weighted value of a key, which slides in from the left during its step.
  void draw_strip(const WatchedKey& key, const Box& strip) {
    constexpr float min_height = 0.5F;
    if (strip.h < min_height) return;
    const float share = done(step::weigh);
    if (share < 1.0F) add_item(ClipBegin{{strip.x, strip.y, strip.w * share, strip.h}});
    const std::size_t n_factors = step_ == step::weigh ? key.value.size() : 0;
    cells(key.values, row_.max_value, strip, std::vector(n_factors, key.used), key.value, key.value);
    if (share < 1.0F) add_item(ClipEnd{});
  }

  /// The sum of the values that have been added so far. The next one is on its way to it.
  void draw_output(float cells_at, float label_at, const std::vector<Box>& strips) {
    if (row_.result.empty()) return;
    page_.space(6.0F);
    const float share = done(step::output);
    const float reached = share * static_cast<float>(strips.size());
    const auto n = static_cast<std::size_t>(reached);
    std::vector<float> sum = row_.result;
    if (share < 1.0F) {
      std::ranges::fill(sum, 0.0F);
      for (std::size_t i = 0; i < n; ++i)
        for (std::size_t k = 0; k < sum.size(); ++k) sum[k] += row_.keys[i].values[k];
    }
    label("output", label_at, middle(), Font::sans_bold, theme().accent);
    const Box place = line_of_cells(cells_at);
    const double most = std::max(row_.max_value, magnitude_of(row_.result));
    cells(sum, most, place);
    if (share < 1.0F && n < strips.size()) {
      Box moving = strips[n];
      moving.y = between(moving.y, place.y, reached - static_cast<float>(n));
      if (moving.h > 0.0F) cells(row_.keys[n].values, row_.max_value, moving, {}, {}, row_.keys[n].value);
    }
    next_line();
  }

  // Rows of cells.

  Box line_of_cells(float x) const { return {x, page_.y() + 2.0F, page_.width() - x, line_ - 4.0F}; }

  /// The size and the digits of numbers with which the widest does not reach the next cell.
  NumberFit fit_in_cell(float width) const {
    constexpr float margin = 5.0F;
    constexpr float readable = 10.0F;
    const auto size_of = [&](std::string_view widest) {
      const float full = tools_.measure(widest, Font::sans, page_size::small).width;
      return std::min(page_size::small, page_size::small * (width - margin) / full);
    };
    const float size = size_of("−0.000");
    return size >= readable ? NumberFit{size, CellDigits::three}
                            : NumberFit{size_of("−0.00"), CellDigits::two};
  }

  /// The number as it is written into a cell. Empty if it is left out because it would read as 0.
  std::string written(float number, CellDigits digits) const {
    constexpr float smallest = 0.0005F;
    if (std::fabs(number) >= smallest || number == 0.0F)
      return rounded_text(static_cast<double>(number), digits);
    return in_.session.picture.details ? number_text(static_cast<double>(number), 1) : std::string();
  }

  /// "3 × −2 = −6", with ≈ if the written factors do not give the written product. Empty if it does not fit,
  /// or if one of the numbers is left out or written as a bound or a power of ten.
  std::string equation(float left_factor, float right_factor, float product, float width) const {
    const std::string left = written(left_factor, CellDigits::three);
    const std::string right = written(right_factor, CellDigits::three);
    const std::string result = written(product, CellDigits::three);
    const CellNumber left_number = parse_cell(left);
    const CellNumber right_number = parse_cell(right);
    const CellNumber number = parse_cell(result);
    if (std::ranges::any_of(std::array{left_number, right_number, number},
                            [](const CellNumber& each) { return each.problem != CellProblem::none; }) ||
        (left + right + result).find('e') != std::string::npos)
      return {};
    // Less than half of the last place that the product of two written numbers can have.
    const double exact = 5e-7 * std::max(1.0, std::fabs(static_cast<double>(number.value)));
    const double error = static_cast<double>(left_number.value) * static_cast<double>(right_number.value) -
                         static_cast<double>(number.value);
    const bool is_exact = std::fabs(error) < exact;
    const std::string text = left + " × " + right + (is_exact ? " = " : " ≈ ") + result;
    constexpr float margin = 12.0F;
    return tools_.measure(text, Font::sans, page_size::small).width + margin <= width ? text : std::string();
  }

  /// Draws numbers as colours in a box, and writes them where they fit, with their factors if there are some,
  /// `left` and `right`, and these fit, too. A box whose height stands for one factor has the colours of the
  /// other one, `shades`.
  void cells(const std::vector<float>& numbers, double most, const Box& box,
             const std::vector<float>& left = {}, const std::vector<float>& right = {},
             const std::vector<float>& shades = {}) {
    const auto n = static_cast<float>(std::max<std::size_t>(numbers.size(), 1));
    const float width = box.w / n;
    const float gap = width >= 6.0F ? 1.0F : 0.0F;
    constexpr float min_written_height = 14.0F;
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      const float shade = shades.empty() ? numbers[i] : shades[i];
      const double share = most > 0.0 ? static_cast<double>(shade) / most : 0.0;
      const auto place = static_cast<float>(0.5 + 0.5 * std::clamp(share, -1.0, 1.0));
      const Box cell{box.x + static_cast<float>(i) * width, box.y, width - gap, box.h};
      const Color color = sample(colors(), place);
      add_box(page_.figure(), cell, color);
      if (cell.w < min_written_cell || cell.h < min_written_height) continue;
      const NumberFit fit = fit_in_cell(cell.w);
      std::string text = i < left.size() ? equation(left[i], right[i], numbers[i], cell.w) : "";
      if (text.empty()) text = written(numbers[i], fit.digits);
      add_text(page_.figure(), text, cell.center(), readable_on(color), fit.size, Font::sans,
               HorizontalAnchor::center);
    }
  }

  /// The legend of negative and positive colours, at the right end of the cells: beside the title of their
  /// column, which stands at `left`, or on the line below it, if there is space.
  void signs(const BarColumn& column, float left) {
    constexpr float box = 9.0F;
    constexpr float strong = 0.8F;
    constexpr float each = 74.0F;
    constexpr float gap = 12.0F;
    float x = page_.width() - 2.0F * each;
    const auto end_of = [&](const char* text, Font font) {
      return left + tools_.measure(text, font, page_size::small).width + gap;
    };
    const bool is_beside = end_of(column.title, Font::sans_bold) <= x;
    const float end_of_hint = end_of(column.hint, Font::sans);
    const bool has_hint = end_of_hint - gap <= page_.width();
    if (!is_beside && (has_hint ? end_of_hint : left) > x) return;
    const float middle = page_.y() + (is_beside ? 10.0F : 26.0F);
    for (const bool is_positive : {false, true}) {
      add_box(page_.figure(), {x, middle - 0.5F * box, box, box},
              sample(colors(), is_positive ? strong : 1.0F - strong), 2.0F);
      write(is_positive ? "positive" : "negative", {x + box + 5.0F, middle}, theme().quiet);
      x += each;
    }
  }

  const PageInputs& in_;
  const PageTools& tools_;
  const WatchedRow& row_;
  int step_;
  float line_ = 0.0F;  ///< The height of a line.
  PageBuilder& page_;
};

}  // namespace

bool adds_any(const WatchedRow& row) {
  return std::ranges::any_of(
      row.keys, [](const WatchedKey& key) { return key.is_visible && key.masked != key.scaled; });
}

void draw_watched_row(const PageInputs& in, const PageTools& tools, const WatchedRow& row, float height,
                      PageBuilder& page) {
  Picture(in, tools, row, height, page).draw();
}

}  // namespace headscope
