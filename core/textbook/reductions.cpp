#include "core/textbook/reductions.h"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <span>

#include "core/trace/summary.h"

namespace headscope {
namespace {

std::span<const double> row_of(const NumberTable& table, int row) {
  return {table.values.data() + table.index(row, 0), static_cast<std::size_t>(table.cols)};
}

double sum_of(std::span<const double> numbers) {
  return std::accumulate(numbers.begin(), numbers.end(), 0.0);
}

/// One number of each row.
template <class Function>
NumberTable of_rows(const NumberTable& table, const Function& function) {
  NumberTable made{table.rows, 1, {}};
  made.values.reserve(static_cast<std::size_t>(table.rows));
  for (int row = 0; row < table.rows; ++row)
    made.values.push_back(static_cast<double>(function(row_of(table, row))));
  return made;
}

/// Each number by a function of its row and column.
template <class Function>
NumberTable of_cells(NumberTable table, const Function& function) {
  for (int row = 0; row < table.rows; ++row) {
    for (int col = 0; col < table.cols; ++col)
      table.values[table.index(row, col)] = function(table.at(row, col), row, col);
  }
  return table;
}

double variance_of(const NumberTable& table) {
  OwnedMatrix matrix(table.rows, table.cols);
  std::ranges::transform(table.values, matrix.values.begin(),
                         [](double number) { return static_cast<float>(number); });
  return statistics(*source_of(std::move(matrix))).sample_variance();
}

/// Of two of the numbers, counted from 0; 0 where there are not so many, or the divisor is 0.
double quotient_of(const NumberTable& table, std::size_t dividend, std::size_t divisor) {
  const std::vector<double>& numbers = table.values;
  const bool has_both = std::max(dividend, divisor) < numbers.size();
  return has_both && numbers[divisor] != 0.0 ? numbers[dividend] / numbers[divisor] : 0.0;
}

NumberTable shape_of(const NumberTable& table, int n_matrices) {
  const int rows_each = table.rows / std::max(n_matrices, 1);
  const auto rows = static_cast<double>(rows_each);
  const auto cols = static_cast<double>(table.cols);
  if (n_matrices < 2) return {1, 2, {rows, cols}};
  return {1, 3, {static_cast<double>(n_matrices), rows, cols}};
}

}  // namespace

NumberTable reduced(const NumberTable& numbers, Reduction reduction, int n_matrices) {
  switch (reduction) {
    case Reduction::sum:
      return {1, 1, {sum_of(numbers.values)}};
    case Reduction::row_sums:
      return of_rows(numbers, sum_of);
    case Reduction::shares:
      return of_cells(numbers, [&](double number, int row, int /*col*/) {
        const double sum = sum_of(row_of(numbers, row));
        return sum == 0.0 ? 0.0 : number / sum;
      });
    case Reduction::lower_triangle:
      return of_cells(numbers, [](double number, int row, int col) { return col > row ? 0.0 : number; });
    case Reduction::variance:
      return {1, 1, {variance_of(numbers)}};
    case Reduction::argmax:
      return of_rows(numbers, [](std::span<const double> row) {
        return std::max_element(row.begin(), row.end()) - row.begin();
      });
    case Reduction::quotient:
      return {1, 1, {quotient_of(numbers, 0, 1)}};
    case Reduction::saving:
      return {1, 1, {1.0 - quotient_of(numbers, 1, 0)}};
    case Reduction::shape:
      return shape_of(numbers, n_matrices);
  }
  return numbers;
}

NumberTable picked(const NumberTable& numbers, const std::vector<int>& rows, const std::vector<int>& cols) {
  const auto asked = [](const std::vector<int>& list, int n) {
    std::vector<int> kept(static_cast<std::size_t>(n));
    std::iota(kept.begin(), kept.end(), 0);
    if (list.empty()) return kept;
    kept.clear();
    std::ranges::copy_if(list, std::back_inserter(kept), [&](int index) { return index < n; });
    return kept;
  };
  const std::vector<int> kept_rows = asked(rows, numbers.rows);
  const std::vector<int> kept_cols = asked(cols, numbers.cols);
  NumberTable made{static_cast<int>(kept_rows.size()), static_cast<int>(kept_cols.size()), {}};
  made.values.reserve(kept_rows.size() * kept_cols.size());
  for (const int row : kept_rows) {
    for (const int col : kept_cols) made.values.push_back(numbers.at(row, col));
  }
  return made;
}

bool append_below(NumberTable& table, const NumberTable& part) {
  if (table.rows > 0 && table.cols != part.cols) return false;
  table.cols = part.cols;
  table.rows += part.rows;
  table.values.insert(table.values.end(), part.values.begin(), part.values.end());
  return true;
}

}  // namespace headscope
