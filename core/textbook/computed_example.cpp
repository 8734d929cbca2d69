#include "core/textbook/computed_example.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <iterator>
#include <memory>
#include <numeric>
#include <optional>
#include <span>
#include <utility>

#include "core/engine/engine.h"
#include "core/result.h"
#include "core/session/repair.h"
#include "core/text/number_text.h"
#include "core/to_float.h"
#include "core/trace/summary.h"

namespace headscope {
namespace {

std::span<const double> row_of(const NumberTable& table, int row) {
  return {table.values.data() + table.index(row, 0), static_cast<std::size_t>(table.cols)};
}

double sum_of(std::span<const double> numbers) {
  return std::accumulate(numbers.begin(), numbers.end(), 0.0);
}

/// Computes one number from each row.
template <class Function>
NumberTable of_rows(const NumberTable& table, const Function& function) {
  NumberTable made{table.rows, 1, {}};
  made.values.reserve(static_cast<std::size_t>(table.rows));
  for (int row = 0; row < table.rows; ++row)
    made.values.push_back(static_cast<double>(function(row_of(table, row))));
  return made;
}

/// Computes each number from the old one and its row and column.
template <class Function>
NumberTable of_cells(NumberTable table, const Function& function) {
  for (int row = 0; row < table.rows; ++row) {
    for (int col = 0; col < table.cols; ++col)
      table.values[table.index(row, col)] = function(table.at(row, col), row, col);
  }
  return table;
}

NumberTable variance_of(const NumberTable& table) {
  if (table.values.size() < 2) refuse(failure("a variance needs at least two numbers, but there are fewer"));
  OwnedMatrix matrix(table.rows, table.cols);
  std::ranges::transform(table.values, matrix.values.begin(), to_float);
  return {1, 1, {statistics(*source_of(std::move(matrix))).sample_variance()}};
}

/// The quotient of two of the numbers, whose indices count from 0.
double quotient_of(const NumberTable& table, std::size_t dividend, std::size_t divisor) {
  const std::vector<double>& numbers = table.values;
  if (numbers.size() < 2) refuse(failure("a quotient needs two numbers, but there are fewer"));
  if (numbers[divisor] == 0.0) refuse(failure("the quotient would divide by 0"));
  return numbers[dividend] / numbers[divisor];
}

NumberTable shape_of(const NumberTable& table, int n_matrices) {
  const int rows_each = table.rows / std::max(n_matrices, 1);
  const auto rows = static_cast<double>(rows_each);
  const auto cols = static_cast<double>(table.cols);
  if (n_matrices < 2) return {1, 2, {rows, cols}};
  return {1, 3, {static_cast<double>(n_matrices), rows, cols}};
}

constexpr bool keeps = true;

constexpr std::array all_reductions{
    Reduction{"sum", !keeps, !keeps,
              [](const NumberTable& all, int) {
                return NumberTable{1, 1, {sum_of(all.values)}};
              }},
    Reduction{"row sums", keeps, !keeps, [](const NumberTable& all, int) { return of_rows(all, sum_of); }},
    Reduction{"shares", keeps, keeps,  // Of each number in the sum of its row.
              [](const NumberTable& all, int) {
                return of_cells(all, [&](double number, int row, int /*col*/) {
                  const double sum = sum_of(row_of(all, row));
                  return sum == 0.0 ? 0.0 : number / sum;
                });
              }},
    Reduction{"lower triangle", keeps, keeps,  // 0 where the column is greater than the row.
              [](const NumberTable& all, int) {
                return of_cells(all,
                                [](double number, int row, int col) { return col > row ? 0.0 : number; });
              }},
    Reduction{"variance", !keeps, !keeps,  // Of all numbers, with the divisor n − 1.
              [](const NumberTable& all, int) { return variance_of(all); }},
    Reduction{"argmax", keeps, !keeps,  // The column of the greatest number in each row.
              [](const NumberTable& all, int) {
                if (all.cols == 0)
                  refuse(failure("the rows have no largest number, because there are no columns"));
                return of_rows(all, [](std::span<const double> row) {
                  return std::max_element(row.begin(), row.end()) - row.begin();
                });
              }},
    Reduction{"quotient", !keeps, !keeps,  // Of the first number and the second.
              [](const NumberTable& all, int) {
                return NumberTable{1, 1, {quotient_of(all, 0, 1)}};
              }},
    Reduction{"saving", !keeps, !keeps,  // 1 − second / first.
              [](const NumberTable& all, int) {
                return NumberTable{1, 1, {1.0 - quotient_of(all, 1, 0)}};
              }},
    // The numbers of rows and columns, preceded by the number of matrices if there are several.
    Reduction{"shape", !keeps, !keeps, shape_of}};

/// The greatest number of numbers that all quantities of an example take from its passes.
constexpr std::size_t max_numbers = std::size_t{1} << 21U;

/// The labels of `n` rows or columns of a stage that are tokens or words. Empty for other axes.
std::vector<std::string> labels_of(const Trace& pass, const StageId& stage, Axis axis,
                                   const std::vector<int>& picked, int n) {
  std::vector<std::string> labels;
  if (!is_token_axis(axis) && axis != Axis::vocabulary) return labels;
  labels.reserve(static_cast<std::size_t>(n));
  for (int i = 0; i < n; ++i)
    labels.push_back(pass.label(stage, axis, picked.empty() ? i : picked[static_cast<std::size_t>(i)]));
  return labels;
}

/// Sets the labels of the rows and columns of the numbers of one case: tokens and words, or the case if a
/// matrix has a single row.
void label(const WorkedExample& example, const Quantity& quantity, std::size_t in_case, const Trace* pass,
           ComputedQuantity& part) {
  const std::vector<StageId>& stages = quantity.origin.stages;
  const bool are_candidates = quantity.origin.page == PageName::words;
  const std::size_t n = quantity.origin.n_matrices();
  for (std::size_t i = 0; i < n; ++i) {
    int n_rows = part.numbers.rows;
    if (n > 1)
      n_rows = quantity.rows.empty() ? pass->extent(stages[i]).rows : static_cast<int>(quantity.rows.size());
    std::vector<std::string> rows;
    if (!stages.empty()) {
      const StageInfo& about = info(stages.front().kind);
      if (!are_candidates) rows = labels_of(*pass, stages.front(), about.rows, quantity.rows, n_rows);
      part.cols = labels_of(*pass, stages.front(), about.cols, quantity.cols, part.numbers.cols);
    }
    if (rows.empty() && n_rows == 1 && quantity.cases.size() > 1) rows = {example.cases[in_case].name};
    std::ranges::move(rows, std::back_inserter(part.rows));
  }
}

/// Removes the labels that no longer fit the numbers after the reductions.
void keep_true_labels(const Quantity& quantity, ComputedQuantity& made) {
  const auto fits = [](const std::vector<std::string>& labels, int n) {
    return labels.size() == static_cast<std::size_t>(n);
  };
  if (!std::ranges::all_of(quantity.then, &Reduction::keeps_rows) || !fits(made.rows, made.numbers.rows))
    made.rows.clear();
  if (!std::ranges::all_of(quantity.then, &Reduction::keeps_cols) || !fits(made.cols, made.numbers.cols))
    made.cols.clear();
}

/// Joins the parts of a quantity's cases, applies the reductions and keeps the labels that remain valid.
ComputedQuantity joined(const Quantity& quantity, std::vector<ComputedQuantity> parts) {
  ComputedQuantity made;
  NumberTable& whole = made.numbers;
  for (ComputedQuantity& part : parts) {
    whole.append(part.numbers);
    std::ranges::move(part.rows, std::back_inserter(made.rows));
    made.cols = std::move(part.cols);
  }
  const auto n_matrices = static_cast<int>(parts.size() * quantity.origin.n_matrices());
  for (const Reduction* reduction : quantity.then) whole = reduction->apply(whole, n_matrices);
  for (double& number : whole.values) number *= quantity.times;
  keep_true_labels(quantity, made);
  return made;
}

void compare(const Quantity& quantity, ComputedQuantity& computed) {
  if (!quantity.printed) return;
  const NumberTable& printed = *quantity.printed;
  if (printed.rows != computed.numbers.rows || printed.cols != computed.numbers.cols) {
    computed.problem = "the printed table is " + std::to_string(printed.rows) + " × " +
                       std::to_string(printed.cols) + ", but the computed one is " +
                       std::to_string(computed.numbers.rows) + " × " + std::to_string(computed.numbers.cols);
    return;
  }
  computed.differs.reserve(printed.values.size());
  for (std::size_t i = 0; i < printed.values.size(); ++i)
    computed.differs.push_back(!agrees(printed.values[i], computed.numbers.values[i], quantity.digits));
  computed.n_differing = static_cast<int>(std::ranges::count(computed.differs, true));
}

using Pass = std::shared_ptr<const Trace>;

/// The numbers of a quantity in one of its cases, with their labels. `pass` is that of the case, or empty
/// until a quantity needs it.
ComputedQuantity part_of(const WorkedExample& example, const Quantity& quantity, std::size_t in_case,
                         Engine& engine, std::optional<Result<Pass>>& pass, std::size_t n_left) {
  const Session& session = example.cases[in_case].session;
  Pass computed;
  if (quantity.origin.needs_pass) {
    if (!pass) pass = engine.compute(request_of(session), TooLong::refuse);
    computed = pass->value();
  }
  ComputedQuantity part;
  part.numbers = quantity.origin.numbers(quantity, session, computed, n_left);
  label(example, quantity, in_case, computed.get(), part);
  return part;
}

}  // namespace

std::span<const Reduction> reductions() {
  return all_reductions;
}

Slices<ComputedExample> compute_example(const WorkedExample& example) {
  const std::size_t n = example.quantities.size();
  Engine engine;
  ComputedExample made(n);
  std::vector<std::vector<ComputedQuantity>> parts(n);  // By quantity and case.
  std::size_t n_left = max_numbers;
  // Case by case, each pass is computed only once, and only one is in memory.
  for (std::size_t in_case = 0; in_case < example.cases.size(); ++in_case) {
    std::optional<Result<Pass>> pass;
    for (std::size_t i = 0; i < n; ++i) {
      const Quantity& quantity = example.quantities[i];
      parts[i].resize(quantity.cases.size());
      for (std::size_t at = 0; at < quantity.cases.size(); ++at) {
        if (quantity.cases[at] != in_case) continue;
        if (made[i].problem.empty()) {
          auto part = result_of([&] { return part_of(example, quantity, in_case, engine, pass, n_left); });
          if (!part) made[i].problem = part.error().message;
          if (part) n_left -= part->numbers.values.size();
          if (part) parts[i][at] = std::move(*part);
        }
        co_yield static_cast<double>(in_case) / static_cast<double>(example.cases.size());
      }
    }
  }
  for (std::size_t i = 0; i < n; ++i) {
    if (!made[i].problem.empty()) continue;
    auto whole = result_of([&] { return joined(example.quantities[i], std::move(parts[i])); });
    if (!whole) made[i].problem = whole.error().message;
    if (whole) made[i] = std::move(*whole);
    if (whole) compare(example.quantities[i], made[i]);
  }
  co_return made;
}

Verdict verdict(const Quantity& quantity, const ComputedQuantity& computed) {
  if (!computed.problem.empty()) return Verdict::failed;
  if (!quantity.printed) return Verdict::unprinted;
  if (computed.n_differing == 0) return Verdict::agrees;
  return quantity.reason.empty() ? Verdict::disagrees : Verdict::explained;
}

bool agrees(double printed, double computed, int digits) {
  if (!std::isfinite(printed) || !std::isfinite(computed)) return printed == computed;
  constexpr double single_precision = 4e-7;
  const double half = 0.5 * std::pow(10.0, -digits);
  const double slack = digits > 0 ? single_precision * std::max(1.0, std::fabs(computed)) : 0.0;
  return std::fabs(printed - computed) <= half + slack;
}

std::string printed_text(double number, int digits) {
  if (!std::isfinite(number)) return number_text(number);
  constexpr double max_grouped = 1e18;  // Within the range of 64-bit integers.
  if (digits == 0 && std::fabs(number) < max_grouped) {
    const auto whole = std::llround(number);
    return (whole < 0 ? "−" : "") + grouped(std::llabs(whole));
  }
  std::array<char, 64> text{};
  const auto [end, error] = std::to_chars(text.data(), text.data() + text.size(), std::fabs(number),
                                          std::chars_format::fixed, digits);
  if (error != std::errc()) return number_text(number);
  const std::string_view shown(text.data(), static_cast<std::size_t>(end - text.data()));
  const bool is_zero = shown.find_first_not_of("0.") == std::string_view::npos;
  return (number < 0.0 && !is_zero ? "−" : "") + std::string(shown);
}

std::string quantity_text(const Quantity& quantity, double number) {
  return quantity.printed || quantity.digits == 0 ? printed_text(number, quantity.digits)
                                                  : number_text(number);
}

AgreementCounts agreement_counts(const WorkedExample& example, const ComputedExample& computed) {
  AgreementCounts agreement_counts;
  for (std::size_t i = 0; i < example.quantities.size(); ++i) {
    const Quantity& quantity = example.quantities[i];
    const ComputedQuantity& of_it = computed[i];
    const Verdict said = verdict(quantity, of_it);
    if (said == Verdict::failed || said == Verdict::disagrees) ++agreement_counts.unexplained;
    if (said == Verdict::explained) ++agreement_counts.explained;
    if (!quantity.printed) continue;
    const auto n = static_cast<int>(quantity.printed->values.size());
    agreement_counts.printed += n;
    if (said != Verdict::failed) agreement_counts.agreeing += n - of_it.n_differing;
  }
  return agreement_counts;
}

std::string source_text(const WorkedExample& example) {
  return example.author + ": " + example.title + ", " + example.where;
}

std::string place_of_quantity(const WorkedExample& example, const Quantity& quantity) {
  std::string text = quantity.origin.name;
  for (const Reduction* reduction : quantity.then) text += " → " + std::string(reduction->name);
  if (example.cases.size() < 2) return text;
  if (quantity.cases.size() > 2) return text + " · " + std::to_string(quantity.cases.size()) + " cases";
  for (std::size_t i = 0; i < quantity.cases.size(); ++i)
    text += (i == 0 ? " · " : ", ") + example.cases[quantity.cases[i]].name;
  return text;
}

std::string verdict_text(const Quantity& quantity, const ComputedQuantity& computed) {
  const auto differing = [&] {
    return std::to_string(computed.n_differing) + " of " +
           count_text(static_cast<long long>(computed.differs.size()), "number") +
           (computed.n_differing == 1 ? " differs" : " differ");
  };
  switch (verdict(quantity, computed)) {
    case Verdict::agrees:
      return quantity.digits == 0 ? "agrees" : "agrees to " + count_text(quantity.digits, "digit");
    case Verdict::explained:
      return differing() + ", explained below";
    case Verdict::disagrees:
      return differing();
    case Verdict::unprinted:
      return "not printed in the source";
    case Verdict::failed:
      return "not computed";
  }
  return {};
}

std::string agreement_text(const WorkedExample& example, const ComputedExample& computed) {
  const AgreementCounts counts = agreement_counts(example, computed);
  const bool is_one = counts.printed == 1;
  std::string text;
  if (counts.printed == 0) {
    text = "Nothing was checked: the source prints no numbers to compare with.";
  } else if (counts.agreeing == counts.printed) {
    text = is_one ? "The one printed number agrees."
                  : "All " + grouped(counts.printed) + " printed numbers agree.";
  } else if (counts.agreeing == 0) {
    text = is_one ? "The one printed number differs."
                  : "None of the " + grouped(counts.printed) + " printed numbers agrees.";
  } else {
    text = grouped(counts.agreeing) + " of " + grouped(counts.printed) + " printed numbers " +
           (counts.agreeing == 1 ? "agrees." : "agree.");
  }
  if (counts.explained > 0)
    text += " " + grouped(counts.explained) +
            (counts.explained == 1 ? " quantity differs for a stated reason."
                                   : " quantities differ for stated reasons.");
  if (counts.unexplained > 0)
    text += " " + grouped(counts.unexplained) +
            (counts.unexplained == 1 ? " quantity differs without a stated reason or cannot be computed."
                                     : " quantities differ without a stated reason or cannot be computed.");
  return text;
}

namespace {

int index_in(const std::vector<int>& picked, int index) {
  return picked.empty() ? index : picked[static_cast<std::size_t>(index)];
}

void select_stage(Session& session, const StageId& stage) {
  Selection& selection = session.selection;
  selection.stage = stage.kind;
  if (info(stage.kind).scope == StageScope::model) return;
  selection.stack = stage.stack;
  if (info(stage.kind).scope == StageScope::stack) return;
  selection.layer = stage.layer;
  selection.attention = stage.attention;
  selection.head = stage.head;
}

}  // namespace

Session open_case(const WorkedExample& example, std::size_t index, const Session& current) {
  Session session = example.cases[std::min(index, example.cases.size() - 1)].session;
  session.picture = current.picture;
  session.heads = current.heads;
  session.lines = current.lines;
  return repaired(std::move(session), Session{});
}

Session open_at(const WorkedExample& example, const ComputedExample& computed, std::size_t index,
                const std::optional<Cell>& cell, const Session& current) {
  const Quantity& quantity = example.quantities[index];
  const Origin& origin = quantity.origin;
  std::size_t matrix = 0;  // To which the row of the cell belongs.
  std::optional<int> row;  // Of that matrix. Empty if the numbers are not an unchanged part of a stage.
  const bool are_of_stage = std::ranges::all_of(
      quantity.then, [](const Reduction* each) { return each->name == "lower triangle"; });
  if (cell && index < computed.size() && are_of_stage) {
    const int n_rows = computed[index].numbers.rows;
    const auto n_matrices = static_cast<int>(quantity.cases.size() * origin.n_matrices());
    const int rows_each = n_rows / n_matrices;
    if (cell->query < rows_each * n_matrices) {
      matrix = static_cast<std::size_t>(cell->query / rows_each);
      row = index_in(quantity.rows, cell->query % rows_each);
    }
  }
  Session session = open_case(example, quantity.cases[matrix / origin.n_matrices()], current);
  if (!origin.page) return session;
  session.view = *origin.page;
  if (session.view == PageName::tiles) session.tiles.step = origin.step;
  if (session.view == PageName::explore) {
    const StageId& stage = origin.stages[matrix % origin.n_matrices()];
    select_stage(session, stage);
    if (row) session.selection.pin = Pin{stage, *row, index_in(quantity.cols, cell->key)};
  }
  return repaired(std::move(session), Session{});
}

}  // namespace headscope
