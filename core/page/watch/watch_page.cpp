#include "core/page/watch/watch_page.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/figure/cell_text.h"
#include "core/figure/colormap.h"
#include "core/figure/pages.h"
#include "core/figure/text_fit.h"
#include "core/io/matrix_number.h"
#include "core/measures/head_scale.h"
#include "core/page/parts/page_text.h"
#include "core/page/parts/readable.h"
#include "core/text/number_text.h"
#include "core/trace/place_text.h"
#include "core/trace/summary.h"
#include "core/trace/trace.h"

namespace headscope {
namespace {

/// The steps, each of which shows what those before it computed.
namespace step {
enum : int { meet = 1, multiply, add, scale, mask, exponent, divide, weigh, output };
}
static_assert(step::output == last_watch_step);

constexpr std::size_t most_keys = 12;
constexpr float label_width = 104.0F;
constexpr float column_width = 78.0F;  ///< Of the numbers.
constexpr float before_columns = 16.0F;
constexpr float least_written_cell = 24.0F;  ///< The width from which cells show their numbers.

/// The numbers shown for a key.
struct KeyRow {
  int key = 0;
  bool is_visible = true;
  std::vector<float> products;  ///< query × key
  std::vector<float> numbers;   ///< of the key
  std::vector<float> value;     ///< of the key
  std::vector<float> values;    ///< weight × value, with the weight after dropout
  float used = 0.0F;            ///< that weight
  double raw = 0.0, scaled = 0.0, masked = 0.0, exponential = 0.0, weight = 0.0;
};

struct WatchedRow {
  int query = 0;
  std::string query_name, keys_name;  ///< what is multiplied, such as “rotated query” and “rotated keys”
  int n_keys = 0, n_visible = 0;
  std::vector<float> numbers;  ///< of the query
  std::vector<float> result;   ///< of the head
  std::vector<KeyRow> keys;
  double greatest = 0.0;        ///< the greatest score of the row, including a sink
  double sum = 0.0;             ///< the sum of all exponentials
  double greatest_value = 0.0;  ///< the greatest magnitude among the values of the listed keys
  bool agrees = true;           ///< whether the stored weights are these exponentials divided by their sum
};

std::string reason_not_watched(const PageInputs& in) {
  if (!in.trace->has(in.at(StageKind::masked))) return "This pass has no scores of its own here.";
  constexpr std::size_t query_and_key = 2;
  if (inputs_of(*in.trace, in.at(StageKind::raw)).size() < query_and_key)
    return "The scores of this head were given by hand: no query and no key stand behind them.";
  if (in.trace->architecture().linear_attention)
    return "Linear attention has no softmax: its weights are not computed in these steps.";
  if (in.trace->options().softmax == SoftmaxAxis::queries)
    return "The softmax runs over queries here, so a row cannot be computed on its own. Choose softmax over keys.";
  return {};
}

std::vector<float> row_of(const Trace& trace, const StageId& stage, int row) {
  const StageNumbers numbers = trace.read_row(stage, row);
  const auto view = numbers.view.row(0);
  return {view.begin(), view.end()};
}

/// The keys of the greatest weights, in the order of the text.
std::vector<int> listed_keys(const Trace& trace, const StageId& weights, int query) {
  const StageNumbers row = trace.read_row(weights, query);
  std::vector<int> keys;
  for (const RankedKey& each : ranked_keys(row.view, 0)) {
    if (keys.size() == most_keys) break;
    keys.push_back(each.key);
  }
  std::ranges::sort(keys);
  return keys;
}

/// Whether the output is the sum of the weighted values, as far as all of them are listed. Interventions
/// change it.
bool adds_up(const WatchedRow& row) {
  if (row.result.empty() || row.keys.size() < static_cast<std::size_t>(row.n_keys)) return true;
  constexpr double rounding = 1e-4;
  for (std::size_t i = 0; i < row.result.size(); ++i) {
    double sum = 0.0;
    for (const KeyRow& key : row.keys) sum += static_cast<double>(key.values[i]);
    if (std::fabs(sum - static_cast<double>(row.result[i])) > rounding * std::max(row.greatest_value, 1.0))
      return false;
  }
  return true;
}

/// The name of a stage within a line: “rotated query”.
std::string name_in_line(const StageId& stage) {
  std::string name(info(stage.kind).title);
  name.front() = static_cast<char>(std::tolower(static_cast<unsigned char>(name.front())));
  return name;
}

/// Reads everything that the page shows of the row.
WatchedRow watched_row(const PageInputs& in, int query) {
  const Trace& trace = *in.trace;
  const std::vector<StageId> sources =
      inputs_of(trace, in.at(StageKind::raw));  // the queries and keys as they are multiplied
  WatchedRow row;
  row.query = query;
  row.query_name = name_in_line(sources.at(0));
  row.keys_name = name_in_line(sources.at(1)) + "s";
  row.numbers = row_of(trace, sources.at(0), query);
  const std::vector<float> raws = row_of(trace, in.at(StageKind::raw), query);
  const std::vector<float> scaleds = row_of(trace, in.at(StageKind::scaled), query);
  const std::vector<float> maskeds = row_of(trace, in.at(StageKind::masked), query);
  const std::vector<float> weight = row_of(trace, in.at(StageKind::weights), query);
  const std::vector<float> used = row_of(
      trace, trace.has(in.at(StageKind::dropped)) ? in.at(StageKind::dropped) : in.at(StageKind::weights),
      query);
  row.n_keys = static_cast<int>(weight.size());
  const StageId place = in.at(StageKind::weights);
  for (int key = 0; key < row.n_keys; ++key)
    row.n_visible += trace.mask(place).sees(place.head, query, key) ? 1 : 0;
  row.greatest = static_cast<double>(*std::ranges::max_element(maskeds));
  const StageId sink_score = in.at(StageKind::sink);
  const bool has_sink = trace.has(sink_score);
  const double sink = has_sink ? trace.number(sink_score, 0, 0) : 0.0;
  if (has_sink) row.greatest = std::max(row.greatest, sink);
  const bool sees_nothing = !std::isfinite(row.greatest);
  for (const float score : maskeds)
    row.sum += sees_nothing ? 0.0 : std::exp(static_cast<double>(score) - row.greatest);
  if (has_sink) row.sum += std::exp(sink - row.greatest);
  for (const int key : listed_keys(trace, in.at(StageKind::weights), query)) {
    const auto at = static_cast<std::size_t>(key);
    KeyRow each;
    each.key = key;
    each.is_visible = trace.mask(place).sees(place.head, query, key);
    each.numbers = row_of(trace, sources.at(1), key);
    for (std::size_t i = 0; i < std::min(each.numbers.size(), row.numbers.size()); ++i)
      each.products.push_back(row.numbers[i] * each.numbers[i]);
    each.raw = static_cast<double>(raws[at]);
    each.scaled = static_cast<double>(scaleds[at]);
    each.masked = static_cast<double>(maskeds[at]);
    each.exponential = std::isfinite(each.masked) ? std::exp(each.masked - row.greatest) : 0.0;
    each.weight = static_cast<double>(weight[at]);
    constexpr double rounding = 1e-4;
    const double share = row.sum > 0.0 ? each.exponential / row.sum : 0.0;
    row.agrees = row.agrees && std::fabs(share - each.weight) < rounding;
    each.value = row_of(trace, in.at(StageKind::value), key);
    each.used = used[at];
    for (const float number : each.value) {
      row.greatest_value = std::max(row.greatest_value, std::fabs(static_cast<double>(number)));
      each.values.push_back(number * each.used);
    }
    row.keys.push_back(std::move(each));
  }
  if (trace.has(in.at(StageKind::output))) row.result = row_of(trace, in.at(StageKind::output), query);
  row.agrees = row.agrees && adds_up(row);
  return row;
}

double magnitude_of(const std::vector<float>& numbers) {
  double most = 0.0;
  for (const float number : numbers) most = std::max(most, std::fabs(static_cast<double>(number)));
  return most;
}

/// Describes how raw scores become scaled scores: "Each score is multiplied by 1/√16 = 0.25".
std::string scaling_text(const PageInputs& in) {
  if (in.trace->architecture().softcap > 0.0F) return "Each score is scaled and then limited by the softcap";
  const ScoreFactors factors = score_factors(*in.trace, in.at(StageKind::raw));
  const double used = factors.is_divided ? factors.divided : factors.undivided;
  const double plain = 1.0 / std::sqrt(static_cast<double>(factors.width));
  const bool is_plain = std::fabs(used - plain) < 1e-9;
  return "Each score is multiplied by " + (is_plain ? "1/√" + std::to_string(factors.width) + " = " : "") +
         number_text(used, 4);
}

/// What happens in a step, in a sentence.
std::string sentence_of(const PageInputs& in, const WatchedRow& row, int now) {
  const std::string word =
      "“" + in.trace->label(in.at(StageKind::weights), Axis::query_tokens, row.query) + "”";
  const int width = static_cast<int>(row.numbers.size());
  switch (now) {
    case step::meet:
      return "The query of " + word + " meets the key of every word" +
             (in.trace->has(in.at(StageKind::rotated_query)) ? ", both rotated by their positions." : ".");
    case step::multiply:
      return "Query and key are multiplied number by number.";
    case step::add:
      return "The " + std::to_string(width) + " products of each key are added up: the raw scores.";
    case step::scale:
      return std::ranges::any_of(row.keys, [](const KeyRow& key) { return key.raw != key.scaled; })
                 ? scaling_text(in) + ", which decides how sharply the row will choose."
                 : "Nothing scales the scores here: they stay as they are.";
    case step::mask:
      return std::ranges::any_of(row.keys, [](const KeyRow& key) { return !key.is_visible; })
                 ? "The mask hides the words that this row must not see."
                 : "No mask hides a word here.";
    case step::exponent:
      return "The exponential is taken of each score s minus the largest, max = " +
             number_text(row.greatest, 4) + ": no number gets too large, and the weights stay the same.";
    case step::divide:
      return "Each exponential is divided by the sum of the row, " + number_text(row.sum, 4) +
             ": the weights, which add up to 1.";
    case step::weigh:
      return in.trace->has(in.at(StageKind::dropped))
                 ? "Dropout sets some weights to 0 and enlarges the others; each value is multiplied by what is left."
                 : "The value of each word is multiplied by its weight.";
    case step::output:
      return "The weighted values are added up: what this head hands on for " + word + ".";
  }
  return {};
}

/// A column of numbers beside the cells. It appears in its step.
struct Column {
  int from;
  const char* title;
  double KeyRow::*number;
};
constexpr std::array all_columns{
    Column{step::add, "raw score", &KeyRow::raw}, Column{step::scale, "scaled", &KeyRow::scaled},
    Column{step::mask, "masked", &KeyRow::masked}, Column{step::exponent, "exp(s−max)", &KeyRow::exponential},
    Column{step::divide, "weight", &KeyRow::weight}};

/// The columns of all rows of a head. The masked scores have one only if there is a mask or the like.
std::vector<Column> columns_of(const PageInputs& in, const WatchedRow& row) {
  std::vector<Column> columns(all_columns.begin(), all_columns.end());
  const auto is_changed = [](const KeyRow& key) { return key.masked != key.scaled; };
  const CombinedMask& mask = in.trace->mask(in.at(StageKind::masked));
  if (mask.visible.empty() && mask.added.empty() && std::ranges::none_of(row.keys, is_changed))
    std::erase_if(columns, [](const Column& each) { return each.from == step::mask; });
  return columns;
}

/// Draws the rows of one step.
class Painter {
 public:
  Painter(const PageInputs& in, const PageTools& tools, const WatchedRow& row, float line, PageText& page)
      : in_(in),
        tools_(tools),
        row_(row),
        step_(std::clamp(in.session.watch_step, 1, last_watch_step)),
        line_(line),
        columns_(columns_of(in, row)),
        n_columns_(std::clamp(static_cast<int>((page.width() - 2.0F * label_width) / column_width), 1,
                              static_cast<int>(columns_.size()))),
        page_(page) {}

  void paint() {
    const StageId weights = in_.at(StageKind::weights);
    double most = magnitude_of(row_.numbers);
    double most_product = 0.0;
    for (const KeyRow& key : row_.keys) {
      most = std::max(most, magnitude_of(key.numbers));
      most_product = std::max(most_product, magnitude_of(key.products));
    }
    label(row_.query_name, Font::sans_bold, theme().accent);
    cells(row_.numbers, most);
    next_line();
    page_.space(6.0F);
    header();
    for (const KeyRow& key : row_.keys) {
      const bool is_query = key.key == row_.query && weights.attention == AttentionKind::self;
      label(in_.trace->label(weights, Axis::key_tokens, key.key), is_query ? Font::sans_bold : Font::sans,
            key.is_visible || step_ < step::mask ? theme().text : theme().quiet);
      page_.page().regions.push_back({{0.0F, page_.y(), label_width, line_}, TokenArea{key.key}});
      if (step_ < step::multiply) {
        cells(key.numbers, most);
      } else if (step_ < step::weigh) {
        cells(key.products, most_product, step_ == step::multiply ? factors_of_products(key) : Factors{});
      } else {
        cells(key.values, row_.greatest_value, step_ == step::weigh ? factors_of_values(key) : Factors{});
      }
      numbers(key);
      next_line();
    }
    if (step_ < step::output || row_.result.empty()) return;
    page_.space(6.0F);
    label("output", Font::sans_bold, theme().accent);
    cells(row_.result, std::max(row_.greatest_value, magnitude_of(row_.result)));
    next_line();
  }

 private:
  const Theme& theme() const { return page_.theme(); }
  float cells_width() const {
    return page_.width() - label_width - before_columns - static_cast<float>(n_columns_) * column_width;
  }
  float middle() const { return page_.y() + 0.5F * line_; }
  void next_line() { page_.space(line_); }
  void add_item(Item item) { page_.page().figure.items.emplace_back(std::move(item)); }

  void label(const std::string& text, Font font, Color color) {
    add_item(Label{fitted_text(text, label_width - 8.0F, font, page_size::control, tools_.measure),
                   {0.0F, middle()},
                   color,
                   page_size::control,
                   font,
                   HorizontalAnchor::left,
                   VerticalAnchor::middle});
  }

  /// The size and the digits of numbers with which the widest does not reach the next cell.
  NumberFit fit_in_cell(float width) const {
    constexpr float margin = 5.0F;
    constexpr float readable = 10.0F;
    const auto size_of = [&](std::string_view widest) {
      const float full = tools_.measure(widest, Font::sans, page_size::small).width;
      return std::min(page_size::small, page_size::small * (width - margin) / full);
    };
    const float size = size_of("−.000");
    return size >= readable ? NumberFit{size, CellDigits::three}
                            : NumberFit{size_of("−.00"), CellDigits::two};
  }

  /// The two numbers whose product is in a cell. Empty if the product alone is written.
  using Factors = std::vector<std::pair<float, float>>;

  Factors factors_of_products(const KeyRow& key) const {
    Factors factors;
    for (std::size_t i = 0; i < key.products.size(); ++i)
      factors.emplace_back(row_.numbers[i], key.numbers[i]);
    return factors;
  }

  static Factors factors_of_values(const KeyRow& key) {
    Factors factors;
    for (const float number : key.value) factors.emplace_back(key.used, number);
    return factors;
  }

  /// The number as it is written into a cell. Empty if it is left out because it would read as 0.
  std::string written(float number, CellDigits digits) const {
    constexpr float smallest = 0.0005F;
    const bool is_small = std::fabs(number) < smallest && number != 0.0F;
    std::string text = !in_.session.picture.details ? rounded_cell_text(number, digits)
                       : is_small                   ? number_text(static_cast<double>(number), 1)
                                                    : cell_text(number, digits);
    const bool rounds_to_zero = text != "0" && text.find_first_not_of(".0") == std::string::npos;
    return rounds_to_zero ? std::string() : text;
  }

  /// A product with its factors: "3 × −2 = −6", with ≈ if the written factors do not give the written
  /// product. The text is empty if it does not fit, or if one of the three numbers is left out or written as
  /// a bound or a power of ten.
  std::string equation(const std::pair<float, float>& factors, float product, float width) const {
    const std::string left = written(factors.first, CellDigits::three);
    const std::string right = written(factors.second, CellDigits::three);
    const std::string result = written(product, CellDigits::three);
    const CellNumber left_number = read_cell(left);
    const CellNumber right_number = read_cell(right);
    const CellNumber number = read_cell(result);
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

  /// Draws numbers as colours, and writes them where they fit, with their factors if these fit, too.
  void cells(const std::vector<float>& numbers, double most, const Factors& factors = {}) {
    const ColorMap& colors = color_map(in_.session.picture.diverging, in_.session.picture.theme);
    const auto n = static_cast<float>(std::max<std::size_t>(numbers.size(), 1));
    const float width = cells_width() / n;
    const float between = width >= 6.0F ? 1.0F : 0.0F;
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      const double share = most > 0.0 ? static_cast<double>(numbers[i]) / most : 0.0;
      const auto place = static_cast<float>(0.5 + 0.5 * std::clamp(share, -1.0, 1.0));
      const Box cell{label_width + static_cast<float>(i) * width, page_.y() + 2.0F, width - between,
                     line_ - 4.0F};
      const Color color = sample(colors, place);
      add_item(FilledRect{cell, color});
      if (cell.w < least_written_cell) continue;
      const NumberFit fit = fit_in_cell(cell.w);
      std::string text = i < factors.size() ? equation(factors[i], numbers[i], cell.w) : "";
      if (text.empty()) text = written(numbers[i], fit.digits);
      add_item(Label{text,
                     {cell.x + 0.5F * cell.w, middle()},
                     readable_on(color),
                     fit.size,
                     Font::sans,
                     HorizontalAnchor::center,
                     VerticalAnchor::middle});
    }
  }

  /// Writes what the cells and the columns are. The newest column stands out.
  void header() {
    const std::string what = step_ < step::multiply ? row_.keys_name
                             : step_ < step::weigh  ? "query × key"
                                                    : "weight × value";
    const bool is_new = step_ == step::meet || step_ == step::multiply || step_ == step::weigh;
    add_item(Label{what,
                   {label_width, middle()},
                   is_new ? theme().accent : theme().quiet,
                   page_size::small,
                   is_new ? Font::sans_bold : Font::sans,
                   HorizontalAnchor::left,
                   VerticalAnchor::middle});
    signs();
    for (std::size_t i = first_column(); i < columns_.size(); ++i) {
      if (step_ < columns_[i].from) continue;
      const bool is_newest = step_ == columns_[i].from;
      add_item(Label{columns_[i].title,
                     {right_of(i), middle()},
                     is_newest ? theme().accent : theme().quiet,
                     page_size::small,
                     is_newest ? Font::sans_bold : Font::sans,
                     HorizontalAnchor::right,
                     VerticalAnchor::middle});
    }
    next_line();
  }

  /// Says which colours are negative and positive, at the right end of the cells, if there is room.
  void signs() {
    constexpr float least_room = 320.0F;
    if (cells_width() < least_room) return;
    constexpr float box = 9.0F;
    constexpr float strong = 0.8F;
    constexpr float each = 74.0F;
    const ColorMap& colors = color_map(in_.session.picture.diverging, in_.session.picture.theme);
    float x = label_width + cells_width() - 2.0F * each;
    for (const bool is_positive : {false, true}) {
      add_item(FilledRect{
          {x, middle() - 0.5F * box, box, box}, sample(colors, is_positive ? strong : 1.0F - strong), 2.0F});
      add_item(Label{is_positive ? "positive" : "negative",
                     {x + box + 5.0F, middle()},
                     theme().quiet,
                     page_size::small,
                     Font::sans,
                     HorizontalAnchor::left,
                     VerticalAnchor::middle});
      x += each;
    }
  }

  /// The first of the columns that fit, among those that have appeared.
  std::size_t first_column() const {
    const auto there =
        std::ranges::count_if(columns_, [this](const Column& each) { return step_ >= each.from; });
    return static_cast<std::size_t>(std::max<std::ptrdiff_t>(there - n_columns_, 0));
  }
  float right_of(std::size_t column) const {
    const std::size_t place = column - first_column();
    return page_.width() - static_cast<float>(n_columns_ - 1 - static_cast<int>(place)) * column_width;
  }

  void numbers(const KeyRow& key) {
    for (std::size_t i = first_column(); i < columns_.size(); ++i) {
      if (step_ < columns_[i].from) continue;
      const double number = key.*columns_[i].number;
      const bool is_share = columns_[i].from == step::divide;
      const bool details = in_.session.picture.details;
      const bool is_rounded = is_share || (columns_[i].from == step::exponent && !details);
      const std::string text = is_rounded && number <= 1.0 ? share_text(in_.session.picture, number)
                               : details                   ? number_text(number, 4)
                                                           : decimals_text(number, 2);
      if (is_share) weight_bar(number, right_of(i));
      add_item(Label{text,
                     {right_of(i), middle()},
                     step_ == columns_[i].from || is_share ? theme().text : theme().quiet,
                     page_size::small,
                     Font::mono,
                     HorizontalAnchor::right,
                     VerticalAnchor::middle});
    }
  }

  /// Draws the weight as a bar behind its number.
  void weight_bar(double weight, float right) {
    constexpr float inset = 8.0F;
    const float room = column_width - inset;
    const float width = room * static_cast<float>(std::clamp(weight, 0.0, 1.0));
    add_item(FilledRect{{right - room, page_.y() + 2.0F, width, line_ - 4.0F}, theme().accent_soft, 3.0F});
  }

  const PageInputs& in_;
  const PageTools& tools_;
  const WatchedRow& row_;
  int step_;
  float line_;
  std::vector<Column> columns_;
  int n_columns_;  ///< How many columns of numbers fit. The newest are shown.
  PageText& page_;
};

/// Whether everything that the row is made from can be read now.
bool can_read_row(const PageInputs& in, PageTools& tools) {
  using enum StageKind;
  std::vector<StageId> needed = inputs_of(*in.trace, in.at(raw));
  for (const StageKind kind : {raw, scaled, masked, weights, dropped, value, StageKind::output})
    needed.push_back(in.at(kind));
  return std::ranges::all_of(
      needed, [&](const StageId& stage) { return !in.trace->has(stage) || can_read(in, tools, stage); });
}

}  // namespace

Page watch_page(const PageInputs& in, const PageSize& size, PageTools& tools) {
  PageText page(in, tools, size.width);
  const StageId weights = in.at(StageKind::weights);
  const auto write_title = [&](const std::string& title) {
    page.line({{title, Font::sans_bold, page_size::title, page.theme().text},
               {place_text(*in.trace, weights), Font::sans, page_size::small, page.theme().quiet},
               guess_word(*in.trace, weights, page.theme())},
              12.0F);
  };
  const std::string reason = reason_not_watched(in);
  if (!reason.empty() || !can_read_row(in, tools)) {
    write_title("A row of attention");
    page.paragraph(reason.empty() ? instead_of_reading(tools) : reason, {}, page_size::body);
    return page.take();
  }
  const int n_queries = in.trace->extent(weights).rows;
  const WatchedRow row =
      watched_row(in, std::clamp(in.session.selection.token.value_or(0), 0, n_queries - 1));
  write_title("The row of “" + in.trace->label(weights, Axis::query_tokens, row.query) + "”");
  const int now = std::clamp(in.session.watch_step, 1, last_watch_step);
  page.line({{std::to_string(now) + " of " + std::to_string(last_watch_step), Font::sans, page_size::body,
              page.theme().quiet},
             {sentence_of(in, row, now), Font::sans_bold, page_size::body, page.theme().accent}},
            10.0F);
  const auto n_lines = static_cast<float>(row.keys.size() + 4);
  Painter(in, tools, row, std::clamp((size.height - page.y() - 40.0F) / n_lines, 18.0F, 44.0F), page).paint();
  page.space(page_size::spacing);
  const int n_listed = static_cast<int>(row.keys.size());
  if (row.n_keys > n_listed && row.n_visible > n_listed)
    page.paragraph("The list has the " + std::to_string(n_listed) + " words with the largest weights, of " +
                   grouped(row.n_visible) +
                   (row.n_visible < row.n_keys ? " that the mask leaves visible." : "."));
  else if (row.n_keys > n_listed)
    page.paragraph("The list has every word that the mask leaves visible (" + std::to_string(row.n_visible) +
                   " of " + grouped(row.n_keys) + "), and some that it hides.");
  if (!row.agrees && now >= step::divide)
    page.paragraph(
        "An intervention or a given weight changes this row after its softmax: the weights are those of the pass.");
  return page.take();
}

}  // namespace headscope
