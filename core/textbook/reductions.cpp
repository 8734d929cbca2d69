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

Result<NumberTable> variance_of(const NumberTable& table) {
  if (table.values.size() < 2) return failure("a variance needs at least two numbers, but there are fewer");
  OwnedMatrix matrix(table.rows, table.cols);
  std::ranges::transform(table.values, matrix.values.begin(),
                         [](double number) { return static_cast<float>(number); });
  return NumberTable{1, 1, {statistics(*source_of(std::move(matrix))).sample_variance()}};
}

/// The quotient of two of the numbers, whose indices count from 0.
Result<NumberTable> quotient_of(const NumberTable& table, std::size_t dividend, std::size_t divisor) {
  const std::vector<double>& numbers = table.values;
  if (numbers.size() < 2) return failure("a quotient needs two numbers, but there are fewer");
  if (numbers[divisor] == 0.0) return failure("the quotient would divide by 0");
  return NumberTable{1, 1, {numbers[dividend] / numbers[divisor]}};
}

Result<NumberTable> saving_of(const NumberTable& table) {
  auto quotient = quotient_of(table, 1, 0);
  if (quotient) quotient->values.front() = 1.0 - quotient->values.front();
  return quotient;
}

Result<NumberTable> argmax_of(const NumberTable& table) {
  if (table.cols == 0) return failure("the rows have no greatest number, because there are no columns");
  return of_rows(table, [](std::span<const double> row) {
    return std::max_element(row.begin(), row.end()) - row.begin();
  });
}

NumberTable shape_of(const NumberTable& table, int n_matrices) {
  const int rows_each = table.rows / std::max(n_matrices, 1);
  const auto rows = static_cast<double>(rows_each);
  const auto cols = static_cast<double>(table.cols);
  if (n_matrices < 2) return {1, 2, {rows, cols}};
  return {1, 3, {static_cast<double>(n_matrices), rows, cols}};
}

}  // namespace

Result<NumberTable> reduced(const NumberTable& numbers, Reduction reduction, int n_matrices) {
  switch (reduction) {
    case Reduction::sum:
      return NumberTable{1, 1, {sum_of(numbers.values)}};
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
      return variance_of(numbers);
    case Reduction::argmax:
      return argmax_of(numbers);
    case Reduction::quotient:
      return quotient_of(numbers, 0, 1);
    case Reduction::saving:
      return saving_of(numbers);
    case Reduction::shape:
      return shape_of(numbers, n_matrices);
  }
  return numbers;
}

bool append_below(NumberTable& table, const NumberTable& part) {
  if (table.rows > 0 && table.cols != part.cols) return false;
  table.cols = part.cols;
  table.rows += part.rows;
  table.values.insert(table.values.end(), part.values.begin(), part.values.end());
  return true;
}

}  // namespace headscope
