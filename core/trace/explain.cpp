#include "core/trace/explain.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <utility>

#include "core/model/interventions.h"
#include "core/model/pass_edits.h"
#include "core/tensor/descending.h"
#include "core/text/utf8.h"
#include "core/text/vocabulary.h"
#include "core/trace/derivation.h"

namespace headscope {
namespace {

Result<void> check_cell(const Trace& trace, const StageId& id, int row, int col) {
  if (const std::string why = trace.why_absent(id); !why.empty())
    return usage_error("this pass has no stage " + path(id) + ": " + why);
  const Extent numbers = trace.extent(id);
  const auto outside = [&id](const char* what, int index, int size) {
    return usage_error(std::string(what) + " " + std::to_string(index) + " is not in " + path(id) +
                       ": it has " + count_text(size, what) +
                       (size == 0 ? "" : ", 0 to " + std::to_string(size - 1)));
  };
  if (row < 0 || row >= numbers.rows) return outside("row", row, numbers.rows);
  if (col < 0 || col >= numbers.cols) return outside("column", col, numbers.cols);
  return {};
}

std::string source_text(PatchSource source) {
  if (source == PatchSource::zero) return "0";
  if (source == PatchSource::position_mean) return "the mean at this position of other texts";
  return source == PatchSource::mean ? "the mean over other texts" : "the held pass's number";
}

/// Adds the number of a patch, which replaces the computed one.
void replace(Derivation& d) {
  if (d.trace.edits() == nullptr) return;
  const RowEdit* edit = d.trace.edits()->of(canonical(d.trace.architecture(), d.id), d.row);
  if (edit == nullptr) return;
  const bool is_every = edit->row == every_row || edit->is_from_every_row;
  const std::string rows = is_every ? "every row" : "the row of " + d.quoted_row();
  if (edit->source == PatchSource::scaled) {
    const auto factor = static_cast<double>(edit->factor);
    d.add_step("× " + number_text(factor), d.explanation.steps.back().value * factor,
               "an intervention scales " + rows);
  } else {
    d.add_step("replaced by " + source_text(edit->source),
               static_cast<double>(edit->numbers[static_cast<std::size_t>(d.col)]),
               "an intervention replaces " + rows);
  }
}

constexpr std::size_t elements_per_line = 8;  ///< fits into 80 columns with the label
constexpr std::size_t max_name_length = 8;    ///< the length of an element's name, in code points

using Line = std::vector<std::string>;  ///< a label, followed by its elements

std::size_t width_of(const std::string& text) {
  return code_points(text).size();
}

std::string padding(const std::string& text, std::size_t width) {
  const std::size_t own = width_of(text);
  return std::string(width > own ? width - own : 0, ' ');
}

std::string left(const std::string& text, std::size_t width) {
  return text + padding(text, width);
}
std::string right(const std::string& text, std::size_t width) {
  return padding(text, width) + text;
}

std::string element_name(const Explanation::Strip& strip, std::size_t index) {
  return strip.names.empty() ? std::to_string(index) : truncated(strip.names[index], max_name_length);
}

Line strip_line(const Explanation::Strip& strip, const std::vector<std::size_t>& elements) {
  Line line{strip.label};
  line.reserve(elements.size() + 1);
  for (const std::size_t i : elements) line.push_back(number_text(static_cast<double>(strip.values[i])));
  return line;
}

/// Prints strips with the same elements below each other: labels on the left, elements in columns of equal
/// width.
std::string group_text(std::span<const Explanation::Strip> group) {
  constexpr std::size_t max_listed = 256;
  constexpr std::size_t n_strongest = 20;
  const std::vector<std::size_t> printed = listed_elements(group.back().values, max_listed, n_strongest);
  const std::size_t n = printed.size();
  const std::size_t n_more = group.front().values.size() - n;
  std::vector<Line> lines{{""}};
  for (const std::size_t i : printed) lines.front().push_back(element_name(group.front(), i));
  for (const Explanation::Strip& strip : group) lines.push_back(strip_line(strip, printed));
  std::size_t label_width = 0;
  std::size_t element_width = 0;
  for (const Line& line : lines) {
    label_width = std::max(label_width, width_of(line.front()));
    for (std::size_t i = 1; i < line.size(); ++i) element_width = std::max(element_width, width_of(line[i]));
  }
  std::string text;
  for (std::size_t from = 0; from < n; from += elements_per_line) {
    const std::size_t to = std::min(n, from + elements_per_line);
    for (const Line& line : lines) {
      text += "  " + left(line.front(), label_width);
      for (std::size_t i = from; i < to; ++i) text += "  " + right(line[i + 1], element_width);
      text += "\n";
    }
    text += "\n";
  }
  if (n_more > 0)
    text += "  These are the " + std::to_string(n) + " strongest; " + std::to_string(n_more) +
            " more are not listed\n\n";
  return text;
}

std::string steps_text(const std::vector<Explanation::Step>& steps) {
  constexpr int digits = 6;
  std::size_t label_width = 0;
  std::size_t value_width = 0;
  for (const auto& step : steps) {
    label_width = std::max(label_width, width_of(step.label));
    value_width = std::max(value_width, width_of(number_text(step.value, digits)));
  }
  std::string text;
  for (const auto& step : steps) {
    text += "  " + left(step.label, label_width) + "  " + right(number_text(step.value, digits), value_width);
    text += (step.note.empty() ? "" : "   " + step.note) + "\n";
  }
  return text;
}

std::string source_text(const Explanation::Source& source) {
  std::string text = path(source.stage);
  if (source.row) text += " row " + std::to_string(*source.row);
  if (source.row && source.col) text += ",";
  if (source.col) text += " column " + std::to_string(*source.col);
  return text;
}

}  // namespace

std::vector<float> Derivation::row_of(const StageId& stage, int index) const {
  const StageNumbers numbers = trace.read_row(stage, index);
  const auto line = numbers.view.row(0);
  return {line.begin(), line.end()};
}

std::vector<float> Derivation::column_of(const StageId& stage, int index) const {
  const int n_rows = trace.extent(stage).rows;
  const StageNumbers numbers = trace.read(stage, {0, index, n_rows, 1});
  std::vector<float> column(static_cast<std::size_t>(n_rows));
  for (int r = 0; r < n_rows; ++r) column[static_cast<std::size_t>(r)] = numbers.view(r, 0);
  return column;
}

Explanation::Strip Derivation::read_row(std::string label, const StageId& stage, int index) {
  add_source(stage, index, std::nullopt);
  return {std::move(label), row_of(stage, index), names_along(stage, info(stage.kind).cols)};
}

Explanation::Strip Derivation::read_column(std::string label, const StageId& stage, int index) {
  add_source(stage, std::nullopt, index);
  return {std::move(label), column_of(stage, index), names_along(stage, info(stage.kind).rows)};
}

double Derivation::read_cell(std::string label, const StageId& stage, int at_row, int at_col,
                             std::string note) {
  add_source(stage, at_row, at_col);
  return add_cell(std::move(label), stage, at_row, at_col, std::move(note));
}

double Derivation::add_cell(std::string label, const StageId& stage, int at_row, int at_col,
                            std::string note) {
  add_step(std::move(label), number(stage, at_row, at_col), std::move(note));
  explanation.steps.back().cell = {canonical(trace.architecture(), stage), at_row, at_col};
  return explanation.steps.back().value;
}

double Derivation::add_products(Explanation::Strip a, Explanation::Strip b,
                                const std::string& product_label) {
  Explanation::Strip products{product_label, {}, a.names, true, true};
  products.values.reserve(a.values.size());
  double sum = 0.0;
  for (std::size_t i = 0; i < a.values.size(); ++i) {
    const double product = static_cast<double>(a.values[i]) * static_cast<double>(b.values[i]);
    products.values.push_back(static_cast<float>(product));
    sum += product;
  }
  add_strip(std::move(a));
  add_strip(std::move(b));
  explanation.strips.push_back(std::move(products));
  return sum;
}

void Derivation::add_computed_strip(Explanation::Strip strip) {
  add_strip(std::move(strip));
  explanation.strips.back().is_computed = true;
}

void Derivation::add_step(std::string label, double value, std::string note) {
  // The pass computes in float32, so the stored number may have overflowed.
  const double stored = static_cast<double>(static_cast<float>(value));
  explanation.steps.push_back({std::move(label), std::isinf(stored) ? stored : value, std::move(note)});
}

void Derivation::add_source(const StageId& stage, std::optional<int> source_row,
                            std::optional<int> source_col) {
  explanation.sources.push_back({canonical(trace.architecture(), stage), source_row, source_col});
}

std::string Derivation::quoted(int token, Axis axis) const {
  return quoted_word(trace.label(id, axis, token));
}

std::vector<std::string> Derivation::names_along(const StageId& stage, Axis axis) const {
  std::vector<std::string> names;
  if (axis == Axis::vocabulary) {
    names = trace.vocabulary();
    for (std::string& name : names) {
      if (is_placeholder(name)) name = display_word(name);
    }
  }
  if (!is_token_axis(axis)) return names;
  const std::vector<Token>& along = trace.tokens(stage, axis);
  names.reserve(along.size());
  for (const Token& token : along) names.push_back(display_word(token.text));
  return names;
}

const HeadEdits* edits_of_head(const Trace& trace, const StageId& id) {
  return trace.edits() == nullptr ? nullptr : trace.edits()->of(head_of(id));
}

void derive_cell(Derivation& d) {
  const auto given = d.trace.given(d.id);
  if (given == nullptr) return record_of(d.trace.graph().op(d.id)).derive(d);
  d.add_step(symbol_of(d.id) + "[" + std::to_string(d.row) + ", " + std::to_string(d.col) + "]",
             static_cast<double>(given->at(d.row, d.col)), "given by hand, not computed");
}

Result<Explanation> explain(const Trace& trace, const StageId& id, int row, int col) {
  const StageId stage = canonical(trace.architecture(), normalized(id));
  if (auto ok = check_cell(trace, stage, row, col); !ok) return tl::unexpected(ok.error());
  Derivation derivation{trace, stage, row, col, {}};
  derive_cell(derivation);
  replace(derivation);
  Explanation& explanation = derivation.explanation;
  explanation.stage = stage;
  explanation.row = row;
  explanation.col = col;
  explanation.headline = describe_cell(trace, stage, row, col);
  explanation.formula = formula(trace, stage);
  explanation.value = explanation.steps.back().value;
  explanation.stored = static_cast<double>(trace.number(stage, row, col));
  return std::move(explanation);
}

std::vector<std::span<const Explanation::Strip>> strip_groups(std::span<const Explanation::Strip> strips) {
  std::vector<std::span<const Explanation::Strip>> groups;
  while (!strips.empty()) {
    const auto has_other_elements = [&](const Explanation::Strip& strip) {
      return strip.values.size() != strips.front().values.size() || strip.names != strips.front().names;
    };
    const auto end = std::ranges::find_if(strips, has_other_elements);
    groups.push_back(strips.first(static_cast<std::size_t>(end - strips.begin())));
    strips = strips.subspan(groups.back().size());
  }
  return groups;
}

std::vector<std::size_t> listed_elements(std::span<const float> values, std::size_t max_listed,
                                         std::size_t n_strongest) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (order.size() <= max_listed) return order;
  const auto end = order.begin() + static_cast<std::ptrdiff_t>(n_strongest);
  std::ranges::partial_sort(order, end, [&](std::size_t a, std::size_t b) {
    const float left_size = std::abs(values[a]);
    const float right_size = std::abs(values[b]);
    return Descending{}(left_size, right_size) || (!Descending{}(right_size, left_size) && a < b);
  });
  order.resize(n_strongest);
  std::ranges::sort(order);
  return order;
}

std::string to_text(const Explanation& explanation) {
  constexpr int digits = 6;
  std::string text = explanation.headline + "\n" + path(explanation.stage) + " [" +
                     std::to_string(explanation.row) + ", " + std::to_string(explanation.col) +
                     "]: " + explanation.formula + "\n\n";
  for (const auto& group : strip_groups(explanation.strips)) text += group_text(group);
  text += steps_text(explanation.steps);
  text += "\nstored: " + number_text(explanation.stored, digits) + "\n";
  for (const auto& source : explanation.sources) text += "from: " + source_text(source) + "\n";
  return text;
}

}  // namespace headscope
